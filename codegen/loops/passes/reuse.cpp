// Reuse: a temporary that is computed element by element from one that nobody reads afterwards
// takes its place. See Note [in place].
#include <algorithm>
#include <map>
#include <optional>

#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"

namespace caten::loops {
namespace {

/// One array of a kernel: how it is loaded and stored.
struct Access {
  int loads = 0;
  const Load* load = nullptr;
  int stores = 0;
  const Store* store = nullptr;
  const Block* load_block = nullptr;
  const Block* store_block = nullptr;
  size_t load_at = 0;
  size_t store_at = 0;
  bool in_order = false;  // the loops around the store walk the array once, in order
  bool other = false;     // accumulated into, sorted, or loaded under a guard
};

class Survey {
 public:
  Survey(index::Pool& pool, const Kernel& kernel) : pool_(pool), accesses_(kernel.arrays.size()) {
    block(kernel.body);
  }
  const Access& of(ArrayId id) const { return accesses_[id.index]; }

 private:
  void block(const Block& statements) {
    for (size_t i = 0; i < statements.size(); ++i) {
      const Stmt& stmt = statements[i];
      if (const auto* load = std::get_if<Load>(&stmt.node)) {
        Access& access = accesses_[load->array.index];
        ++access.loads;
        access.load = load;
        access.load_block = &statements;
        access.load_at = i;
        access.other |= !load->guard.empty();
      } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
        Access& access = accesses_[store->array.index];
        ++access.stores;
        access.store = store;
        access.store_block = &statements;
        access.store_at = i;
        access.in_order = plain_ && store->index == position_;
      } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
        accesses_[sum->array.index].other = true;
      } else if (const auto* sort = std::get_if<SortLine>(&stmt.node)) {
        accesses_[sort->order.index].other = true;
        accesses_[sort->keys.index].other = true;
        accesses_[sort->work.index].other = true;
      } else if (const auto* call = std::get_if<Call>(&stmt.node)) {
        for (const Call::Pointer& pointer : call->pointers) {
          accesses_[pointer.array.index].other = true;
        }
      } else if (const auto* loop = std::get_if<For>(&stmt.node)) {
        const ExprId outer = position_;
        const bool was_plain = plain_;
        plain_ = plain_ && pool_.is(loop->lo, 0);
        position_ = pool_.add(pool_.mul(position_, loop->hi), pool_.range(loop->range));
        block(loop->body);
        position_ = outer;
        plain_ = was_plain;
      } else if (const auto* branch = std::get_if<If>(&stmt.node)) {
        const bool was_plain = plain_;
        plain_ = false;
        block(branch->body);
        plain_ = was_plain;
      }
    }
  }

  index::Pool& pool_;
  std::vector<Access> accesses_;
  ExprId position_ = pool_.constant(0);  // of an iteration among all of the open loops
  bool plain_ = true;                    // the open loops start at 0 and there is no branch
};

class Reuser {
 public:
  explicit Reuser(Module& module)
      : module_(module), first_(module.buffers.size(), SIZE_MAX), last_(module.buffers.size(), 0) {}

  void run() {
    for (size_t k = 0; k < module_.kernels.size(); ++k) {
      for (ArrayId id : arguments_of(module_.kernels[k])) {
        const auto buffer = static_cast<size_t>(module_.kernels[k].array(id).buffer);
        first_[buffer] = std::min(first_[buffer], k);
        last_[buffer] = std::max(last_[buffer], k);
      }
    }
    std::vector<int> place(module_.buffers.size());
    for (size_t i = 0; i < place.size(); ++i) {
      place[i] = static_cast<int>(i);
    }
    for (size_t k = 0; k < module_.kernels.size(); ++k) {
      Kernel& kernel = module_.kernels[k];
      for (Array& array : kernel.arrays) {
        if (array.space == ArraySpace::Buffer) {
          array.buffer = place[static_cast<size_t>(array.buffer)];
        }
      }
      merge(kernel, k, place);
    }
    drop_merged(place);
  }

 private:
  bool is_temporary(const Array& array) const {
    return array.space == ArraySpace::Buffer &&
           module_.buffers[static_cast<size_t>(array.buffer)].kind == BufferKind::Temporary;
  }

