// Who reads what of whom, and along which loops.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "codegen/schedule/schedule.h"

namespace caten::schedule {

/// A statement reads the result of `producer`. For each spatial range of the producer: the range of
/// the reader that is its coordinate in every read, if there is one.
struct Flow {
  StatementId producer;
  std::vector<RangeId> spatial;                 // of the producer
  std::vector<std::optional<RangeId>> aligned;  // of the reader

  std::optional<RangeId> aligned_with(RangeId range) const {
    for (size_t i = 0; i < spatial.size(); ++i) {
      if (spatial[i] == range) {
        return aligned[i];
      }
    }
    return std::nullopt;
  }
  int aligned_count() const {
    return static_cast<int>(
        std::count_if(aligned.begin(), aligned.end(), [](const auto& r) { return r.has_value(); }));
  }
};

/// A read of an array whose coordinate along `axis` is exactly `range`.
struct Read {
  ArrayId array;
  size_t axis = 0;
  RangeId range;
};

struct Dependences {
  std::vector<Flow> flows;
  /// Statements that read, of what this one overwrites, exactly the elements at its own
  /// coordinates: for each spatial range of such a reader (`producer`) the range of this statement.
  /// Like a flow, it allows to share the loops that are aligned.
  std::vector<Flow> overwrites;
  std::vector<Read> reads;
  /// A sum over products in which some operand is used for many results.
  bool contraction = false;
  /// A contraction large enough for packed panels: rows that one operand lacks, columns that
  /// another lacks, and terms.
  bool matrix_product = false;
  /// Of a contraction: the spatial ranges that every operand walks.
  std::vector<RangeId> batches;
  /// The reduce loops belong outside the last spatial loop: that one walks memory in order.
  bool reduce_outside = false;
};

/// The reader among `overwrites`, or null when all its reads have to be done before.
const Flow* find_overwrite(const Dependences& dependences, StatementId reader);

/// One per statement.
std::vector<Dependences> find_dependences(Schedule& schedule);

}  // namespace caten::schedule
