#include "fuzz/support.h"
#include "graph/schedule.h"

namespace grapevine::fuzz {

void read_edges(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  graph::GraphOptions options{};
  options.name = "edges";
  options.n = 1 + choices.next(16);
  options.edges_file = folder.write("edges.txt", input);
  const auto schedule = graph::make_schedule(options);
  GV_CHECK_EQ(schedule->at({})->n(), options.n);
}

} // namespace grapevine::fuzz