  /// Merges temporaries that the kernel makes into temporaries that end in it.
  void merge(Kernel& kernel, size_t k, std::vector<int>& place) {
    std::optional<Survey> survey;
    const std::vector<ArrayId> arguments = arguments_of(kernel);
    std::vector<ArrayId> ending;
    std::vector<ArrayId> starting;
    for (ArrayId id : arguments) {
      const Array& array = kernel.array(id);
      if (!is_temporary(array)) {
        continue;
      }
      const auto buffer = static_cast<size_t>(array.buffer);
      if (first_[buffer] < k && last_[buffer] == k) {
        ending.push_back(id);
      } else if (first_[buffer] == k && last_[buffer] > k) {
        starting.push_back(id);
      }
    }
    for (ArrayId made : starting) {
      for (ArrayId& read : ending) {
        if (!read.valid() || kernel.array(read).dtype != kernel.array(made).dtype ||
            kernel.array(read).size != kernel.array(made).size) {
          continue;
        }
        if (!survey) {
          survey.emplace(module_.pool, kernel);
        }
        if (takes_place(survey->of(read), survey->of(made))) {
          join(kernel, made, read, place);
          read = ArrayId{};
          survey.reset();
          break;
        }
      }
    }
  }

  static bool takes_place(const Access& read, const Access& made) {
    return read.loads == 1 && read.stores == 0 && !read.other && made.stores == 1 && !made.other &&
           made.in_order && read.load_block == made.store_block && read.load_at < made.store_at &&
           read.load->index == made.store->index;
  }

  void join(Kernel& kernel, ArrayId made, ArrayId read, std::vector<int>& place) {
    const int from = kernel.array(made).buffer;
    const int to = kernel.array(read).buffer;
    const auto rename = [&](auto& self, Block& statements) -> void {
      for (Stmt& stmt : statements) {
        auto* store = std::get_if<Store>(&stmt.node);
        auto* load = std::get_if<Load>(&stmt.node);
        if (store != nullptr && store->array == made) {
          store->array = read;
        } else if (load != nullptr && load->array == made) {
          load->array = read;
        } else if (Block* body = body_of(stmt)) {
          self(self, *body);
        }
      }
    };
    rename(rename, kernel.body);
    kernel.arrays[read.index].written = true;
    place[static_cast<size_t>(from)] = to;
    Buffer& kept = module_.buffers[static_cast<size_t>(to)];
    kept.written = true;
    kept.also_holds.push_back(module_.buffers[static_cast<size_t>(from)].label);
    last_[static_cast<size_t>(to)] = last_[static_cast<size_t>(from)];
  }

  /// Buffers that others hold now leave the module.
  void drop_merged(const std::vector<int>& place) {
    std::vector<int> number(place.size(), -1);
    std::vector<Buffer> kept;
    for (size_t i = 0; i < place.size(); ++i) {
      if (place[i] == static_cast<int>(i)) {
        number[i] = static_cast<int>(kept.size());
        kept.push_back(std::move(module_.buffers[i]));
      }
    }
    module_.buffers = std::move(kept);
    for (std::vector<int>* list : {&module_.inputs, &module_.outputs}) {
      for (int& buffer : *list) {
        buffer = number[static_cast<size_t>(buffer)];
      }
    }
    for (Kernel& kernel : module_.kernels) {
      for (Array& array : kernel.arrays) {
        if (array.space == ArraySpace::Buffer) {
          // What was merged away in this very kernel is no longer mentioned in it.
          array.buffer = number[static_cast<size_t>(place[static_cast<size_t>(array.buffer)])];
        }
      }
    }
  }

  Module& module_;
  std::vector<size_t> first_;  // per buffer: kernels
  std::vector<size_t> last_;
};

}  // namespace

Module reuse(Module module) {
  Reuser(module).run();
  return module;
}

// Note [in place]
// Temporary b takes the place of temporary a when their dtype and size are equal, the kernel makes
// b and is the last one that reads a, and each element of b is stored after the load of the same
// element of a, in the same iteration, with loops around that pass every element once. Nothing else
// in the kernel reads a, so no iteration can find an element overwritten that it still needs; what
// reads b reads elements that have been stored.
// A chain of such kernels (the residual stream of a transformer) stays in one place.
}  // namespace caten::loops
