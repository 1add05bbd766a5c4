// Share kernels: of kernels that do the same with other buffers (equal layers) the first is lowered
// and compiled for all. What they do is compared as text in which values, loops and arrays are
// numbered as they appear.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"
#include "ir/support/check.h"

namespace caten::loops {
namespace {

class Writer {
 public:
  Writer(const index::Pool& pool, const Kernel& kernel) : pool_(pool), kernel_(kernel) {}

  std::string run() {
    block(kernel_.body);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static size_t number(std::unordered_map<uint32_t, size_t>& numbers, uint32_t id) {
    return numbers.emplace(id, numbers.size()).first->second;
  }
  void value(ValueId id) {
    put(" v{}:{}", number(values_, id.index), static_cast<int>(kernel_.value(id).dtype));
  }
  void array(ArrayId id) {
    const size_t known = arrays_.size();
    const size_t at = number(arrays_, id.index);
    put(" a{}", at);
    if (at == known) {  // at its first appearance all that is known of it
      const Array& a = kernel_.array(id);
      put("({} {} {} {} {}", static_cast<int>(a.space), static_cast<int>(a.dtype), a.widened,
          a.written, a.is_scalar);
      expr(a.size);
      put(")");
    }
  }
  void expr(ExprId id) { put(" {}", text(id)); }
  void guard(const Guard& conditions) {
    // They are sorted by identity, which says nothing.
    std::vector<std::string> texts;
    for (ExprId condition : conditions) {
      texts.push_back(text(condition));
    }
    std::sort(texts.begin(), texts.end());
    put(" [");
    for (const std::string& condition : texts) {
      put("{} ", condition);
    }
    put("]");
  }

  const std::string& text(ExprId id) {
    if (const auto known = texts_.find(id.index); known != texts_.end()) {
      return known->second;
    }
    std::vector<std::string> sum;
    for (const index::Term& term : pool_.terms(id)) {
      std::vector<std::string> product;
      for (index::AtomId atom : term.atoms) {
        product.push_back(text(pool_.atom(atom)));
      }
      std::sort(product.begin(), product.end());
      std::string out = std::to_string(term.coefficient);
      for (const std::string& factor : product) {
        out += "*" + factor;
      }
      sum.push_back(std::move(out));
    }
    std::sort(sum.begin(), sum.end());
    std::string out;
    for (const std::string& term : sum) {
      out += (out.empty() ? "" : "+") + term;
    }
    return texts_.emplace(id.index, std::move(out)).first->second;
  }
  std::string text(const index::Atom& atom) {
    switch (atom.kind) {
      case index::AtomKind::Range:
        return fmt::format("r{}", ranges_.at(atom.id));
      case index::AtomKind::Symbol:
        return fmt::format("n{}", atom.id);
      case index::AtomKind::FloorDiv:
      case index::AtomKind::Mod:
      case index::AtomKind::Max:
      case index::AtomKind::Min:
        break;
    }
    const std::string left = text(atom.left);
    return fmt::format("({} {} {})", static_cast<int>(atom.kind), left, text(atom.right));
  }

  void block(const Block& statements) {
    for (const Stmt& stmt : statements) {
      put("\n{}", stmt.node.index());
      statement(stmt);
    }
    put("\nend");
  }

  void statement(const Stmt& stmt) {
    std::visit(Overloaded{
                   [&](const Let& s) {
                     put(" {}", static_cast<int>(s.op));
                     for (ValueId arg : s.args) {
                       value(arg);
                     }
                     value(s.value);
                   },
                   [&](const Constant& s) {
                     put(" {}", s.scalar.bits());
                     value(s.value);
                   },
                   [&](const IndexValue& s) {
                     expr(s.index);
                     guard(s.guard);
                     value(s.value);
                   },
                   [&](const Load& s) {
                     array(s.array);
                     expr(s.index);
                     guard(s.guard);
                     value(s.value);
                   },
                   [&](const Select& s) {
                     for (const Guard& conditions : s.cases) {
                       guard(conditions);
                     }
                     for (ValueId arg : s.args) {
                       value(arg);
                     }
                     value(s.value);
                   },
                   [&](const Store& s) {
                     array(s.array);
                     expr(s.index);
                     value(s.value);
                   },
                   [&](const Accumulate& s) {
                     put(" {}", static_cast<int>(s.op));
                     array(s.array);
                     expr(s.index);
                     value(s.value);
                   },
                   [&](const Bind& s) {
                     value(s.value);
                     expr(s.offset);
                     put(" {}", static_cast<int>(s.check));
                     guard(s.guard);
                     open(s.range);
                   },
                   [&](const SortLine& s) {
                     put(" {}", s.descending);
                     for (ArrayId id : {s.order, s.keys, s.work}) {
                       array(id);
                     }
                     for (ExprId e :
                          {s.order_index, s.order_stride, s.keys_index, s.keys_stride, s.count}) {
                       expr(e);
                     }
                   },
                   [&](const Call& s) {
                     put(" {}", s.function);
                     for (const Call::Pointer& pointer : s.pointers) {
                       array(pointer.array);
                       expr(pointer.index);
                     }
                     for (ExprId e : s.numbers) {
                       expr(e);
                     }
                   },
                   [&](const Scratch& s) { array(s.array); },
                   [&](const For& s) {
                     expr(s.lo);
                     expr(s.hi);
                     open(s.range);
                     block(s.body);
                   },
                   [&](const If& s) {
                     value(s.condition);
                     block(s.body);
                   },
                   [](const Comment&) {},
               },
               stmt.node);
  }
  void open(RangeId range) {
    const index::Range& info = pool_.range_info(range);
    put(" {}", static_cast<int>(info.kind));
    expr(info.extent);
    ranges_.emplace(range.index, ranges_.size());
  }

  const index::Pool& pool_;
  const Kernel& kernel_;
  std::string out_;
  std::unordered_map<uint32_t, size_t> values_;
  std::unordered_map<uint32_t, size_t> arrays_;
  std::unordered_map<uint32_t, size_t> ranges_;
  std::unordered_map<uint32_t, std::string> texts_;
};

/// The buffers that a kernel touches, as they appear in its statements.
std::vector<ArrayId> in_order_of_appearance(const Kernel& kernel) {
  std::vector<ArrayId> out;
  std::vector<char> seen(kernel.arrays.size(), 0);
  const auto see = [&](ArrayId id) {
    if (seen[id.index] == 0 && kernel.array(id).space == ArraySpace::Buffer) {
      out.push_back(id);
    }
    seen[id.index] = 1;
  };
  for_each_stmt(kernel.body, [&](const Stmt& stmt) {
    if (const auto* load = std::get_if<Load>(&stmt.node)) {
      see(load->array);
    } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
      see(store->array);
    } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
      see(sum->array);
    } else if (const auto* sort = std::get_if<SortLine>(&stmt.node)) {
      see(sort->order);
      see(sort->keys);
      see(sort->work);
    } else if (const auto* call = std::get_if<Call>(&stmt.node)) {
      for (const Call::Pointer& pointer : call->pointers) {
        see(pointer.array);
      }
    }
  });
  return out;
}

}  // namespace

