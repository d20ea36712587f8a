// A byte-pair vocabulary as a file; its format is that of data/bpe.h.
#pragma once

#include "data/bpe.h"

#include <string>
#include <string_view>

namespace grapevine::data {

std::string format_bpe(const Bpe& bpe);

// Throws ConfigError: the file's name, the line, what was expected and what was
// found.
Bpe parse_bpe(std::string_view text, const std::string& file_name);

// Throws ConfigError: there is no such file, or it is no vocabulary (it is a
// path that the user gave); IoError: it cannot be read.
Bpe read_bpe(const std::string& path);

// Whole or not at all. Throws IoError.
void write_bpe(const Bpe& bpe, const std::string& path);

} // namespace grapevine::data
