// The collector: size-class blocks, mark with an explicit stack, eager sweep.
#include "ir/support/heap.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ir/support/check.h"

namespace caten {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;  // also the alignment of blocks
constexpr size_t kFirstCell = 64;
constexpr size_t kMaxSmall = 1024;
constexpr int64_t kMinBudget = int64_t{16} << 20;
constexpr int64_t kMinExternalBudget = int64_t{64} << 20;
constexpr size_t kMinSpareBytes = size_t{8} << 20;  // wholly free blocks kept after a sweep

// Classes step by 8 bytes up to 128, then by 64 up to kMaxSmall.
constexpr size_t size_class_of(size_t bytes) {
  return bytes <= 128 ? (bytes + 7) / 8 : 16 + (bytes - 128 + 63) / 64;
}
constexpr size_t class_bytes(size_t size_class) {
  return size_class <= 16 ? size_class * 8 : 128 + (size_class - 16) * 64;
}
constexpr size_t kClassCount = size_class_of(kMaxSmall) + 1;

HeapObject*& next_free(HeapObject* cell) {
  return *reinterpret_cast<HeapObject**>(cell + 1);  // the second word of a free cell
}

void destroy(HeapObject* object) {
  if (auto* destructor = object->type().destroy) {
    destructor(object);
  }
}

}  // namespace

struct Heap::Block {
  size_t cell_bytes;
  size_t cell_count;
  size_t size_class;

  HeapObject* cell(size_t index) {
    return reinterpret_cast<HeapObject*>(reinterpret_cast<char*>(this) + kFirstCell +
                                         index * cell_bytes);
  }
};

namespace {

/// The end of the first thread's stack, page-aligned: the name of the executable is the last thing
/// that the kernel puts there (before eight bytes of zeros). 0 when that cannot be told.
uintptr_t first_stack_end() {
  const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (name == nullptr) {
    return 0;
  }
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t end = reinterpret_cast<uintptr_t>(name) + std::strlen(name) + 1;
  return (end + page - 1) / page * page;
}

}  // namespace

StackBounds thread_stack_bounds() {
  constexpr size_t kMaxBytes = size_t{64} << 20;
  if (getpid() == gettid()) {
    // Not pthread_getattr_np, which reads /proc for the first thread.
    const uintptr_t end = first_stack_end();
    rlimit limit{};
    CATEN_CHECK(end != 0 && getrlimit(RLIMIT_STACK, &limit) == 0, "no bounds of the stack");
    return {end - std::min<uintptr_t>(limit.rlim_cur, kMaxBytes), end};
  }
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  CATEN_CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0, "no stack attributes");
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const uintptr_t high = reinterpret_cast<uintptr_t>(low) + bytes;
  return {high - std::min(bytes, kMaxBytes), high};
}

Heap::Heap()
    : free_(kClassCount, nullptr), budget_(kMinBudget), external_budget_(kMinExternalBudget) {}

Heap::~Heap() {
  for (Block* block : blocks_) {
    for (size_t i = 0; i < block->cell_count; ++i) {
      if (block->cell(i)->header != 0) {
        destroy(block->cell(i));
      }
    }
    std::free(block);
  }
  for (Large& large : large_) {
    if (large.object->header != 0) {
      destroy(large.object);
    }
    std::free(large.object);
  }
}

void* Heap::allocate(size_t bytes) {
  if (bytes > kMaxSmall) {
    return allocate_large(bytes);
  }
  bytes = std::max(bytes, 2 * sizeof(void*));
  size_t size_class = size_class_of(bytes);
  budget_ -= static_cast<int64_t>(class_bytes(size_class));
  HeapObject* cell = free_[size_class];
  if (cell == nullptr) [[unlikely]] {
    return refill(size_class);
  }
  free_[size_class] = next_free(cell);
  return cell;
}

void* Heap::refill(size_t size_class) {
  void* memory = std::aligned_alloc(kBlockBytes, kBlockBytes);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  size_t bytes = class_bytes(size_class);
  auto* block = new (memory) Block{bytes, (kBlockBytes - kFirstCell) / bytes, size_class};
  HeapObject* list = nullptr;
  for (size_t i = block->cell_count; i-- > 0;) {
    HeapObject* cell = block->cell(i);
    cell->header = 0;
    next_free(cell) = list;
    list = cell;
  }
  blocks_.push_back(block);
  insert_block(block);
  stats_.reserved_bytes += kBlockBytes;
  free_[size_class] = next_free(list);
  return list;
}

void* Heap::allocate_large(size_t bytes) {
  budget_ -= static_cast<int64_t>(bytes);
  void* memory = std::malloc(bytes);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  auto* object = static_cast<HeapObject*>(memory);
  object->header = 0;
  large_.push_back({object, bytes});
  lowest_ = std::min(lowest_, reinterpret_cast<uintptr_t>(memory));
  highest_ = std::max(highest_, reinterpret_cast<uintptr_t>(memory) + bytes);
  stats_.reserved_bytes += bytes;
  return memory;
}

void Heap::insert_block(Block* block) {
  if (blocks_.size() * 2 > block_table_.size()) {
    rebuild_block_table();
    return;
  }
  auto address = reinterpret_cast<uintptr_t>(block);
  lowest_ = std::min(lowest_, address);
  highest_ = std::max(highest_, address + kBlockBytes);
  size_t mask = block_table_.size() - 1;
  size_t slot = (address / kBlockBytes) & mask;
  while (block_table_[slot] != nullptr) {
    slot = (slot + 1) & mask;
  }
  block_table_[slot] = block;
}