Module share_kernels(Module module) {
  std::unordered_map<std::string, size_t> known;
  for (size_t i = 0; i < module.kernels.size(); ++i) {
    Kernel& kernel = module.kernels[i];
    const auto [entry, first] = known.emplace(Writer(module.pool, kernel).run(), i);
    if (first) {
      continue;
    }
    const Kernel& same = module.kernels[entry->second];
    const std::vector<ArrayId> from = in_order_of_appearance(kernel);
    const std::vector<ArrayId> to = in_order_of_appearance(same);
    CATEN_CHECK(from.size() == to.size(), "equal kernels have {} and {} buffers", from.size(),
                to.size());
    std::vector<Array> arrays = same.arrays;
    for (size_t a = 0; a < from.size(); ++a) {
      arrays[to[a].index] = kernel.array(from[a]);
    }
    kernel.same_as = static_cast<int>(entry->second);
    kernel.arrays = std::move(arrays);
    kernel.values.clear();
    kernel.body.clear();
  }
  return module;
}

std::vector<int> buffers_of(Module& module, const Kernel& kernel) {
  const Kernel& code =
      kernel.same_as < 0 ? kernel : module.kernels[static_cast<size_t>(kernel.same_as)];
  std::vector<int> out;
  for (ArrayId id : arguments_of(code)) {
    if (id.index < kernel.arrays.size() && kernel.array(id).space == ArraySpace::Buffer) {
      out.push_back(kernel.array(id).buffer);
      continue;
    }
    // Scratch that lowering has made a temporary: every call has one of its own, for its time only.
    Buffer own = module.buffers[static_cast<size_t>(code.array(id).buffer)];
    out.push_back(static_cast<int>(module.buffers.size()));
    module.buffers.push_back(std::move(own));
  }
  return out;
}

}  // namespace caten::loops
