// Heap: a mark-sweep collector for the objects of the Lisp above; it knows no Lisp itself.
//
// Decision (ARCHITECTURE 9.1): our own collector, not libgc. Objects are marked precisely through
// ObjectType::trace; the C++ stack and registers of the running thread are scanned conservatively
// (interior pointers and the low two tag bits of a word are accepted), so C++ code may hold object
// pointers and tagged words in locals. Values in malloc'd memory (std::vector, std::function, a
// class on the C++ heap) are NOT seen: use RootedVector, or register a RootSource.
//
// A collection happens only inside Heap::safepoint(), which the VM reaches at calls and backward
// jumps; allocation never collects. C++ code that does not call back into the VM can therefore
// keep objects anywhere for its own duration.
//
// Objects never move. `destroy` (the C++ destructor) runs at sweep and at the end of the heap; it
// must not touch other heap objects. Not thread-safe: one heap belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace caten {

class Tracer;
struct HeapObject;

/// What the collector must know of a class of objects. One static constant per class.
struct ObjectType {
  const char* name;
  void (*trace)(HeapObject* object, Tracer& tracer);  // marks all references; null: has none
  void (*destroy)(HeapObject* object);                // null: nothing to destroy
  uint32_t tags = 0;                                  // free for the layer above
};

/// The base of every collected object: one word, the type. Bit 0 is the mark: clear outside a
/// collection, and always set in statically allocated objects, which the collector passes over.
struct HeapObject {
  const ObjectType& type() const {
    return *reinterpret_cast<const ObjectType*>(header & ~uintptr_t{1});
  }
  bool has_type(const ObjectType& wanted) const {
    return (header & ~uintptr_t{1}) == reinterpret_cast<uintptr_t>(&wanted);
  }

  uintptr_t header = 0;  // 0: under construction or free
};

/// Passed to trace functions.
class Tracer {
 public:
  /// Marks an object (null is allowed).
  void mark(const HeapObject* object) {
    if (object != nullptr && (object->header & 1) == 0) {
      const_cast<HeapObject*>(object)->header |= 1;
      pending_.push_back(const_cast<HeapObject*>(object));
    }
  }

 private:
  friend class Heap;
  std::vector<HeapObject*> pending_;
};

/// The C++ stack of the running thread: [low, high). At most 64 MiB are counted.
struct StackBounds {
  uintptr_t low = 0, high = 0;
};
StackBounds thread_stack_bounds();

/// Something outside the heap that refers to objects of it, for as long as it is registered.
class RootSource {
 public:
  virtual void trace_roots(Tracer& tracer) = 0;

 protected:
  ~RootSource() = default;
};

class Heap {
 public:
  Heap();
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// Makes a T, a class derived from HeapObject with a static member `const ObjectType kType`.
  /// `extra_bytes` follow the object (variable-size objects). T's constructor must not allocate.
  template <typename T, typename... Args>
  T* make_sized(size_t extra_bytes, Args&&... args) {
    static_assert(std::is_base_of_v<HeapObject, T> && alignof(T) <= 8);
    T* object = new (allocate(sizeof(T) + extra_bytes)) T(std::forward<Args>(args)...);
    object->header = reinterpret_cast<uintptr_t>(&T::kType);
    return object;
  }
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    return make_sized<T>(0, std::forward<Args>(args)...);
  }

  /// Collects if enough was allocated since the last time. The only place where that happens.
  void safepoint() {
    if (budget_ <= 0) [[unlikely]] {
      collect();
    }
  }
  void collect();

  /// Counts memory that objects own outside the heap (tensor buffers): +n when allocated, -n when
  /// freed. Growth brings the next collection nearer.
  void add_external_bytes(int64_t bytes);
  int64_t external_bytes() const { return external_bytes_; }

  void add_root(RootSource* source);
  void remove_root(RootSource* source);

  struct Stats {
    size_t live_objects = 0;  // after the last collection
    size_t live_bytes = 0;    // after the last collection
    size_t reserved_bytes = 0;
    size_t collections = 0;
  };
  Stats stats() const { return stats_; }

 private:
  struct Block;
  struct Large {
    HeapObject* object;
    size_t bytes;
  };

  void* allocate(size_t bytes);
  void* refill(size_t size_class);
  void* allocate_large(size_t bytes);
  void mark_stack(Tracer& tracer);
  HeapObject* find_object(uintptr_t word) const;
  void insert_block(Block* block);
  void rebuild_block_table();
  static void drain(Tracer& tracer);
  void sweep();
  void sweep_large();

  std::vector<HeapObject*> free_;  // per size class; linked through the second word
  std::vector<Block*> blocks_;
  std::vector<Block*> block_table_;  // open addressing by address; the size is a power of two
  std::vector<Large> large_;         // sorted by address during a collection
  std::vector<RootSource*> roots_;
  uintptr_t lowest_ = UINTPTR_MAX;  // of all objects
  uintptr_t highest_ = 0;
  int64_t budget_;  // bytes until the next collection
  int64_t external_budget_;
  int64_t external_bytes_ = 0;
  uintptr_t stack_thread_ = 0;  // whose bounds stack_ are
  StackBounds stack_;
  Stats stats_;
};

/// A vector of T whose elements are roots; `trace(Tracer&, const T&)` is found by ADL. Pinned in
/// place; scoped use in C++ code that calls back into the VM.
template <typename T>
class RootedVector final : public RootSource {
 public:
  explicit RootedVector(Heap& heap) : heap_(heap) { heap_.add_root(this); }
  RootedVector(Heap& heap, std::span<const T> init)
      : items_(init.begin(), init.end()), heap_(heap) {
    heap_.add_root(this);
  }
  ~RootedVector() { heap_.remove_root(this); }
  RootedVector(const RootedVector&) = delete;
  RootedVector& operator=(const RootedVector&) = delete;

  std::vector<T>* operator->() { return &items_; }
  std::vector<T>& operator*() { return items_; }
  T& operator[](size_t i) { return items_[i]; }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void push_back(T item) { items_.push_back(item); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  std::span<T> span() { return items_; }

  void trace_roots(Tracer& tracer) override {
    for (const T& item : items_) {
      trace(tracer, item);
    }
  }

 private:
  std::vector<T> items_;
  Heap& heap_;
};

}  // namespace caten
