// Where data sets are kept on this machine, by the environment. For cli/ only:
// everything below takes its folders in options.
#pragma once

#include <string>
#include <vector>

namespace grapevine::data {

// In order, those that are set: $GRAPEVINE_DATA, default_data_cache(),
// /usr/share/datasets (Debian's packages). Goes into
// DataOptions::search_path. Reads the environment: called by cli/ only.
std::vector<std::string> default_data_path();

// $XDG_CACHE_HOME/grapevine, else $HOME/.cache/grapevine, else empty.
// `grapevine data get NAME` puts a set into NAME/ below it unless
// $GRAPEVINE_DATA or a flag says otherwise. Called by cli/ only.
std::string default_data_cache();

} // namespace grapevine::data
