// What a program gave on one backend, and whether two outcomes are the same numbers.
//
// Float sums and products may be added up in any order, so what depends on one has no single right
// value (nor does a zero from a maximum have a sign). The reference is therefore evaluated several
// times, each reduction disturbed by as much as reordering may change it: an element that stays the
// same must come out bit for bit, one that moves gets that much room, one whose value jumps (a
// comparison flips, a sum overflows) is not judged. Signs of zeros are free one by one, which no
// few variants try out: a zero may have the other sign where it depends on one of these.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/air/evaluate.h"
#include "tests/support/random_graph.h"

namespace caten::fuzz {

struct Outcome {
  std::vector<air::Array> outputs{};
  std::map<int, air::Array> params{};  // after the run
  std::string error{};                 // not empty: the run was refused, there is nothing else
};

struct Reference {
  Outcome exact;
  std::vector<Outcome> disturbed;
  std::optional<Outcome> unsigned_zeros;  // with NaN for every zero whose sign is free
};

struct Tally {
  int64_t exact = 0;
  int64_t near = 0;
  int64_t not_judged = 0;
};

Outcome evaluate_outcome(const air::Graph& graph, const air::Environment& environment);
Reference reference(const testing::RandomProgram& program);

/// What is wrong, with output and element named; nullopt when nothing is.
std::optional<std::string> difference(const Reference& expected, const Outcome& given,
                                      Tally& tally);

}  // namespace caten::fuzz
