// One HTTP GET, streamed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace grapevine::data {

struct HttpRequest {
  std::string url;    // http or https
  int64_t offset = 0; // > 0: asks for the bytes from here on (Range)
  // Called before the first bytes: from_offset says whether the server sends
  // what was asked for (206) or all of it (200).
  std::function<void(bool from_offset)> on_start;
  std::function<void(std::span<const char>)> on_bytes;
  int connect_seconds = 30;
  int stall_seconds = 60; // without a byte, then it is an error
};

struct HttpResult {
  bool complete = false; // else `problem` says what broke
  long status = 0;       // of HTTP; 0: no answer came
  std::string problem;
};

// Returns what became of it; throws only what the callbacks throw. Any
// thread.
HttpResult http_get(const HttpRequest& request);

} // namespace grapevine::data
