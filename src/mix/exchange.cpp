#include "mix/exchange.h"

namespace grapevine::mix {

tensor::MixTerms PeerExchange::wait(int /*index*/, int bucket) {
  const PeerWait kept = wait_for(bucket);
  costs_.wait_seconds += kept.seconds;
  costs_.waited_for = kept.peer;
  if (kept.peer >= 0) costs_.waits[kept.peer] += kept.seconds;
  if (bucket == spec_.cut->buckets() - 1) {
    is_open_ = false;
    costs_.traffic += traffic_;
    costs_.first_sent = first_sent_;
    costs_.last_received = last_received_;
  }
  return terms();
}

} // namespace grapevine::mix
