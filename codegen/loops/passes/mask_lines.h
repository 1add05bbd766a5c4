// Masks that compare positions: from which column on a condition of a row is false.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "codegen/loops/visit.h"

namespace caten::loops {

/// Where values are defined.
using Definitions = std::map<uint32_t, const Stmt*>;

/// Arrays of bools that a kernel fills once, as functions of their index.
class StoredMasks {
 public:
  struct Mask {
    std::vector<For> loops;  // around the store, without their bodies
    Block body;              // defines the value, in scopes that end here
    ExprId index;
    ValueId value;
  };
  explicit StoredMasks(const Kernel& kernel);
  const Mask* find(ArrayId array) const;

 private:
  void collect(const Block& block, std::vector<For>& loops, std::vector<const Stmt*>& defined,
               const Kernel& kernel);

  std::map<uint32_t, Mask> masks_;
  std::set<uint32_t> rewritten_;  // more often than once
};

/// The loops over rows and over columns of a matrix.
struct Grid {
  RangeId row;
  ExprId rows;
  RangeId column;
  ExprId columns;
};

/// slope * column + rest >= 0 where a condition may hold; the slope is negative.
struct MaskLine {
  ExprId rest;  // over the row
  int64_t slope = -1;
  friend bool operator==(const MaskLine&, const MaskLine&) = default;
};

class MaskReader {
 public:
  MaskReader(index::Pool& pool, const Kernel& kernel, const StoredMasks& masks,
             const std::map<uint32_t, Constant>& constants)
      : pool_(pool), kernel_(kernel), masks_(masks), constants_(constants) {}

  /// The condition is false above the line; nullopt when no such line is found.
  std::optional<MaskLine> line(ValueId condition, const Definitions& defined, const Grid& grid);

 private:
  /// What defines a value: here, or where an array of masks was filled.
  struct Scope {
    const Definitions* defined;
    index::Pool::Substitution ranges;  // to those of the grid
  };
  std::optional<ExprId> visible_if(ValueId condition, const Scope& scope, const Grid& grid);
  std::optional<ExprId> stored_mask(const Load& load, const Grid& grid);
  std::optional<ExprId> position(ValueId value, const Scope& scope);
  std::optional<ExprId> offset(const Constant& number);
  const Constant* constant(ValueId value, const Scope& scope) const;
  ExprId step(ExprId expr, RangeId range);

  index::Pool& pool_;
  const Kernel& kernel_;
  const StoredMasks& masks_;
  const std::map<uint32_t, Constant>& constants_;
  int steps_ = 0;
};

}  // namespace caten::loops
