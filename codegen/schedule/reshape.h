// Index tuples through a reshape.
#pragma once

#include <vector>

#include "codegen/index/index.h"

namespace caten::schedule {

/// Element `tuple` of an array reshaped to `to` is which element of the array of shape `from`?
/// Axes are matched up in groups with equal products, so that only what really changes is
/// linearised and split again.
std::vector<index::ExprId> reshape_tuple(index::Pool& pool, const std::vector<index::ExprId>& tuple,
                                         const std::vector<index::ExprId>& to,
                                         const std::vector<index::ExprId>& from);

}  // namespace caten::schedule
