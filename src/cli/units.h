// Numbers as people read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace grapevine::cli {

std::string human_bytes(double bytes);     // "1.25 GB"; GB is 10^9
std::string human_count(double count);     // "24.3 k"
std::string human_seconds(double seconds); // "0.42 s", "3:07", "2:05:00"
// "83.12 %"; what is not finite is "–", here and below.
std::string human_percent(double fraction);
std::string human_number(double value); // 4 significant digits

// "accuracy 83.10 %", or "perplexity 6.731" where there is one.
std::string quality_text(double accuracy, std::optional<double> perplexity);

} // namespace grapevine::cli
