// The generator behind random_graph(): its state and one member per kind of step. The steps are in
// random_graph.cpp (leaves, elementwise), random_graph_movement.cpp and random_graph_indexed.cpp.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "ir/air/builder.h"
#include "ir/support/check.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_source.h"

namespace caten::testing {

using air::NodeId;
using air::Op;

inline constexpr std::array kAllDTypes = {
#define CATEN_DTYPE(name, text, cls, bytes, c_type) DType::name,
#include "ir/dtypes.def"
#undef CATEN_DTYPE
};

std::vector<Op> ops_of(air::OpClass cls);

class GraphGenerator {
 public:
  GraphGenerator(uint64_t seed, const RandomGraphOptions& options)
      : random_(seed), options_(options), builder_(program_.graph) {
    program_.seed = seed;
  }

  RandomProgram run() {
    program_.environment.symbols = {{"n", random_.between(0, 6)}, {"m", random_.between(1, 9)}};
    for (int64_t i = random_.between(1, 3); i > 0; --i) {
      keep(leaf(random_shape(), random_.pick(std::span<const DType>(kAllDTypes))));
    }
    for (int step = 0; step < options_.nodes; ++step) {
      this->step();
    }
    choose_outputs();
    return std::move(program_);
  }

 private:
  using Step = void (GraphGenerator::*)();
  struct Weighted {
    int weight;
    Step step;
  };

  void step();
  void choose_outputs();

  // One kind of step each.
  void new_leaf() { keep(leaf(random_shape(), random_dtype())); }
  void unary();
  void binary();
  void where();
  void cast() { keep(builder_.cast(any(), random_dtype())); }
  void bitcast();
  void reshape();
  void permute();
  void expand();
  void slice();
  void pad();
  void concat();
  void reduce();
  void arg_reduce();
  void gather();
  void take_along();
  void scatter();
  void scan();
  void sort();
  void assign();

  /// By value: shapes of nodes move when nodes are made.
  NodeId leaf(Shape shape, DType dtype);
  NodeId fit(NodeId x, Shape shape, DType dtype);
  NodeId without_nan(NodeId x);
  NodeId indices(NodeId raw, const Dim& size);
  std::optional<std::pair<NodeId, int>> line();
  Shape random_shape();
  Dim random_size();
  air::SliceAxis random_slice(const Dim& size);
  DType random_dtype() { return random_.pick(std::span<const DType>(kAllDTypes)); }
  NodeId any() { return pool_[static_cast<size_t>(random_.below(pool_size()))]; }
  /// A node that `wanted` accepts, if a few tries find one.
  template <typename Wanted>
  std::optional<NodeId> find(Wanted wanted) {
    for (int i = 0; i < 8; ++i) {
      NodeId id = any();
      if (wanted(node(id))) {
        return id;
      }
    }
    return std::nullopt;
  }
  void keep(NodeId id) { pool_.push_back(id); }
  int64_t pool_size() const { return static_cast<int64_t>(pool_.size()); }
  const air::Node& node(NodeId id) const { return program_.graph[id]; }

  int64_t value(const Dim& dim) const {
    std::optional<int64_t> result =
        dim.evaluate([this](std::string_view name) -> std::optional<int64_t> {
          return program_.environment.symbols.at(std::string(name));
        });
    CATEN_CHECK(result.has_value(), "size {} has no value", dim.to_string());
    return *result;
  }
  std::vector<int64_t> values(const Shape& shape) const {
    std::vector<int64_t> result;
    for (const Dim& size : shape) {
      result.push_back(value(size));
    }
    return result;
  }
  int64_t elements(const Shape& shape) const {
    int64_t product = 1;
    for (int64_t size : values(shape)) {
      product *= size;
    }
    return product;
  }
  bool small_enough(const Shape& shape) const { return elements(shape) <= options_.elements; }

  RandomSource random_;
  const RandomGraphOptions& options_;
  RandomProgram program_;
  air::Builder builder_;
  std::vector<NodeId> pool_;      // what steps may use
  std::vector<NodeId> versions_;  // newest version of each written Param
  int inputs_ = 0;
};

}  // namespace caten::testing
