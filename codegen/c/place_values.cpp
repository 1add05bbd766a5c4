// Which values of a kernel get a name and which stand where they are used.
#include <algorithm>

#include "codegen/c/body_printer.h"
#include "codegen/loops/visit.h"
#include "ir/support/overloaded.h"

namespace caten::c {
namespace {

/// How far down a block a load may be moved to its only use.
constexpr size_t kMaxMove = 24;

bool is_compare(air::Op op) {
  return air::info(op).has(air::kCompare) || op == air::Op::Max || op == air::Op::Min;
}

}  // namespace

void BodyPrinter::count_uses(const Block& statements) {
  for (const Stmt& stmt : statements) {
    std::visit(Overloaded{
                   [&](const loops::Let& s) {
                     for (ValueId arg : s.args) {
                       use(arg, is_compare(s.op));
                       // Written more than once in the expression.
                       if (s.op == air::Op::Max || s.op == air::Op::Min) {
                         use(arg);
                       }
                     }
                   },
                   [&](const loops::Select& s) {
                     for (ValueId arg : s.args) {
                       use(arg);
                     }
                   },
                   [&](const loops::Store& s) { use(s.value); },
                   [&](const loops::Accumulate& s) {
                     use(s.value);
                     if (s.op == air::ReduceOp::Max || s.op == air::ReduceOp::Min) {
                       use(s.value, true);
                     }
                   },
                   [&](const loops::Bind& s) { use(s.value); },
                   [&](const loops::If& s) {
                     use(s.condition);
                     count_uses(s.body);
                   },
                   [&](const loops::For& s) { count_uses(s.body); },
                   [](const loops::Constant&) {},
                   [](const loops::IndexValue&) {},
                   [](const loops::Load&) {},
                   [](const loops::SortLine&) {},
                   [](const loops::Call&) {},
                   [](const loops::Scratch&) {},
                   [](const loops::Comment&) {},
               },
               stmt.node);
  }
}

void BodyPrinter::find_last_writes() {
  last_write_.assign(kernel_.arrays.size(), 0);
  size_t number = 0;
  loops::for_each_stmt(kernel_.body, [&](const Stmt& stmt) {
    ++number;
    if (const auto* store = std::get_if<loops::Store>(&stmt.node)) {
      last_write_[store->array.index] = number;
    } else if (const auto* sum = std::get_if<loops::Accumulate>(&stmt.node)) {
      last_write_[sum->array.index] = number;
    } else if (const auto* sort = std::get_if<loops::SortLine>(&stmt.node)) {
      last_write_[sort->order.index] = number;
      last_write_[sort->work.index] = number;
    } else if (const auto* call = std::get_if<loops::Call>(&stmt.node)) {
      for (const loops::Call::Pointer& pointer : call->pointers) {
        if (pointer.written) {
          last_write_[pointer.array.index] = number;
        }
      }
    }
  });
}

/// Whether the value stands inside the expression of the next statement: it has no name of its own,
/// is used only there, and is no product (a compiler could contract a product with what uses it).
bool BodyPrinter::is_nested_in_user(const Block& statements, size_t at,
                                    const loops::Let& let) const {
  const bool has_name = style_.labelled && !kernel_.value(let.value).label.empty();
  if (use_[let.value.index].count != 1 || use_[let.value.index].compared ||
      at + 1 == statements.size()) {
    return false;
  }
  size_t next = at + 1;
  while (next + 1 < statements.size() &&
         (std::holds_alternative<loops::Constant>(statements[next].node) ||
          std::holds_alternative<loops::Load>(statements[next].node) ||
          std::holds_alternative<loops::Let>(statements[next].node)) &&
         !uses_value(statements[next], let.value) && next < at + kMaxMove) {
    ++next;
  }
  if (!uses_value(statements[next], let.value)) {
    return false;
  }
  if (std::holds_alternative<loops::Store>(statements[next].node)) {
    return next == at + 1;
  }
  // TinyCC loses the type of narrow casts inside expressions: only float arithmetic nests.
  const bool arithmetic = is_float(kernel_.value(let.value).dtype) && let.op != air::Op::Mul &&
                          let.op != air::Op::Cast && let.op != air::Op::Bitcast &&
                          let.op != air::Op::Where;
  if (has_name || !arithmetic) {
    return false;
  }
  return std::holds_alternative<loops::Let>(statements[next].node) ||
         std::holds_alternative<loops::Accumulate>(statements[next].node);
}

bool BodyPrinter::uses_value(const Stmt& stmt, ValueId value) {
  const auto in = [&](const std::vector<ValueId>& args) {
    return std::find(args.begin(), args.end(), value) != args.end();
  };
  return std::visit(Overloaded{
                        [&](const loops::Let& s) { return in(s.args); },
                        [&](const loops::Select& s) { return in(s.args); },
                        [&](const loops::Store& s) { return s.value == value; },
                        [&](const loops::Accumulate& s) { return s.value == value; },
                        [&](const loops::Bind& s) { return s.value == value; },
                        [&](const loops::If& s) { return s.condition == value; },
                        [](const loops::For&) { return false; },
                        [](const loops::Constant&) { return false; },
                        [](const loops::IndexValue&) { return false; },
                        [](const loops::Load&) { return false; },
                        [](const loops::SortLine&) { return false; },
                        [](const loops::Call&) { return false; },
                        [](const loops::Scratch&) { return false; },
                        [](const loops::Comment&) { return false; },
                    },
                    stmt.node);
}

/// Whether the only use is further down this block with no write to the array between.
bool BodyPrinter::may_move_to_use(const Block& statements, size_t at, ValueId value,
                                  loops::ArrayId array) const {
  if (use_[value.index].count != 1) {
    return false;
  }
  const size_t end = std::min(statements.size(), at + kMaxMove);
  for (size_t i = at + 1; i < end; ++i) {
    if (uses_value(statements[i], value)) {
      return true;
    }
    const bool writes = std::visit(Overloaded{
                                       [&](const loops::Store& s) { return s.array == array; },
                                       [&](const loops::Accumulate& s) { return s.array == array; },
                                       [&](const loops::SortLine& s) { return s.order == array; },
                                       [](const loops::Call&) { return true; },
                                       [&](const loops::If&) { return true; },
                                       [&](const loops::For&) { return true; },
                                       [](const auto&) { return false; },
                                   },
                                   statements[i].node);
    if (writes) {
      return false;
    }
  }
  return false;
}

}  // namespace caten::c
