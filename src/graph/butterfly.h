// Rounds of small group averages that bring any number of items to their
// common average, or close to it: the butterfly of the fast Fourier transform,
// for counts that need not be powers of two.
//
// Items 0..m-1 are cut into blocks, again and again, until none has more than
// three: all blocks of a level in three equal parts where they are equal, odd
// and multiples of three, else in two, the first one item longer where the
// block is odd. Round 0 averages inside the last blocks. The next rounds undo
// the cuts, the last one first: the items at the same place of a block's parts
// form a group, and one that is left over joins the last group.
//
//   m = 8: (0,1)(2,3)(4,5)(6,7)  (0,2)(1,3)(4,6)(5,7)  (0,4)(1,5)(2,6)(3,7)
//   m = 5: (0,1,2)(3,4)  (0,3)(1,2,4)
//   m = 9: (0,1,2)(3,4,5)(6,7,8)  (0,3,6)(1,4,7)(2,5,8)
//
// So every group has at most three items. For m = 2^p round r pairs those that
// differ in bit r. Where all cuts are even (m = 2^a 3^b) the product of the
// rounds is exactly the average. Otherwise a group that holds two items of the
// longer half and one of the other counts the halves 2 : 1, where almost
// 1 : 1 would be right; it is one group among m/2, and the 2-norm of the
// product minus the average is at most 1/6 (m = 5) and falls with the part of
// m that has no factor 2 or 3 (docs/graphs.md has numbers).
//
// There are log2 m rounds, rounded down or up, and fewer where blocks are cut
// in three.
#pragma once

#include <vector>

namespace grapevine::graph {

// The groups of each round, a partition of 0..m-1 whose groups are ascending.
// One round, of one group, for m = 1..3.
std::vector<std::vector<std::vector<int>>> butterfly_rounds(int m);

} // namespace grapevine::graph
