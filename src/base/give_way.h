// A thread that others need not wait for.
#pragma once

namespace grapevine {

// Where cores are short, other threads go before the calling one from now on,
// those of this process among them; where they are not, nothing changes.
void give_way();

} // namespace grapevine
