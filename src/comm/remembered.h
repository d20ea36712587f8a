// What is made once for a key and then used again: the kMost values that were
// asked for last. A value stays where it is until it is forgotten, so whoever
// works with a few of them may hold on to these. Finding one allocates nothing.
#pragma once

#include <cstddef>
#include <list>
#include <utility>

namespace grapevine::comm {

template <typename Key, typename Value>
class Remembered {
 public:
  static constexpr size_t kMost = 64;

  // Of this key; from make() where it is not known.
  template <typename Make>
  Value& get(const Key& key, const Make& make) {
    for (auto it = values_.begin(); it != values_.end(); ++it) {
      if (it->first != key) continue;
      values_.splice(values_.end(), values_, it);
      return it->second;
    }
    if (values_.size() == kMost) values_.pop_front();
    return values_.emplace_back(key, make()).second;
  }
  void clear() { values_.clear(); }

 private:
  std::list<std::pair<Key, Value>> values_; // the last one asked for is last
};

} // namespace grapevine::comm
