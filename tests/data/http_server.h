// A small HTTP server on loopback, for the tests of downloads: serves strings
// by name, with or without Range, and misbehaves when told to.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::data {

class HttpServer {
 public:
  struct Manners {
    bool ranges = true;
    // Cuts the connection after this many bytes of a body, this many times.
    size_t cut_after = 0;
    int cuts = 0;
    int status = 0; // instead of an answer, if not 0
  };

  explicit HttpServer(std::map<std::string, std::string> files)
      : files_(std::move(files)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, length) != 0) std::abort();
    if (::listen(listener_, 8) != 0) std::abort();
    ::getsockname(listener_, generic, &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  ~HttpServer() {
    ::shutdown(listener_, SHUT_RDWR); // ends the accept
    thread_.join();
    ::close(listener_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_);
  }
  void set(const Manners& manners) {
    const std::lock_guard lock(mutex_);
    manners_ = manners;
  }
  void set_file(const std::string& name, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    files_[name] = bytes;
  }
  // Each request as "name" or "name from OFFSET".
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (;;) {
      const int peer = ::accept(listener_, nullptr, nullptr);
      if (peer < 0) return;
      answer(peer);
      ::close(peer);
    }
  }

  static std::string read_request(int peer) {
    std::string text;
    char piece[1024];
    while (text.find("\r\n\r\n") == std::string::npos) {
      const auto got = ::recv(peer, piece, sizeof(piece), 0);
      if (got <= 0) break;
      text.append(piece, got);
    }
    return text;
  }

  static void send_all(int peer, std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(sent);
    }
  }

  static std::optional<size_t> range_of(const std::string& request) {
    const std::string key = "Range: bytes=";
    const auto at = request.find(key);
    if (at == std::string::npos) return std::nullopt;
    return std::strtoull(request.c_str() + at + key.size(), nullptr, 10);
  }

  static void send_status(int peer, int status) {
    send_all(
        peer,
        "HTTP/1.1 " + std::to_string(status) +
            " No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  }

  void answer(int peer) {
    const auto request = read_request(peer);
    const auto begin = request.find('/') + 1;
    const auto name = request.substr(begin, request.find(' ', begin) - begin);
    const auto range = range_of(request);
    const std::lock_guard lock(mutex_);
    requests_.push_back(
        range ? name + " from " + std::to_string(*range) : name);
    const auto file = files_.find(name);
    if (manners_.status != 0) return send_status(peer, manners_.status);
    if (file == files_.end()) return send_status(peer, 404);
    const bool partial = range && manners_.ranges;
    if (partial && *range >= file->second.size()) return send_status(peer, 416);
    send_file(peer, file->second, partial ? *range : 0, partial);
  }

  void send_file(int peer, const std::string& all, size_t from, bool partial) {
    std::string_view body(all);
    body.remove_prefix(from);
    auto header = std::string("HTTP/1.1 ") +
                  (partial ? "206 Partial Content" : "200 OK") +
                  "\r\nConnection: close\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n";
    if (partial) {
      header += "Content-Range: bytes " + std::to_string(from) + "-" +
                std::to_string(all.size() - 1) + "/" +
                std::to_string(all.size()) + "\r\n";
    }
    send_all(peer, header + "\r\n");
    if (manners_.cuts > 0) {
      --manners_.cuts;
      body = body.substr(0, manners_.cut_after);
    }
    send_all(peer, body);
  }

  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::string, std::string> files_;
  Manners manners_;
  std::vector<std::string> requests_;

  std::jthread thread_;
};

} // namespace grapevine::data
