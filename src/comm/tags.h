// Who uses which tag, so that no two kinds of message can meet.
#pragma once

#include "transport/transport.h"

namespace grapevine::comm {

// mix: the j-th transfer of a program between two workers has tag j.
inline constexpr transport::Tag kFirstMixTag = 0;
inline constexpr transport::Tag kLastMixTag = 999;
inline constexpr transport::Tag kExchangeTag = 1000;
inline constexpr transport::Tag kAnyTag = 1001;
inline constexpr transport::Tag kBroadcastTag = 1002;
inline constexpr transport::Tag kLengthTag = 1003;
inline constexpr transport::Tag kGatherTag = 1004;
inline constexpr transport::Tag kSumTag = 1005;

} // namespace grapevine::comm
