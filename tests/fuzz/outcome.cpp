// Judging elements against an exact value and its disturbed neighbours.
#include "tests/fuzz/outcome.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tests/fuzz/disturb.h"

namespace caten::fuzz {
namespace {

constexpr int kVariants = 5;

/// The distance between neighbouring numbers of the dtype near x.
double unit(DType dtype, double x) {
  int bits = dtype == DType::Float64   ? 52
             : dtype == DType::Float32 ? 23
             : dtype == DType::Float16 ? 10
                                       : 7;
  return x == 0 ? 0 : std::ldexp(1.0, std::ilogb(x) - bits);
}

class Judge {
 public:
  Judge(const Reference& expected, Tally& tally) : expected_(expected), tally_(tally) {}

  /// `select` finds this array in an outcome.
  template <typename Select>
  std::optional<std::string> array(const std::string& what, const Outcome& given, Select select) {
    const air::Array& exact = select(expected_.exact);
    const air::Array& got = select(given);
    if (exact.dtype != got.dtype || exact.shape != got.shape) {
      return fmt::format("{} has another dtype or shape", what);
    }
    std::vector<const air::Array*> disturbed;
    for (const Outcome& outcome : expected_.disturbed) {
      if (outcome.error.empty()) {
        disturbed.push_back(&select(outcome));
      }
    }
    const std::optional<Outcome>& zeros = expected_.unsigned_zeros;
    const air::Array* unsigned_zeros = zeros && zeros->error.empty() ? &select(*zeros) : nullptr;
    for (int64_t i = 0; i < exact.elements(); ++i) {
      sign_is_free_ =
          zeros && (unsigned_zeros == nullptr || !same(unsigned_zeros->at(i), exact.at(i)));
      neighbours_.clear();
      for (const air::Array* array : disturbed) {
        neighbours_.push_back(array->at(i));
      }
      if (!element(exact.at(i), got.at(i))) {
        return fmt::format("{} element {} is {}, expected {}", what, i, got.at(i).to_string(),
                           exact.at(i).to_string());
      }
    }
    return std::nullopt;
  }

 private:
  bool element(Scalar exact, Scalar got) {
    double value = exact.as_double();
    bool moves = false;
    double room = 0;
    for (Scalar neighbour : neighbours_) {
      if (same(neighbour, exact)) {
        continue;
      }
      moves = true;
      double distance = std::abs(neighbour.as_double() - value);
      room = std::max(room, distance);
      if (!is_float(exact.dtype()) || !std::isfinite(distance)) {
        ++tally_.not_judged;
        return true;
      }
    }
    if (!moves) {
      ++tally_.exact;
      const bool zeros = is_float(exact.dtype()) && value == 0 && got.as_double() == 0;
      return same(exact, got) || (zeros && sign_is_free_);
    }
    ++tally_.near;
    return std::abs(got.as_double() - value) <= 4 * room + 2 * unit(exact.dtype(), value);
  }
  static bool same(Scalar a, Scalar b) {
    const bool both_nan =
        is_float(a.dtype()) && std::isnan(a.as_double()) && std::isnan(b.as_double());
    return a == b || both_nan;
  }

  const Reference& expected_;
  Tally& tally_;
  std::vector<Scalar> neighbours_;  // of the element being judged
  bool sign_is_free_ = false;       // of it, should it be zero
};

}  // namespace

Outcome evaluate_outcome(const air::Graph& graph, const air::Environment& environment) {
  air::Environment own = environment;
  Outcome outcome;
  try {
    outcome.outputs = air::evaluate(graph, own);
    outcome.params = std::move(own.params);
  } catch (const air::EvaluateError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

Reference reference(const testing::RandomProgram& program) {
  Reference result{evaluate_outcome(program.graph, program.environment), {}, {}};
  for (int variant = 0; variant < kVariants; ++variant) {
    bool found = false;
    air::Graph graph = disturb(program.graph, variant, found);
    if (!found) {
      break;
    }
    result.disturbed.push_back(evaluate_outcome(graph, program.environment));
  }
  bool found = false;
  const air::Graph unsigned_zeros = disturb(program.graph, kZerosAreNan, found);
  if (found) {
    result.unsigned_zeros = evaluate_outcome(unsigned_zeros, program.environment);
  }
  return result;
}

std::optional<std::string> difference(const Reference& expected, const Outcome& given,
                                      Tally& tally) {
  // An index out of range may lie in a part that nobody needs: then others may well run.
  if (!expected.exact.error.empty()) {
    ++tally.not_judged;
    return std::nullopt;
  }
  if (!given.error.empty()) {
    return fmt::format("fails, expected numbers: {}", given.error);
  }
  Judge judge(expected, tally);
  if (given.outputs.size() != expected.exact.outputs.size()) {
    return fmt::format("{} outputs, expected {}", given.outputs.size(),
                       expected.exact.outputs.size());
  }
  for (size_t i = 0; i < given.outputs.size(); ++i) {
    auto select = [i](const Outcome& outcome) -> const air::Array& { return outcome.outputs[i]; };
    if (auto wrong = judge.array(fmt::format("output {}", i), given, select)) {
      return wrong;
    }
  }
  for (const auto& [storage, array] : given.params) {
    int which = storage;
    auto select = [which](const Outcome& outcome) -> const air::Array& {
      return outcome.params.at(which);
    };
    if (auto wrong = judge.array(fmt::format("parameter {}", which), given, select)) {
      return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace caten::fuzz
