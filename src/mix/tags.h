// Who uses which tag, so that no two kinds of message can meet.
#pragma once

#include "net/transport.h"

namespace grapevine::mix {

// mix: the j-th transfer of a program between two workers has tag j.
inline constexpr net::Tag kFirstMixTag = 0;
inline constexpr net::Tag kLastMixTag = 999;
inline constexpr net::Tag kExchangeTag = 1000;
inline constexpr net::Tag kAnyTag = 1001;
inline constexpr net::Tag kBroadcastTag = 1002;
inline constexpr net::Tag kLengthTag = 1003;
inline constexpr net::Tag kGatherTag = 1004;
inline constexpr net::Tag kSumTag = 1005;

} // namespace grapevine::mix
