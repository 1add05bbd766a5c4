// The cost model: every constant that decides what is recomputed, what shares a kernel and how
// loops are cut, with why. None of them changes numbers beyond the order of sums; the fuzz driver
// draws the decisions at random.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/decisions.h"
#include "ir/support/cache_sizes.h"

namespace caten::codegen {

// Work of one op, in units of a plain one. A transcendental function is some tens of plain ops, and
// must exceed every bound below: it is never recomputed.
inline constexpr int kTranscendentalOps = 64;
inline constexpr int kDivisionOps = 4;  // also square roots and remainders: the divider is as slow
inline constexpr int kIndexedOps = 2;   // a load whose index is loaded

/// More uses than one: recomputing up to this many ops costs less than a store and a load each.
inline constexpr int kCheapOps = 4;
/// Elements read repeatedly (broadcast, gather): up to this many are recomputed at each read, since
/// the load that is saved is most likely in the first-level cache.
inline constexpr int kCheapRepeatedOps = 2;
/// Elements that a reduction reads through divided indices (blocks with a scale each, in a row):
/// beyond this many ops they are stored first, in loops of their own over the parts. A division or
/// two per element cost more than the store and the load.
inline constexpr int kCheapDividedOps = 6;
/// Index tuples that have grown beyond this many terms are cut by storing the value they index:
/// evaluating them would cost more than the load.
inline constexpr int kMaxTupleComplexity = 96;

/// Kernels stop growing here, so that one scalar (a loss, a gradient norm) does not chain a whole
/// program together.
inline constexpr size_t kMaxKernelStatements = 64;
/// How many kernels a search for a cycle may visit before it gives up and assumes one: compilation
/// stays linear in the number of layers.
inline constexpr int kMaxCycleSearch = 256;

/// The sizes that loops are cut into.
struct Tiling {
  /// Elements of a strip: what a few of them need stays in the first-level cache.
  int64_t strip = 512;
  /// Known loops shorter than this stay scalar: a call costs about as much as ten iterations of a
  /// few statements. Shorter ones of many statements (windows) run in strips, too.
  int64_t min_strip_loop = 16;
  static constexpr int64_t kFewStatements = 4;
  static constexpr int64_t kFewIterations = 6;
  bool is_worth_a_strip(int64_t iterations, int64_t statements) const {
    return iterations >= min_strip_loop ||
           (iterations >= kFewIterations &&
            iterations * statements >= kFewStatements * min_strip_loop);
  }
  /// Rows of a block of a matrix product: a multiple of the micro-kernel's twelve; the block of
  /// results stays in the second-level cache.
  int64_t block_rows = 48;
  /// Columns of a block of a matrix product, about: what comes after the sums finds them in the
  /// cache.
  int64_t block_columns = 256;
  /// Packed columns of a block of columns only, and its results, take this at most.
  int64_t block_bytes = cache_sizes().second / 2;
  /// Products of few rows and at least so many columns are cut into blocks of columns only.
  int64_t many_columns = 512;
  /// A matrix product below any of these does not repay the packing of its operands.
  int64_t min_rows = 8;
  int64_t min_columns = 16;
  int64_t min_terms = 8;
  /// Scratch of a kernel beyond this is arena memory; a thread's stack is 8 MB, a worker's less.
  int64_t scratch_bytes = 256 * 1024;
  /// Loops known to take fewer picoseconds than this stay on one thread: waking another takes a few
  /// microseconds.
  int64_t parallel_cost = 50'000'000;
  /// Iterations of an innermost loop that make one chunk of a parallel one: a multiple of the
  /// strip.
  int64_t parallel_block = 8192;

  /// The defaults, or what random decisions make of them.
  static Tiling chosen(Decisions& decisions) {
    Tiling t;
    t.strip = decisions.pick(t.strip, {3, 32, 100});
    t.min_strip_loop = decisions.pick(t.min_strip_loop, {2, 1000});
    t.block_rows = decisions.pick(t.block_rows, {6, 18});
    t.block_columns = decisions.pick(t.block_columns, {16, 64});
    t.many_columns = decisions.pick(t.many_columns, {2, 64});
    t.min_rows = decisions.pick(t.min_rows, {2, 4});
    t.min_columns = decisions.pick(t.min_columns, {2, 4});
    t.min_terms = decisions.pick(t.min_terms, {2, 4});
    t.scratch_bytes = decisions.pick(t.scratch_bytes, {0, 64});
    t.parallel_cost = decisions.pick(t.parallel_cost, {0});
    t.parallel_block = decisions.pick(t.parallel_block, {5, 64});
    return t;
  }
};

/// Random decisions against the model: one in so many.
inline constexpr uint64_t kRarely = 8;
/// At random values are recomputed only while a program has fewer than these.
inline constexpr size_t kMaxRandomValues = 2000;

}  // namespace caten::codegen
