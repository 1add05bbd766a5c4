// Buffers of the program: sizes as postfix expressions, temporaries packed into one arena.
#pragma once

#include <vector>

#include "codegen/loops/loops.h"
#include "runtime/program.h"

namespace caten::codegen {

runtime::SizeExpr size_expr(const index::Pool& pool, index::ExprId expr);

/// Fills in program.buffers, inputs, outputs and arena_bytes. Temporaries that are alive at the
/// same time do not overlap, whatever the symbols are.
void plan_memory(loops::Module& module, runtime::Program& program);

}  // namespace caten::codegen
