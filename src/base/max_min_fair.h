// Max-min fairness: the rates at which flows share resources, as TCP
// connections that meet in the same queues do.
//
// A flow passes several resources (a node's way out, another's way in, …), each
// of which carries so many bytes a second in all. The rates of all flows grow
// together until a resource is full. The flows that pass it keep what they
// have; the others go on growing, up to a limit of their own if they have one.
// What a flow cannot use of a resource is therefore left to the others.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace grapevine {

// One thread.
class MaxMinFair {
 public:
  struct Flow {
    // Indices into the capacities; one that is given twice is passed twice.
    std::span<const int> resources;
    double limit = std::numeric_limits<double>::infinity(); // of its rate
    double rate = 0;                                        // the result
  };

  // capacities: of the resources, in bytes a second; may be infinite.
  // tolerance: resources whose shares differ by less, relatively, are full at
  // once, so that rounding does not cost a pass over the flows each. At 0 they
  // are taken one by one.
  explicit MaxMinFair(std::vector<double> capacities, double tolerance = 0);

  // Sets the rates; infinite for a flow that nothing limits. Repeats bit for
  // bit for the same flows in the same order.
  void share(std::span<Flow> flows);

 private:
  struct Resource {
    double capacity = 0;
    double left = 0; // of the capacity
    int flows = 0;   // whose rate is not settled
    bool is_full = false;

    double part() const { return left / flows; }
  };

  void start(std::span<const Flow> flows);
  // The rate at which the next resource is full or a flow at its limit; marks
  // the resources that are full then.
  double grow(std::span<const Flow> flows);
  bool stops(const Flow& flow, double rate) const;

  std::vector<Resource> resources_;
  double tolerance_;
  std::vector<int> used_; // resources with a limit that flows pass, ascending
  std::vector<int> open_; // flows whose rate is not settled
};

} // namespace grapevine
