// Pat: a pattern (left side of a rule) or a template (right side) as an ordinary value, built by
// operators: `x + 0`, `(x + c0) + c1`, `where(c, x, x)`. x, y, z match any node, c0, c1 match
// constants, a number matches a constant of that value. A name that occurs twice must match the
// same node twice.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/air/air.h"

namespace caten::rewrite {

class Pat {
 public:
  enum class Kind : uint8_t {
    Any,         // a variable
    Constant,    // a variable that matches Const only
    Literal,     // Const of this number
    Apply,       // an op on patterns; attributes are not looked at
    Fold,        // right side only: the constant that args[0] computes
    AllConstant  // any elementwise op whose inputs are all Const
  };
  struct Rep {
    Kind kind = Kind::Any;
    std::string_view name;
    size_t slot = 0;
    double number = 0;
    air::Op op = air::Op::Const;
    std::vector<Pat> args;
  };

  Pat(double number);  // NOLINT(google-explicit-constructor): `x + 0` reads as it should
  static Pat variable(Kind kind, std::string_view name, size_t slot);
  static Pat apply(air::Op op, std::vector<Pat> args);
  static Pat fold(Pat expression);
  static Pat all_constant();

  const Rep& operator*() const { return *rep_; }
  const Rep* operator->() const { return rep_.get(); }
  /// "(x + c0) + c1", "max(x, x)".
  std::string to_string() const;

 private:
  explicit Pat(Rep rep) : rep_(std::make_shared<const Rep>(std::move(rep))) {}
  std::shared_ptr<const Rep> rep_;
};

inline constexpr size_t kSlots = 6;

/// What a left side matched. `root` is about to be made: it is not in the graph yet, its inputs
/// are.
struct Match {
  const air::Graph& graph;
  const air::Node& root;
  std::array<air::NodeId, kSlots> bound{};

  air::NodeId operator[](const Pat& variable) const { return bound[variable->slot]; }
  const air::Node& node(const Pat& variable) const { return graph[bound[variable->slot]]; }
  const Scalar& value(const Pat& constant) const {
    return node(constant).get<air::ConstAttr>().value;
  }
  /// Input `i` of the root.
  const air::Node& input(size_t i) const { return graph[root.inputs[i]]; }
};

/// Tries `pattern` on match.root, in both orders for commutative ops; fills match.bound.
bool matches(const Pat& pattern, Match& match);

/// The names that rule tables use.
namespace names {

inline const Pat x = Pat::variable(Pat::Kind::Any, "x", 0);
inline const Pat y = Pat::variable(Pat::Kind::Any, "y", 1);
inline const Pat z = Pat::variable(Pat::Kind::Any, "z", 2);
inline const Pat c0 = Pat::variable(Pat::Kind::Constant, "c0", 3);
inline const Pat c1 = Pat::variable(Pat::Kind::Constant, "c1", 4);

inline Pat operator+(const Pat& a, const Pat& b) {
  return Pat::apply(air::Op::Add, {a, b});
}
inline Pat operator-(const Pat& a, const Pat& b) {
  return Pat::apply(air::Op::Sub, {a, b});
}
inline Pat operator*(const Pat& a, const Pat& b) {
  return Pat::apply(air::Op::Mul, {a, b});
}
inline Pat operator/(const Pat& a, const Pat& b) {
  return Pat::apply(air::Op::Div, {a, b});
}
inline Pat operator&(const Pat& a, const Pat& b) {
  return Pat::apply(air::Op::And, {a, b});
}
inline Pat operator|(const Pat& a, const Pat& b) {
  return Pat::apply(air::Op::Or, {a, b});
}
inline Pat operator^(const Pat& a, const Pat& b) {
  return Pat::apply(air::Op::Xor, {a, b});
}
inline Pat operator-(const Pat& a) {
  return Pat::apply(air::Op::Neg, {a});
}
inline Pat operator~(const Pat& a) {
  return Pat::apply(air::Op::Not, {a});
}
/// Any other op: `of(Op::Max, x, y)`.
template <typename... Args>
Pat of(air::Op op, Args... args) {
  return Pat::apply(op, {Pat(args)...});
}
inline Pat fold(const Pat& expression) {
  return Pat::fold(expression);
}

}  // namespace names
}  // namespace caten::rewrite
