// Common values: what a block, or one around it, has computed already is not computed again.
//
// The walk over statements makes equal computations one value as far as it sees them; hoisting
// brings more of them together: what one loop needed of a row and what the row itself needs.
// Integers that turn out to be compared with themselves are decided then; what only they used goes.
#include <map>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"
#include "ir/support/overloaded.h"

namespace caten::loops {
namespace {

class Sharer {
 public:
  explicit Sharer(Kernel& kernel) : kernel_(kernel) {}

  void block(Block& statements) {
    scopes_.emplace_back();
    Block out;
    out.reserve(statements.size());
    for (Stmt& stmt : statements) {
      for_each_operand(stmt, [&](ValueId& operand) {
        if (const auto same = same_.find(operand.index); same != same_.end()) {
          operand = same->second;
        }
      });
      decide(stmt);
      if (std::optional<Key> key = key_of(stmt)) {
        const ValueId value = *defined_by(stmt);
        if (const std::optional<ValueId> known = find(*key)) {
          same_.emplace(value.index, *known);
          continue;
        }
        scopes_.back().emplace(std::move(*key), value);
      } else if (Block* body = body_of(stmt)) {
        block(*body);
      }
      out.push_back(std::move(stmt));
    }
    statements = std::move(out);
    scopes_.pop_back();
  }

 private:
  /// An integer compared with itself is known now.
  void decide(Stmt& stmt) const {
    const auto* let = std::get_if<Let>(&stmt.node);
    if (let != nullptr && air::info(let->op).has(air::kCompare) && let->args[0] == let->args[1] &&
        !is_float(kernel_.value(let->args[0]).dtype)) {
      const bool holds = let->op == air::Op::Le || let->op == air::Op::Eq;
      stmt.node = Constant{let->value, Scalar::of_int(DType::Bool, holds ? 1 : 0)};
    }
  }

  /// What is computed: the kind of statement, the dtype, what tells it from others of the kind, and
  /// operands, indices and guards as numbers.
  using Key = std::tuple<size_t, DType, uint64_t, std::vector<uint32_t>>;

  std::optional<ValueId> find(const Key& key) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto known = scope->find(key); known != scope->end()) {
        return known->second;
      }
    }
    return std::nullopt;
  }

  std::optional<Key> key_of(const Stmt& stmt) const {
    const auto key = [&](ValueId value, uint64_t detail, std::vector<uint32_t> parts) {
      return Key{stmt.node.index(), kernel_.value(value).dtype, detail, std::move(parts)};
    };
    const auto add = [](std::vector<uint32_t>& parts, const Guard& guard) {
      for (ExprId expr : guard) {
        parts.push_back(expr.index);
      }
    };
    if (const auto* let = std::get_if<Let>(&stmt.node)) {
      std::vector<uint32_t> parts;
      for (ValueId arg : let->args) {
        parts.push_back(arg.index);
      }
      return key(let->value, static_cast<uint64_t>(let->op), std::move(parts));
    }
    if (const auto* constant = std::get_if<Constant>(&stmt.node)) {
      return key(constant->value, constant->scalar.bits(), {});
    }
    if (const auto* index = std::get_if<IndexValue>(&stmt.node)) {
      std::vector<uint32_t> parts = {index->index.index};
      add(parts, index->guard);
      return key(index->value, 0, std::move(parts));
    }
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      if (kernel_.array(load->array).written) {
        return std::nullopt;  // it may hold something else by now
      }
      std::vector<uint32_t> parts = {load->index.index};
      add(parts, load->guard);
      return key(load->value, load->array.index, std::move(parts));
    }
    return std::nullopt;
  }

  Kernel& kernel_;
  std::vector<std::map<Key, ValueId>> scopes_;
  std::unordered_map<uint32_t, ValueId> same_;
};

}  // namespace

Module common_values(Module module) {
  for (Kernel& kernel : module.kernels) {
    Sharer(kernel).block(kernel.body);
  }
  return dead_code(std::move(module));  // what only such comparisons used
}

}  // namespace caten::loops
