// A least-recently-used cache: values that are made once for a key and used
// again, at most as many as the cache was made for.
//
// A value stays at its address until it is evicted, so a caller may hold on to
// the few that it asked for last. Finding a value allocates nothing. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <map>
#include <utility>

namespace grapevine {

// Key has operator<.
template <typename Key, typename Value>
class LruCache {
 public:
  // capacity >= 1.
  explicit LruCache(size_t capacity) : capacity_(capacity) {}
  LruCache(const LruCache&) = delete;
  LruCache& operator=(const LruCache&) = delete;

  // Returns the value of this key, from make() if it is not in the cache;
  // then the one that was not asked for the longest is evicted from a full
  // cache.
  template <typename Make>
  Value& get(const Key& key, const Make& make) {
    const auto found = places_.find(key);
    if (found != places_.end()) {
      values_.splice(values_.end(), values_, found->second);
      return found->second->second;
    }
    if (values_.size() == capacity_) {
      places_.erase(values_.front().first);
      values_.pop_front();
    }
    values_.emplace_back(key, make());
    places_.emplace(key, std::prev(values_.end()));
    return values_.back().second;
  }
  void clear() {
    places_.clear();
    values_.clear();
  }

 private:
  using Values = std::list<std::pair<Key, Value>>;
  size_t capacity_;
  Values values_; // the last one asked for is last
  std::map<Key, typename Values::iterator> places_;
};

} // namespace grapevine