void Heap::rebuild_block_table() {
  size_t size = 64;
  while (size < blocks_.size() * 4) {
    size *= 2;
  }
  block_table_.assign(size, nullptr);
  for (Block* block : blocks_) {
    insert_block(block);
  }
}

void Heap::add_external_bytes(int64_t bytes) {
  external_bytes_ += bytes;
  if (bytes > 0) {
    external_budget_ -= bytes;
    if (external_budget_ <= 0) {
      budget_ = 0;
    }
  }
}

void Heap::add_root(RootSource* source) {
  roots_.push_back(source);
}

void Heap::remove_root(RootSource* source) {
  // Almost always the last one: roots are mostly scoped.
  auto found = std::find(roots_.rbegin(), roots_.rend(), source);
  CATEN_CHECK(found != roots_.rend(), "root source is not registered");
  roots_.erase(std::next(found).base());
}

HeapObject* Heap::find_object(uintptr_t word) const {
  if (word < lowest_ || word >= highest_) {
    return nullptr;
  }
  uintptr_t base = word & ~(kBlockBytes - 1);
  if (!block_table_.empty()) {
    size_t mask = block_table_.size() - 1;
    for (size_t slot = (base / kBlockBytes) & mask; block_table_[slot] != nullptr;
         slot = (slot + 1) & mask) {
      Block* block = block_table_[slot];
      if (reinterpret_cast<uintptr_t>(block) == base) {
        size_t offset = word - base;
        size_t index =
            offset < kFirstCell ? block->cell_count : (offset - kFirstCell) / block->cell_bytes;
        return index < block->cell_count ? block->cell(index) : nullptr;
      }
    }
  }
  auto after = std::upper_bound(large_.begin(), large_.end(), word,
                                [](uintptr_t address, const Large& large) {
                                  return address < reinterpret_cast<uintptr_t>(large.object);
                                });
  if (after == large_.begin()) {
    return nullptr;
  }
  const Large& large = *std::prev(after);
  bool inside = word - reinterpret_cast<uintptr_t>(large.object) < large.bytes;
  return inside ? large.object : nullptr;
}

// Reads whole stack frames, redzones of the sanitizer included.
__attribute__((noinline, no_sanitize("address", "undefined"))) void Heap::mark_stack(
    Tracer& tracer) {
  auto self = static_cast<uintptr_t>(pthread_self());
  if (stack_thread_ != self) {
    stack_thread_ = self;
    stack_ = thread_stack_bounds();
  }
  auto from = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) & ~uintptr_t{7};
  for (uintptr_t at = from; at + sizeof(uintptr_t) <= stack_.high; at += sizeof(uintptr_t)) {
    HeapObject* object = find_object(*reinterpret_cast<const uintptr_t*>(at));
    if (object != nullptr && object->header != 0) {
      tracer.mark(object);
    }
  }
}

void Heap::drain(Tracer& tracer) {
  while (!tracer.pending_.empty()) {
    HeapObject* object = tracer.pending_.back();
    tracer.pending_.pop_back();
    if (auto* trace_references = object->type().trace) {
      trace_references(object, tracer);
    }
  }
}

void Heap::collect() {
  // Callee-saved registers go to this frame, which lies above mark_stack's.
  __builtin_unwind_init();
  std::sort(large_.begin(), large_.end(),
            [](const Large& a, const Large& b) { return a.object < b.object; });
  Tracer tracer;
  for (RootSource* source : roots_) {
    source->trace_roots(tracer);
  }
  mark_stack(tracer);
  drain(tracer);
  sweep();
  stats_.collections += 1;
  budget_ = std::max(kMinBudget, static_cast<int64_t>(stats_.live_bytes));
  external_budget_ = std::max(kMinExternalBudget, external_bytes_ / 2);
}

void Heap::sweep() {
  stats_.live_objects = 0;
  stats_.live_bytes = 0;
  std::fill(free_.begin(), free_.end(), nullptr);
  std::vector<Block*> kept;
  kept.reserve(blocks_.size());
  size_t spare = 0;
  for (Block* block : blocks_) {
    HeapObject* list = free_[block->size_class];
    size_t live = 0;
    for (size_t i = block->cell_count; i-- > 0;) {
      HeapObject* cell = block->cell(i);
      if ((cell->header & 1) != 0) {
        cell->header &= ~uintptr_t{1};
        ++live;
        continue;
      }
      if (cell->header != 0) {
        destroy(cell);
        cell->header = 0;
      }
      next_free(cell) = list;
      list = cell;
    }
    if (live == 0 && spare >= kMinSpareBytes) {
      stats_.reserved_bytes -= kBlockBytes;
      std::free(block);
      continue;
    }
    spare += live == 0 ? kBlockBytes : 0;
    free_[block->size_class] = list;
    kept.push_back(block);
    stats_.live_objects += live;
    stats_.live_bytes += live * block->cell_bytes;
  }
  bool released = kept.size() != blocks_.size();
  blocks_ = std::move(kept);
  if (released) {
    rebuild_block_table();
  }
  sweep_large();
}

void Heap::sweep_large() {
  std::erase_if(large_, [this](const Large& large) {
    if ((large.object->header & 1) != 0) {
      large.object->header &= ~uintptr_t{1};
      stats_.live_objects += 1;
      stats_.live_bytes += large.bytes;
      return false;
    }
    if (large.object->header != 0) {
      destroy(large.object);
    }
    stats_.reserved_bytes -= large.bytes;
    std::free(large.object);
    return true;
  });
}

}  // namespace caten
