// Random AIR programs over all ops and dtypes, with data to run them on: what the fuzz tests of
// rules, passes, backends and emitted C start from. The same seed gives the same program.
#pragma once

#include <cstdint>
#include <string>

#include "ir/air/air.h"
#include "ir/air/evaluate.h"

namespace caten::testing {

struct RandomGraphOptions {
  int nodes = 14;           // steps; a step may add a few nodes more
  int64_t elements = 2000;  // limit for one array
  bool symbols = true;      // symbolic sizes
  bool assigns = true;      // Params that are written
  bool wild_values = true;  // NaN, infinities, subnormals, extreme integers among the data
};

struct RandomProgram {
  uint64_t seed = 0;
  air::Graph graph;
  /// Sizes, inputs and parameters that fit the graph; all its checks hold.
  air::Environment environment;
};

RandomProgram random_program(uint64_t seed, const RandomGraphOptions& options = {});

/// Random elements of a dtype.
air::Array random_array(uint64_t seed, DType dtype, std::vector<int64_t> shape, bool wild_values);

/// The program as text: graph, sizes and the bits of small inputs.
std::string describe(const RandomProgram& program);

}  // namespace caten::testing
