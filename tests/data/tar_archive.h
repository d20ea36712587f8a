// Archives for the tests, made by hand: header blocks, contents, end.
#pragma once

#include <cstdio>
#include <string>

namespace grapevine::data {

inline std::string
tar_member(const std::string& name, const std::string& bytes, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  char octal[12];
  std::snprintf(octal, sizeof(octal), "%011zo", bytes.size());
  header.replace(124, 11, octal);
  header[156] = type;
  header.replace(257, 8, std::string("ustar\00000", 8));
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header)
    sum += static_cast<unsigned char>(c);
  std::snprintf(octal, sizeof(octal), "%06o", sum);
  header.replace(148, 7, std::string(octal, 7));
  const std::string padding((512 - bytes.size() % 512) % 512, '\0');
  return header + bytes + padding;
}

inline std::string tar_end() {
  return std::string(1024, '\0');
}

} // namespace grapevine::data
