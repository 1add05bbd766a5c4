// Walking loop statements: what a statement defines, uses and contains.
#pragma once

#include <optional>
#include <type_traits>
#include <unordered_map>

#include "codegen/loops/loops.h"
#include "ir/support/overloaded.h"

namespace caten::loops {

/// The body of a For or If, else nullptr.
inline Block* body_of(Stmt& stmt) {
  if (auto* loop = std::get_if<For>(&stmt.node)) {
    return &loop->body;
  }
  if (auto* branch = std::get_if<If>(&stmt.node)) {
    return &branch->body;
  }
  return nullptr;
}
inline const Block* body_of(const Stmt& stmt) {
  return body_of(const_cast<Stmt&>(stmt));
}

/// The value that the statement itself defines.
inline std::optional<ValueId> defined_by(const Stmt& stmt) {
  return std::visit(Overloaded{
                        [](const Let& s) { return std::optional(s.value); },
                        [](const Constant& s) { return std::optional(s.value); },
                        [](const IndexValue& s) { return std::optional(s.value); },
                        [](const Load& s) { return std::optional(s.value); },
                        [](const Select& s) { return std::optional(s.value); },
                        [](const auto&) { return std::optional<ValueId>(); },
                    },
                    stmt.node);
}

/// Calls f(ValueId&) on every operand of the statement itself, not of its body.
template <typename S, typename F>
void for_each_operand(S& stmt, F f) {
  std::visit(Overloaded{
                 [&](std::conditional_t<std::is_const_v<S>, const Let, Let>& s) {
                   for (auto& arg : s.args) {
                     f(arg);
                   }
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const Select, Select>& s) {
                   for (auto& arg : s.args) {
                     f(arg);
                   }
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const Store, Store>& s) { f(s.value); },
                 [&](std::conditional_t<std::is_const_v<S>, const Accumulate, Accumulate>& s) {
                   f(s.value);
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const Bind, Bind>& s) { f(s.value); },
                 [&](std::conditional_t<std::is_const_v<S>, const If, If>& s) { f(s.condition); },
                 [](const Constant&) {},
                 [](const IndexValue&) {},
                 [](const Load&) {},
                 [](const SortLine&) {},
                 [](const Call&) {},
                 [](const Scratch&) {},
                 [](const For&) {},
                 [](const Comment&) {},
             },
             stmt.node);
}

/// Calls f(ExprId&) on every index expression of the statement itself, not of its body.
template <typename S, typename F>
void for_each_expr(S& stmt, F f) {
  const auto each = [&](auto& list) {
    for (auto& expr : list) {
      f(expr);
    }
  };
  std::visit(Overloaded{
                 [&](std::conditional_t<std::is_const_v<S>, const IndexValue, IndexValue>& s) {
                   f(s.index);
                   each(s.guard);
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const Load, Load>& s) {
                   f(s.index);
                   each(s.guard);
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const Select, Select>& s) {
                   for (auto& guard : s.cases) {
                     each(guard);
                   }
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const Store, Store>& s) { f(s.index); },
                 [&](std::conditional_t<std::is_const_v<S>, const Accumulate, Accumulate>& s) {
                   f(s.index);
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const Bind, Bind>& s) {
                   f(s.offset);
                   each(s.guard);
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const SortLine, SortLine>& s) {
                   f(s.order_index);
                   f(s.order_stride);
                   f(s.keys_index);
                   f(s.keys_stride);
                   f(s.count);
                   f(s.wanted);
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const Call, Call>& s) {
                   for (auto& pointer : s.pointers) {
                     f(pointer.index);
                   }
                   each(s.numbers);
                 },
                 [&](std::conditional_t<std::is_const_v<S>, const For, For>& s) {
                   f(s.lo);
                   f(s.hi);
                 },
                 [](const Let&) {},
                 [](const Constant&) {},
                 [](const Scratch&) {},
                 [](const If&) {},
                 [](const Comment&) {},
             },
             stmt.node);
}

/// Calls f on every statement of the block and of the blocks inside it, outer ones first.
template <typename F>
void for_each_stmt(const Block& block, F f) {
  for (const Stmt& stmt : block) {
    f(stmt);
    if (const Block* body = body_of(stmt)) {
      for_each_stmt(*body, f);
    }
  }
}

/// The buffers that a kernel touches, in argument order.
std::vector<ArrayId> arguments_of(const Kernel& kernel);

/// Copies of statements with fresh values, ranges and scratch arrays, and index expressions
/// rewritten.
class Cloner {
 public:
  Cloner(index::Pool& pool, Kernel& kernel, index::Pool::Substitution ranges)
      : pool_(pool), kernel_(kernel), ranges_(std::move(ranges)) {}

  Block clone(const Block& block);
  /// What a value of the original is in the copy.
  ValueId value(ValueId original) const;

 private:
  Stmt clone(const Stmt& stmt);

  index::Pool& pool_;
  Kernel& kernel_;
  index::Pool::Substitution ranges_;
  std::unordered_map<uint32_t, ValueId> values_;
  std::unordered_map<uint32_t, ArrayId> arrays_;
};

}  // namespace caten::loops
