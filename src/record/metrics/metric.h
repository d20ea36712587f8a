// The measures of how unequal the replicas are, in one table.
//
// A metric is a function of the norms of one tensor on n replicas. The table
// feeds the records (a key a metric), the analysis, the page and its docs, so
// a new metric is a file like gini.cpp and a line in metric_table.cpp.
#pragma once

#include "record/norm_sample.h"

#include <span>
#include <string>
#include <vector>

namespace grapevine::record {

struct Metric {
  std::string name;    // the key in the records: "gini"
  std::string title;   // for people: "Gini coefficient"
  std::string meaning; // one sentence on what it says
  // Of values that are finite and not all equal. What is not finite (a
  // denominator of 0, an overflow) counts as undefined.
  double (*measure)(const NormSample&);
};

// In the order of the records and the page. Names are unique.
const std::vector<Metric>& metric_table();

// Every metric of the table, in its order. At least one value (checked).
// Equal values, all zero among them, give exactly 0; the order of the values
// does not change a bit of the result. A value that is not finite makes all
// of them NaN; one that is undefined is NaN by itself. NaN is null in the
// records. O(n log n).
std::vector<double> measure_all(std::span<const double> values);

} // namespace grapevine::record
