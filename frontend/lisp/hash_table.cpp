// See hash_table.h.
#include "frontend/lisp/hash_table.h"

#include <utility>

namespace caten::lisp {
namespace {

void trace_table(HeapObject* object, Tracer& tracer) {
  for (const HashTable::Entry& entry : static_cast<HashTable*>(object)->entries) {
    trace(tracer, entry.key);
    trace(tracer, entry.value);
  }
}

void destroy_table(HeapObject* object) {
  static_cast<HashTable*>(object)->~HashTable();
}

// A bucket whose entry was removed: searching goes on past it.
constexpr uint32_t kRemoved = UINT32_MAX;

}  // namespace

const ObjectType HashTable::kType = {"hash-table", trace_table, destroy_table};

uint64_t HashTable::hash_of(Value key) const {
  switch (test) {
    case HashTest::Eq:
    case HashTest::Eql:
      return hash_eql(key);
    case HashTest::Equal:
      return hash_equal(key);
    case HashTest::Equalp:
      return hash_equalp(key);
  }
  CATEN_UNREACHABLE("hash test");
}

bool HashTable::same(Value a, Value b) const {
  switch (test) {
    case HashTest::Eq:
    case HashTest::Eql:
      return eql(a, b);
    case HashTest::Equal:
      return equal(a, b);
    case HashTest::Equalp:
      return equalp(a, b);
  }
  CATEN_UNREACHABLE("hash test");
}

Value* HashTable::find(Value key) {
  if (live == 0) {
    return nullptr;
  }
  uint64_t hash = hash_of(key);
  size_t mask = buckets.size() - 1;
  for (size_t slot = hash & mask; buckets[slot] != 0; slot = (slot + 1) & mask) {
    if (buckets[slot] == kRemoved) {
      continue;
    }
    Entry& entry = entries[buckets[slot] - 1];
    if (entry.hash == hash && same(entry.key, key)) {
      return &entry.value;
    }
  }
  return nullptr;
}

void HashTable::set(Value key, Value value) {
  if (Value* place = find(key)) {
    *place = value;
    return;
  }
  if ((entries.size() + 1) * 2 > buckets.size()) {
    rehash();
  }
  uint64_t hash = hash_of(key);
  size_t mask = buckets.size() - 1;
  size_t slot = hash & mask;
  while (buckets[slot] != 0 && buckets[slot] != kRemoved) {
    slot = (slot + 1) & mask;
  }
  entries.push_back({key, value, hash});
  buckets[slot] = static_cast<uint32_t>(entries.size());
  ++live;
}

bool HashTable::remove(Value key) {
  Value* place = find(key);
  if (place == nullptr) {
    return false;
  }
  auto index = static_cast<size_t>(
      reinterpret_cast<Entry*>(reinterpret_cast<char*>(place) - offsetof(Entry, value)) -
      entries.data());
  Entry& entry = entries[index];
  size_t mask = buckets.size() - 1;
  size_t slot = entry.hash & mask;
  while (buckets[slot] != index + 1) {
    slot = (slot + 1) & mask;
  }
  buckets[slot] = kRemoved;
  entry = Entry{};
  --live;
  return true;
}

void HashTable::clear() {
  entries.clear();
  buckets.clear();
  live = 0;
}

// Drops the holes and doubles the buckets as needed. Entries are only moved here, in set(): maphash
// may remove the current entry while it iterates by index.
void HashTable::rehash() {
  std::erase_if(entries, [](const Entry& entry) { return entry.key.is_none(); });
  size_t size = 8;
  while (size < (entries.size() + 1) * 4) {
    size *= 2;
  }
  buckets.assign(size, 0);
  size_t mask = size - 1;
  for (size_t i = 0; i < entries.size(); ++i) {
    size_t slot = entries[i].hash & mask;
    while (buckets[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    buckets[slot] = static_cast<uint32_t>(i + 1);
  }
}

}  // namespace caten::lisp
