// Floats in fewer bytes, without loss: what goes in comes out, bit for bit,
// NaN and -0 included.
//
// Sign and mantissa of a weight or a gradient are as good as random, its
// exponent is not: of 256 neighbours in a plane nearly all lie within a factor
// of 2^8 of the largest, since small ones are rare. So 256 floats at a time
// become
//
//   e    1 byte       the largest exponent of the group
//   w    1 byte       bits for each exponent, 0..5 or 8
//   s    1 byte       strays: exponents that w bits do not reach
//        512 bytes    the low 16 bits of each float, little-endian
//        256 bytes    its sign and the high 7 bits of its mantissa
//        32 w bytes   e - exponent, in bit planes: bit k of byte 32 p + i is
//                     bit p of float 32 k + i
//        2 s bytes    which float (0..255), and its exponent
//
// with the w that makes it shortest, and floats behind the last whole group as
// they are. Weights take 27.2 of 32 bits (normal and uniform distributions),
// zeros 24.1, and what has no order at all 32.1. Packing goes at some 10 GB/s a
// core and unpacking at 20, so it costs little where bytes cross a network.
//
// Floats are given as bytes, at any address: whoever moves them has no others.
#pragma once

#include <cstddef>
#include <span>

namespace grapevine::tensor {

// No packed form of so many floats is longer.
size_t packed_bound(size_t floats);

// Writes the packed form of `values`, whole floats, to the front of `packed`,
// which has room for their packed_bound, and returns its length.
size_t pack_floats(
    std::span<const std::byte> values,
    std::span<std::byte> packed);

// The reverse. False, and the values are of no use, where `packed` is not the
// packed form of as many floats; it may be anything.
bool unpack_floats(
    std::span<const std::byte> packed,
    std::span<std::byte> values);

} // namespace grapevine::tensor
