// Matrices that translations leave unchanged, and their eigenvalues in closed
// form.
//
// Number the workers by digits, i = (i_1, ..., i_q) with i_d in 0..a_d-1 and
// a_1 * ... * a_q = n, the last digit fastest. If M_ij depends only on the
// differences j_d - i_d (mod a_d), its eigenvectors are the characters of the
// group and its eigenvalues the Fourier transform of row 0:
//
//   mu_f = sum_o M_0o exp(2 pi i (f_1 o_1 / a_1 + ... + f_q o_q / a_q))
//
// Ring, lattice and exponential graph have one digit, the torus two, the
// hypercube log2(n) of two values each.
#pragma once

#include "graph/mixing.h"

#include <complex>
#include <functional>
#include <optional>
#include <vector>

namespace grapevine::graph {

using RowFunction = std::function<std::vector<Term>(int)>;

class TranslationInvariant {
 public:
  // Row 0 of a matrix that is known to be invariant.
  TranslationInvariant(std::vector<int> radices, std::vector<Term> row0);

  // Tries one digit, two digits, and binary digits before a last one. Absent
  // if none of them fits.
  static std::optional<TranslationInvariant> find(
      int n,
      const RowFunction& row);

  // All n of them; the first one is that of the constant vector.
  std::vector<std::complex<double>> eigenvalues() const;

  // (1/n) sum_{f > 0} (1 - Re character_f(o)) / mu_f: half the effective
  // resistance between workers 0 and o of the Laplacian with these mu.
  double half_resistance(int o, const std::vector<double>& mu) const;

 private:
  // f_1 o_1 n / a_1 + ... mod n: the angle of the character in 1/n turns.
  int phase(int f, int o) const;

  int n_;
  std::vector<int> radices_;
  std::vector<Term> row0_;
  std::vector<std::complex<double>> turns_; // exp(2 pi i t / n)
};

} // namespace grapevine::graph
