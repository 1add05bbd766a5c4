// HashTable: the Lisp hash table. Iteration is in order of insertion, as SBCL does.
#pragma once

#include "frontend/lisp/value.h"

namespace caten::lisp {

enum class HashTest : uint8_t { Eq, Eql, Equal, Equalp };

struct HashTable : HeapObject {
  explicit HashTable(HashTest t) : test(t) {}

  struct Entry {
    Value key;  // no value: removed
    Value value;
    uint64_t hash;
  };

  /// The place of a key's value, or null.
  Value* find(Value key);
  void set(Value key, Value value);
  bool remove(Value key);
  void clear();
  size_t count() const { return live; }

  HashTest test;
  size_t live = 0;
  std::vector<Entry> entries;     // in order of insertion, with holes
  std::vector<uint32_t> buckets;  // index + 1 into entries; 0: empty
  static const ObjectType kType;

 private:
  uint64_t hash_of(Value key) const;
  bool same(Value a, Value b) const;
  void rehash();
};

}  // namespace caten::lisp
