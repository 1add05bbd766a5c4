// The collector: what is reachable stays, what is not goes, whoever holds the reference.
#include "ir/support/heap.h"

#include <memory>

#include "tests/unit/lisp/lisp_test.h"

namespace caten::lisp {
namespace {

struct Counted : HeapObject {
  explicit Counted(int* c) : count(c) { ++*count; }
  ~Counted() { --*count; }
  int* count;
  Value next;
  static const ObjectType kType;
};
const ObjectType Counted::kType = {
    "counted",
    [](HeapObject* object, Tracer& tracer) { trace(tracer, static_cast<Counted*>(object)->next); },
    [](HeapObject* object) { static_cast<Counted*>(object)->~Counted(); }};

struct Big : HeapObject {
  char bytes[5000] = {};
  static const ObjectType kType;
};
const ObjectType Big::kType = {"big", nullptr, nullptr};

// Uses stack so that no stale pointer of an earlier call lies in the scanned part.
__attribute__((noinline)) void make_garbage(Heap& heap, int* count, int n) {
  for (int i = 0; i < n; ++i) {
    heap.make<Counted>(count);
  }
}
__attribute__((noinline)) void scrub_stack() {
  volatile char space[16384];
  for (volatile char& c : space) {
    c = 0;
  }
}

TEST(Heap, UnreachableObjectsAreDestroyed) {
  int count = 0;
  {
    Heap heap;
    make_garbage(heap, &count, 1000);
    EXPECT_EQ(count, 1000);
    scrub_stack();
    heap.collect();
    EXPECT_LE(count, 10);  // a conservative scan may keep a few
    make_garbage(heap, &count, 10);
  }
  EXPECT_EQ(count, 0);
}

TEST(Heap, LocalsAndInteriorPointersKeepObjects) {
  int count = 0;
  Heap heap;
  Counted* first = heap.make<Counted>(&count);
  first->next = Value::object(heap.make<Counted>(&count));
  Value* interior = &first->next;
  first = nullptr;
  heap.collect();
  EXPECT_EQ(count, 2);
  EXPECT_TRUE(interior->is<Counted>());
}

TEST(Heap, RootedVectorKeepsObjects) {
  int count = 0;
  Heap heap;
  auto values = std::make_unique<RootedVector<Value>>(heap);
  for (int i = 0; i < 500; ++i) {
    values->push_back(Value::object(heap.make<Counted>(&count)));
  }
  heap.collect();
  EXPECT_EQ(count, 500);
  for (Value value : *values) {
    EXPECT_TRUE(value.is<Counted>());
  }
  values.reset();
  scrub_stack();
  heap.collect();
  EXPECT_LE(count, 10);
}

TEST(Heap, LongChainsAreMarkedWithoutRecursion) {
  int count = 0;
  Heap heap;
  Value chain;
  for (int i = 0; i < 300000; ++i) {
    Counted* link = heap.make<Counted>(&count);
    link->next = chain;
    chain = Value::object(link);
  }
  heap.collect();
  EXPECT_EQ(count, 300000);
  EXPECT_TRUE(chain.is<Counted>());
}

TEST(Heap, LargeObjectsComeAndGo) {
  Heap heap;
  Big* kept = heap.make<Big>();
  kept->bytes[4999] = 7;
  for (int i = 0; i < 10000; ++i) {
    heap.make<Big>();
    heap.safepoint();
  }
  EXPECT_EQ(kept->bytes[4999], 7);
  EXPECT_LT(heap.stats().reserved_bytes, size_t{40} << 20);
}

TEST(Heap, ExternalBytesBringCollectionNearer) {
  Heap heap;
  size_t before = heap.stats().collections;
  heap.add_external_bytes(int64_t{1} << 30);
  heap.safepoint();
  EXPECT_EQ(heap.stats().collections, before + 1);
  heap.add_external_bytes(-(int64_t{1} << 30));
  EXPECT_EQ(heap.external_bytes(), 0);
}

TEST(Heap, TenMillionConsesStayFlat) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(let ((l nil)) (dotimes (i 10000000) (setq l (cons i nil))) l)"),
            "(9999999)");
  EXPECT_LT(lisp.interp().heap().stats().reserved_bytes, size_t{64} << 20);
}

TEST(Heap, ClosuresAndConditionsInFlightSurvive) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval(R"(
    (defun counter () (let ((n 0)) (lambda () (setq n (+ n 1)))))
    (let ((counters nil) (caught 0))
      (dotimes (i 100) (setq counters (cons (counter) counters)))
      (dotimes (i 20000)
        (funcall (car counters))
        (handler-case (error "number ~a of ~a" i (list i i))
          (error (c) (if (stringp (princ-to-string c)) (setq caught (+ caught 1))))))
      (list caught (funcall (car counters)) (funcall (cadr counters)))))"),
            "(20000 20001 1)");
}

}  // namespace
}  // namespace caten::lisp
