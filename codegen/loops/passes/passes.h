// Passes over loop nests: each a free function; run, timed, verified and dumped by the pipeline.
#pragma once

#include "codegen/loops/loops.h"

namespace caten::loops {

/// Nested loops whose indices are jointly contiguous become one loop.
Module collapse(Module module);
/// Temporaries computed element by element from others that end there are computed in place.
Module reuse(Module module);
/// Float sums run in at least eight partial sums: precision, and vectors for the C compiler.
Module partial_sums(Module module);
/// Moves computations out of loops that they do not depend on.
Module hoist(Module module);
/// Of these only indices that come from elements, and what they need.
Module hoist_indices(Module module);
/// Searches for the first extreme become an extreme and a search for it.
Module first_extreme(Module module);
/// Loops that bind an index become loops around the binds, and loops without.
Module distribute(Module module);
/// Computations that a block or one around it has are not repeated.
Module common_values(Module module);
/// Loops with independent iterations that are worth several threads become parallel loops.
Module parallel(Module module);
/// Sums of products over enough elements become packed matrix multiplications.
Module contract(Module module);
/// The same where threads have no memory of their own.
Module contract_shared(Module module);
/// Reductions over few terms inside long loops become straight-line code.
Module unroll(Module module);
/// Loads across memory become loads of blocks that are copied, turned.
Module transpose(Module module);
/// Innermost loops that vector routines can run become strip loops.
Module strip(Module module);
/// Drops values nobody uses, scratch nobody reads, loops that do nothing.
Module dead_code(Module module);
/// Kernels that do the same as an earlier one become references to it: see Kernel::same_as.
Module share_kernels(Module module);
/// The module's buffers that a kernel is called with, in the order of its arguments; may add some.
std::vector<int> buffers_of(Module& module, const Kernel& kernel);
/// Loops are cut where a guard in them changes.
Module split_guards(Module module);
/// Scratch that is too large for the stack, or of symbolic size, becomes a temporary buffer.
Module spill_scratch(Module module);
/// The same where threads have no memory of their own: parallel loops that would need it are
/// serial.
Module spill_shared(Module module);

}  // namespace caten::loops
