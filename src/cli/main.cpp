#include <grapevine/program.h>

int main(int argc, char** argv) {
  return grapevine::run_program(argc, argv);
}
