// What the workers of a run tell each other when they are not connected: keys
// and texts in the store that they met in, which is served by none of them.
//
// Nothing here waits for another worker. All functions may be called from any
// thread, and throw TransportError if the store cannot be reached now.
#pragma once

#include "base/error.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace grapevine::net {

class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  // Adds to a counter, which begins at 0, and returns its new value.
  virtual int64_t add(const std::string& key, int64_t amount) = 0;
  virtual void set(const std::string& key, const std::string& text) = 0;
  virtual std::optional<std::string> get(const std::string& key) = 0;
  // Whoever is first sets the text for good; returns what the key holds. The
  // text is not empty.
  virtual std::string set_once(
      const std::string& key,
      const std::string& text) = 0;
};

// Parses a count that a worker has written. Throws TransportError.
inline int64_t parse_count(const std::string& text) {
  int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, count);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    throw TransportError("the store holds no count, but '" + text + "'");
  }
  return count;
}

// A counter: how often a worker has been started. One that finds a later life
// of itself, or of another, knows that the earlier one is over.
inline std::string life_key(int rank) {
  return "life/" + std::to_string(rank);
}
// Where the launcher writes that a worker has ended for good; the text says
// how. Adds to kLostCountKey and to kNewsKey afterwards.
inline std::string lost_key(int rank) {
  return "lost/" + std::to_string(rank);
}
inline constexpr const char* kLostCountKey = "lost";
// How far a worker has come, while it goes on.
inline std::string progress_key(int rank) {
  return "progress/" + std::to_string(rank);
}
// A counter: how often workers have come to this round of the gathering
// (member/final_rendezvous.h), of which there are some from 0 on.
inline std::string come_count_key(int round) {
  return "gather/" + std::to_string(round) + "/count";
}
// A counter that grows with every change that others should look at.
inline constexpr const char* kNewsKey = "news";

} // namespace grapevine::net
