#include "data/http.h"

#include "base/check.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <mutex>

namespace grapevine::data {
namespace {

// One transfer, as curl's callbacks see it.
struct Transfer {
  CURL* curl;
  const HttpRequest& request;
  bool started = false;
  std::exception_ptr failure; // exceptions may not pass through C
};

long status_of(CURL* curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

size_t receive(char* bytes, size_t, size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  try {
    if (!transfer.started) {
      transfer.started = true;
      transfer.request.on_start(status_of(transfer.curl) == 206);
    }
    transfer.request.on_bytes({bytes, count});
    return count;
  } catch (...) {
    transfer.failure = std::current_exception();
    return 0; // curl gives up
  }
}

void initialise_curl() {
  static std::once_flag once; // curl's own global state wants this
  std::call_once(once, [] {
    GV_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
  });
}

void set_options(CURL* curl, const HttpRequest& request) {
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  curl_easy_setopt(
      curl,
      CURLOPT_REDIR_PROTOCOLS,
      CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "grapevine");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, long{request.connect_seconds});
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, long{request.stall_seconds});
  if (request.offset > 0) {
    // Not CURLOPT_RESUME_FROM: that one fails where the server sends it all.
    curl_easy_setopt(
        curl,
        CURLOPT_RANGE,
        fmt::format("{}-", request.offset).c_str());
  }
}

} // namespace

HttpResult http_get(const HttpRequest& request) {
  initialise_curl();
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(
      curl_easy_init(),
      curl_easy_cleanup);
  GV_CHECK(curl != nullptr);
  Transfer transfer{.curl = curl.get(), .request = request, .failure = {}};
  char message[CURL_ERROR_SIZE] = "";
  set_options(curl.get(), request);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, message);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);
  const CURLcode code = curl_easy_perform(curl.get());
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  return {
      .complete = code == CURLE_OK,
      .status = status_of(curl.get()),
      .problem = message[0] != '\0' ? message : curl_easy_strerror(code)};
}

} // namespace grapevine::data
