// The columns of a row that a mask leaves visible: a softmax gives the others no weight, so that
// neither the scores of these nor their products with values are wanted. See Note [visible columns]
// in visible_columns.cpp.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "codegen/loops/passes/mask_lines.h"

namespace caten::loops {

/// Of one row of the loop over rows.
struct VisibleColumns {
  ExprId end;         // columns from here on are hidden; it may lie outside of the row
  bool grows = true;  // the end of a later row is at least that of an earlier one
  std::set<uint32_t>
      arrays;  // scratch with an element per column, of which only visible ones count

  bool touched_by(const Block& block) const;
};

/// An iteration of `row_loop`: what comes before a product that sets `scores`, what comes between
/// that and a product of `weights` with values. Both are scratch with an element per column.
struct RowOfScores {
  const For* row_loop;
  ArrayId scores;
  ArrayId weights;
  ExprId columns;
  const Block* before;
  const Block* between;
};
std::optional<VisibleColumns> visible_columns(index::Pool& pool, const Kernel& kernel,
                                              const StoredMasks& masks,
                                              const std::map<uint32_t, Constant>& constants,
                                              const RowOfScores& row);

}  // namespace caten::loops
