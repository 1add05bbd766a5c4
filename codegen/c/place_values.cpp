// Which values of a kernel get a name and which stand where they are used.
#include <algorithm>

#include "codegen/c/body_printer.h"
#include "codegen/loops/visit.h"
#include "ir/support/overloaded.h"

namespace caten::c {
namespace {

/// How far down a block a load may be moved to its only use.
constexpr size_t kMaxMove = 24;

/// Calls f on every array that the statement itself writes.
template <typename F>
void for_each_written(const Stmt& stmt, F f) {
  if (const auto* store = std::get_if<loops::Store>(&stmt.node)) {
    f(store->array);
  } else if (const auto* sum = std::get_if<loops::Accumulate>(&stmt.node)) {
    f(sum->array);
  } else if (const auto* sort = std::get_if<loops::SortLine>(&stmt.node)) {
    f(sort->order);
    f(sort->work);
  } else if (const auto* call = std::get_if<loops::Call>(&stmt.node)) {
    for (const loops::Call::Pointer& pointer : call->pointers) {
      if (pointer.written) {
        f(pointer.array);
      }
    }
  }
}

bool is_compare(air::Op op) {
  return air::info(op).has(air::kCompare) || op == air::Op::Max || op == air::Op::Min;
}

}  // namespace

void BodyPrinter::count_uses(const Block& statements) {
  for (const Stmt& stmt : statements) {
    loops::for_each_operand(stmt, [&](ValueId operand) { ++use_[operand.index].operands; });
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
                   [&](const loops::Constant& s) { constants_.emplace(s.value.index, s.scalar); },
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

void BodyPrinter::find_writes() {
  last_write_.assign(kernel_.arrays.size(), 0);
  writes_.assign(kernel_.arrays.size(), 0);
  declared_by_store_.assign(kernel_.arrays.size(), false);
  size_t number = 0;
  loops::for_each_stmt(kernel_.body, [&](const Stmt& stmt) {
    ++number;
    for_each_written(stmt, [&](loops::ArrayId array) {
      last_write_[array.index] = number;
      ++writes_[array.index];
    });
  });
}

/// Whether the declaration of a scalar waits for the store that gives it its first value.
bool BodyPrinter::is_declared_by_store(const Block& statements, size_t at,
                                       loops::ArrayId array) const {
  if (!kernel_.array(array).is_scalar) {
    return false;
  }
  const auto touches = [&](const Stmt& stmt) {
    bool found = false;
    for_each_written(stmt, [&](loops::ArrayId written) { found |= written == array; });
    if (const auto* load = std::get_if<loops::Load>(&stmt.node)) {
      found |= load->array == array;
    } else if (const auto* sort = std::get_if<loops::SortLine>(&stmt.node)) {
      found |= sort->keys == array;
    } else if (const auto* call = std::get_if<loops::Call>(&stmt.node)) {
      for (const loops::Call::Pointer& pointer : call->pointers) {
        found |= pointer.array == array;
      }
    }
    return found;
  };
  for (size_t i = at + 1; i < statements.size(); ++i) {
    if (std::holds_alternative<loops::Store>(statements[i].node) && touches(statements[i])) {
      return true;
    }
    bool inside = touches(statements[i]);
    if (const Block* body = loops::body_of(statements[i])) {
      loops::for_each_stmt(*body, [&](const Stmt& stmt) { inside |= touches(stmt); });
    }
    if (inside) {
      return false;
    }
  }
  return false;
}

/// Whether a bool stands as a condition in its only user. Nothing between the two may change what
/// it reads.
bool BodyPrinter::is_condition(const Block& statements, size_t at, const loops::Let& let) const {
  if (style_.dialect != DialectKind::C99 || kernel_.value(let.value).dtype != DType::Bool ||
      use_[let.value.index].count != 1) {
    return false;
  }
  const bool logical = let.op == air::Op::And || let.op == air::Op::Or || let.op == air::Op::Not;
  if (!logical && !air::info(let.op).has(air::kCompare)) {
    return false;
  }
  const size_t end = std::min(statements.size(), at + kMaxMove);
  for (size_t i = at + 1; i < end; ++i) {
    const Stmt& stmt = statements[i];
    const auto* user = std::get_if<loops::Let>(&stmt.node);
    if (uses_value(stmt, let.value)) {
      if (user == nullptr) {
        return std::holds_alternative<loops::If>(stmt.node);
      }
      const bool combines =
          user->op == air::Op::And || user->op == air::Op::Or || user->op == air::Op::Not;
      return user->op == air::Op::Where
                 ? user->args[0] == let.value
                 : combines && kernel_.value(user->value).dtype == DType::Bool;
    }
    if (user == nullptr && !std::holds_alternative<loops::Constant>(stmt.node) &&
        !std::holds_alternative<loops::Load>(stmt.node) &&
        !std::holds_alternative<loops::IndexValue>(stmt.node) &&
        !std::holds_alternative<loops::Select>(stmt.node)) {
      return false;
    }
  }
  return false;
}

/// Whether a guarded load is used only by a selection that takes it where the guard holds: then the
/// selection is the guard.
bool BodyPrinter::is_chosen_under_its_guard(const Block& statements, size_t at,
                                            const loops::Load& load) {
  if (style_.dialect != DialectKind::C99 ||
      !may_move_to_use(statements, at, load.value, load.array)) {
    return false;
  }
  const auto user =
      std::find_if(statements.begin() + static_cast<std::ptrdiff_t>(at) + 1, statements.end(),
                   [&](const Stmt& stmt) { return uses_value(stmt, load.value); });
  const auto* select = std::get_if<loops::Select>(&user->node);
  if (select == nullptr) {
    return false;
  }
  const auto place = static_cast<size_t>(
      std::find(select->args.begin(), select->args.end(), load.value) - select->args.begin());
  const auto holds = [&](index::ExprId condition, const loops::Guard& known) {
    return std::find(known.begin(), known.end(), condition) != known.end();
  };
  return std::all_of(load.guard.begin(), load.guard.end(), [&](index::ExprId condition) {
    if (place < select->cases.size() && holds(condition, select->cases[place])) {
      return true;
    }
    // The cases before failed: not (e >= 0) is -e - 1 >= 0.
    const index::ExprId opposite = pool_.sub(pool_.constant(-1), condition);
    return std::any_of(select->cases.begin(),
                       select->cases.begin() + static_cast<std::ptrdiff_t>(place),
                       [&](const loops::Guard& failed) {
                         return failed.size() == 1 && failed.front() == opposite;
                       });
  });
}

/// Whether all uses of the value come further down this block before anything writes to the scalar
/// that it is loaded from: then they name the scalar itself.
bool BodyPrinter::is_read_before_write(const Block& statements, size_t at,
                                       const loops::Load& load) const {
  int uses = 0;
  bool writes = false;
  const auto look = [&](const Stmt& stmt) {
    for_each_written(stmt, [&](loops::ArrayId written) { writes |= written == load.array; });
  };
  for (size_t i = at + 1; i < statements.size() && !writes; ++i) {
    loops::for_each_operand(statements[i],
                            [&](ValueId operand) { uses += operand == load.value ? 1 : 0; });
    look(statements[i]);
    if (const Block* body = loops::body_of(statements[i])) {
      loops::for_each_stmt(*body, look);
    }
  }
  return uses == use_[load.value.index].operands;
}

bool BodyPrinter::is_added(const Stmt& stmt, ValueId value) {
  const auto* sum = std::get_if<loops::Accumulate>(&stmt.node);
  return sum != nullptr && sum->value == value && sum->op == air::ReduceOp::Add;
}

/// Whether a compiler could contract the product with what uses it.
static bool may_contract(const Stmt& user) {
  const auto* let = std::get_if<loops::Let>(&user.node);
  return let == nullptr || let->op == air::Op::Add || let->op == air::Op::Sub;
}

/// Whether the value stands inside the expression of its only user, the next statement that does
/// more than load. In C99 it may have a label, which is the name of an op, but not be compared.
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
  if (next == at + 1 && let.op == air::Op::Add && !has_name &&
      is_added(statements[next], let.value)) {
    return true;
  }
  // TinyCC loses the type of narrow casts inside expressions: only float arithmetic nests.
  const bool arithmetic = is_float(kernel_.value(let.value).dtype) && let.op != air::Op::Cast &&
                          let.op != air::Op::Bitcast && let.op != air::Op::Where;
  const bool product = let.op == air::Op::Mul;
  if (style_.dialect == DialectKind::C99) {
    return arithmetic && !(product && may_contract(statements[next])) &&
           std::holds_alternative<loops::Let>(statements[next].node);
  }
  return arithmetic && !product && !has_name &&
         (std::holds_alternative<loops::Let>(statements[next].node) ||
          std::holds_alternative<loops::Accumulate>(statements[next].node));
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
