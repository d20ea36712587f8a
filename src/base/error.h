// The three kinds of error, told apart by whose fault they are.
//
//   ConfigError     the user's: an option, key or file that cannot be right.
//                   Thrown before anything starts; the program exits with 2.
//   IoError         the world's: a file that is missing, short, corrupt, or a
//                   disk that is full. Exit code 1.
//   TransportError  the world's: a peer or a link. TimeoutError is the one
//                   that a deadline raises. Exit code 1.
//   CheckFailure    ours: a bug, see base/check.h. Exit code 1.
//
// The library throws these, never prints and never exits.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace grapevine {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ConfigError : public Error {
 public:
  using Error::Error;
};

class IoError : public Error {
 public:
  using Error::Error;
};

class TransportError : public Error {
 public:
  using Error::Error;
};

class TimeoutError : public TransportError {
 public:
  using TransportError::TransportError;
};

} // namespace grapevine
