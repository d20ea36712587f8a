// What Gloo does with a connection that it has accepted: asks for the name of
// the other end. The file name of this library, libgloo_caller.so, is what
// makes it pass for Gloo.
#include <sys/socket.h>

extern "C" int ask_for_peer(int file, sockaddr* address, socklen_t* length) {
  // Volatile, so that it is a call from here and no jump.
  const volatile int result = getpeername(file, address, length);
  return result;
}
