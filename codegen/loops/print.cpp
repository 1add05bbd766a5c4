// Loop nests as s-expressions.
#include <fmt/core.h>

#include "codegen/loops/loops.h"
#include "ir/support/check.h"
#include "ir/support/overloaded.h"

namespace caten::loops {
namespace {

std::string_view check_name(index::IndexCheck check) {
  switch (check) {
    case index::IndexCheck::Clamped:
      return "clamped";
    case index::IndexCheck::Checked:
      return "checked";
    case index::IndexCheck::Known:
      return "known";
  }
  CATEN_UNREACHABLE("index check");
}

class Printer {
 public:
  Printer(const index::Pool& pool, const Kernel& kernel) : pool_(pool), kernel_(kernel) {}

  std::string run() {
    out_ = fmt::format("(kernel {}", kernel_.name);
    if (kernel_.same_as >= 0) {
      out_ += fmt::format(" (same-as {})", kernel_.same_as);
    }
    ++indent_;
    for (uint32_t i = 0; i < kernel_.arrays.size(); ++i) {
      const Array& array = kernel_.arrays[i];
      if (array.space == ArraySpace::Buffer) {
        line("(buffer a{} {} {} {})", i, name(array.dtype), expr(array.size),
             array.written ? "written" : "read");
      }
    }
    block(kernel_.body);
    return out_ + ")\n";
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += '\n';
    out_.append(static_cast<size_t>(indent_) * 2, ' ');
    out_ += fmt::format(format, std::forward<Args>(args)...);
  }
  std::string expr(ExprId id) const { return pool_.to_string(id); }
  std::string guard(const Guard& conditions) const {
    std::string text;
    for (ExprId condition : conditions) {
      text += fmt::format(" (>= {} 0)", expr(condition));
    }
    return text;
  }
  static std::string values(const std::vector<ValueId>& list) {
    std::string text;
    for (ValueId value : list) {
      text += fmt::format(" %{}", value.index);
    }
    return text;
  }
  static std::string_view reduce_name(air::ReduceOp op) {
    constexpr std::string_view kNames[] = {"add", "mul", "max", "min", "and", "or"};
    return kNames[static_cast<size_t>(op)];
  }
  std::string_view type(ValueId value) const { return name(kernel_.value(value).dtype); }

  void block(const Block& statements) {
    for (const Stmt& stmt : statements) {
      std::visit(
          Overloaded{
              [&](const Let& s) {
                line("(let %{} {} ({}{}))", s.value.index, type(s.value), air::name(s.op),
                     values(s.args));
              },
              [&](const Constant& s) {
                line("(let %{} {} {})", s.value.index, type(s.value), s.scalar.to_string());
              },
              [&](const IndexValue& s) {
                line("(let %{} {} (index {}{}))", s.value.index, type(s.value), expr(s.index),
                     s.guard.empty() ? "" : " (when" + guard(s.guard) + ")");
              },
              [&](const Load& s) {
                line("(let %{} {} (load a{} {}{}))", s.value.index, type(s.value), s.array.index,
                     expr(s.index), s.guard.empty() ? "" : " (when" + guard(s.guard) + ")");
              },
              [&](const Select& s) {
                std::string text;
                for (size_t i = 0; i < s.cases.size(); ++i) {
                  text += fmt::format(" ((and{}) %{})", guard(s.cases[i]), s.args[i].index);
                }
                line("(let %{} {} (select{} %{}))", s.value.index, type(s.value), text,
                     s.args.back().index);
              },
              [&](const Store& s) {
                line("(store a{} {} %{})", s.array.index, expr(s.index), s.value.index);
              },
              [&](const Accumulate& s) {
                line("(accumulate {} a{} {} %{})", reduce_name(s.op), s.array.index, expr(s.index),
                     s.value.index);
              },
              [&](const Bind& s) {
                line("(bind r{} {} %{} {}{})", s.range.index, check_name(s.check), s.value.index,
                     expr(s.offset), s.guard.empty() ? "" : " (when" + guard(s.guard) + ")");
              },
              [&](const SortLine& s) {
                line("(sort {} a{} {} {} a{} {} {} {} a{}{})",
                     s.descending ? "descending" : "ascending", s.order.index, expr(s.order_index),
                     expr(s.order_stride), s.keys.index, expr(s.keys_index), expr(s.keys_stride),
                     expr(s.count), s.work.index,
                     s.wanted == s.count ? "" : " (wanted " + expr(s.wanted) + ")");
              },
              [&](const Call& s) {
                std::string text;
                for (const Call::Pointer& pointer : s.pointers) {
                  text += fmt::format(" ({} a{} {})", pointer.written ? "write" : "read",
                                      pointer.array.index, expr(pointer.index));
                }
                for (ExprId number : s.numbers) {
                  text += " " + expr(number);
                }
                line("(call {}{})", s.function, text);
              },
              [&](const Scratch& s) {
                const Array& array = kernel_.array(s.array);
                line("(scratch a{} {} {})", s.array.index,
                     array.widened ? std::string_view("float32") : name(array.dtype),
                     expr(array.size));
              },
              [&](const For& s) {
                constexpr std::string_view kKinds[] = {"for", "strip", "parallel"};
                line("({} r{} {} {}", kKinds[static_cast<size_t>(s.kind)], s.range.index,
                     expr(s.lo), expr(s.hi));
                ++indent_;
                block(s.body);
                --indent_;
                out_ += ')';
              },
              [&](const If& s) {
                line("(if %{}", s.condition.index);
                ++indent_;
                block(s.body);
                --indent_;
                out_ += ')';
              },
              [](const Comment&) {},
          },
          stmt.node);
    }
  }

  const index::Pool& pool_;
  const Kernel& kernel_;
  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string print(const index::Pool& pool, const Kernel& kernel) {
  return Printer(pool, kernel).run();
}

std::string print(const Module& module) {
  std::string out;
  for (const Kernel& kernel : module.kernels) {
    out += print(module.pool, kernel);
  }
  return out;
}

}  // namespace caten::loops
