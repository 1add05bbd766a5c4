// EQL, EQUAL, EQUALP and hashes that agree with them. Deep structures do not recurse in C++.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "frontend/clos/objects.h"
#include "frontend/lisp/hash_table.h"
#include "frontend/lisp/value.h"

namespace caten::lisp {
namespace {

uint64_t mix(uint64_t h) {
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15U;
  h ^= h >> 29;
  return h;
}

uint64_t combine(uint64_t h, uint64_t next) {
  return mix(h * 31 + next);
}

char32_t fold_case(char32_t c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

bool is_real(Value v) {
  return v.is_fixnum() || v.is_single() || v.is<Integer>() || v.is<Double>() || v.is<Ratio>();
}

double approximate(Value v) {
  if (v.is_fixnum()) {
    return static_cast<double>(v.fixnum_value());
  }
  if (v.is_single()) {
    return v.single_value();
  }
  if (auto* integer = v.try_as<Integer>()) {
    return static_cast<double>(integer->value);
  }
  if (auto* ratio = v.try_as<Ratio>()) {
    return static_cast<double>(ratio->numerator) / static_cast<double>(ratio->denominator);
  }
  return v.as<Double>()->value;
}

bool is_exact(Value v) {
  return !v.is_single() && !v.is<Double>();
}

// `=` on numbers of any kinds. An exact and a float number are compared as doubles, which is
// right up to 2^53.
bool same_number(Value a, Value b) {
  if (is_exact(a) && is_exact(b)) {
    return eql(a, b);
  }
  return approximate(a) == approximate(b);
}

bool same_text(const String& a, const String& b, bool fold) {
  if (!fold) {
    return a.view() == b.view();
  }
  if (a.length() != b.length()) {
    return false;
  }
  const std::u32string_view left = a.view();
  const std::u32string_view right = b.view();
  return std::equal(left.begin(), left.end(), right.begin(),
                    [](char32_t x, char32_t y) { return fold_case(x) == fold_case(y); });
}

using Pairs = std::vector<std::pair<Value, Value>>;

// EQUALP of two arrays: dimensions here, elements through `pending`.
bool compare_arrays(const Array& a, const Array& b, Pairs& pending) {
  bool vectors = a.is_vector() && b.is_vector();
  if (vectors ? a.length() != b.length() : a.dims != b.dims) {
    return false;
  }
  size_t count = vectors ? a.length() : a.data.size();
  for (size_t i = 0; i < count; ++i) {
    pending.emplace_back(a.data[i], b.data[i]);
  }
  return true;
}

bool compare_tables(const HashTable& a, HashTable& b, Pairs& pending) {
  if (a.count() != b.count() || a.test != b.test) {
    return false;
  }
  for (const HashTable::Entry& entry : a.entries) {
    if (entry.key.is_none()) {
      continue;
    }
    Value* other = b.find(entry.key);
    if (other == nullptr) {
      return false;
    }
    pending.emplace_back(entry.value, *other);
  }
  return true;
}

/// A structure, as defstruct makes them, or null.
const Instance* as_structure(Value v) {
  const Instance* instance = v.try_as<Instance>();
  return instance != nullptr && instance->layout->cls->metaclass == Metaclass::Structure ? instance
                                                                                         : nullptr;
}

bool compare_structures(const Instance& a, const Instance& b, Pairs& pending) {
  if (a.layout != b.layout) {
    return false;
  }
  for (size_t i = 0; i < a.layout->names.size(); ++i) {
    pending.emplace_back(a.slots[i], b.slots[i]);
  }
  return true;
}

// Everything but conses. `fold` selects EQUALP.
bool same_leaf(Value a, Value b, bool fold, Pairs& pending) {
  if (eql(a, b)) {
    return true;
  }
  if (auto* text = a.try_as<String>()) {
    auto* other = b.try_as<String>();
    return other != nullptr && same_text(*text, *other, fold);
  }
  if (!fold) {
    return false;
  }
  if (a.is_character() && b.is_character()) {
    return fold_case(a.character_value()) == fold_case(b.character_value());
  }
  if (is_real(a) && is_real(b)) {
    return same_number(a, b);
  }
  if (auto* array = a.try_as<Array>()) {
    auto* other = b.try_as<Array>();
    return other != nullptr && compare_arrays(*array, *other, pending);
  }
  if (auto* table = a.try_as<HashTable>()) {
    auto* other = b.try_as<HashTable>();
    return other != nullptr && compare_tables(*table, *other, pending);
  }
  if (const Instance* structure = as_structure(a)) {
    const Instance* other = as_structure(b);
    return other != nullptr && compare_structures(*structure, *other, pending);
  }
  return false;
}

bool same_structure(Value a, Value b, bool fold) {
  Pairs pending;
  for (;;) {
    while (a.is_cons() && b.is_cons()) {
      if (a == b) {
        break;
      }
      Value left = a.cons_pointer()->car;
      Value right = b.cons_pointer()->car;
      if (left.is_cons() && right.is_cons()) {
        pending.emplace_back(left, right);
      } else if (!same_leaf(left, right, fold, pending)) {
        return false;
      }
      a = a.cons_pointer()->cdr;
      b = b.cons_pointer()->cdr;
    }
    if (a != b && (a.is_cons() || b.is_cons() || !same_leaf(a, b, fold, pending))) {
      return false;
    }
    if (pending.empty()) {
      return true;
    }
    std::tie(a, b) = pending.back();
    pending.pop_back();
  }
}

uint64_t hash_text(const String& text, bool fold) {
  uint64_t h = text.length();
  for (char32_t c : text.view()) {
    h = h * 1099511628211U + (fold ? fold_case(c) : c);
  }
  return mix(h);
}

uint64_t hash_structure(Value v, bool fold, int depth);

uint64_t hash_leaf(Value v, bool fold, int depth) {
  if (auto* text = v.try_as<String>()) {
    return hash_text(*text, fold);
  }
  if (!fold) {
    return hash_eql(v);
  }
  if (v.is_character()) {
    return mix(fold_case(v.character_value()));
  }
  if (is_real(v)) {
    double d = approximate(v);
    return mix(std::bit_cast<uint64_t>(d == 0 ? 0.0 : d));
  }
  if (auto* array = v.try_as<Array>()) {
    uint64_t h = array->dims.size();
    for (size_t i = 0; i < array->length() && i < 8 && depth > 0; ++i) {
      h = combine(h, hash_structure(array->data[i], fold, depth - 1));
    }
    return h;
  }
  if (auto* table = v.try_as<HashTable>()) {
    return mix(table->count());
  }
  if (const Instance* structure = as_structure(v)) {
    return mix(reinterpret_cast<uintptr_t>(structure->layout));
  }
  return hash_eql(v);
}

// Looks at most `depth` levels deep and 16 elements far, which bounds the time.
uint64_t hash_structure(Value v, bool fold, int depth) {
  if (!v.is_cons()) {
    return hash_leaf(v, fold, depth);
  }
  uint64_t h = 17;
  for (int i = 0; v.is_cons() && i < 16; ++i) {
    if (depth > 0) {
      h = combine(h, hash_structure(v.cons_pointer()->car, fold, depth - 1));
    }
    v = v.cons_pointer()->cdr;
  }
  return v.is_cons() ? h : combine(h, hash_leaf(v, fold, depth));
}

}  // namespace

bool eql(Value a, Value b) {
  if (a == b) {
    return true;
  }
  if (!a.is_object() || !b.is_object()) {
    return false;
  }
  if (auto* x = a.try_as<Integer>()) {
    auto* y = b.try_as<Integer>();
    return y != nullptr && x->value == y->value;
  }
  if (auto* x = a.try_as<Double>()) {
    auto* y = b.try_as<Double>();
    return y != nullptr && std::bit_cast<uint64_t>(x->value) == std::bit_cast<uint64_t>(y->value);
  }
  if (auto* x = a.try_as<Ratio>()) {
    auto* y = b.try_as<Ratio>();
    return y != nullptr && x->numerator == y->numerator && x->denominator == y->denominator;
  }
  return false;
}

bool equal(Value a, Value b) {
  return same_structure(a, b, false);
}
bool equalp(Value a, Value b) {
  return same_structure(a, b, true);
}

uint64_t hash_eql(Value v) {
  if (v.is_object()) {
    if (auto* integer = v.try_as<Integer>()) {
      return mix(static_cast<uint64_t>(integer->value));
    }
    if (auto* number = v.try_as<Double>()) {
      return mix(std::bit_cast<uint64_t>(number->value) + 1);
    }
    if (auto* ratio = v.try_as<Ratio>()) {
      return combine(static_cast<uint64_t>(ratio->numerator),
                     static_cast<uint64_t>(ratio->denominator));
    }
  }
  return mix(v.bits());
}

uint64_t hash_equal(Value v) {
  return hash_structure(v, false, 4);
}
uint64_t hash_equalp(Value v) {
  return hash_structure(v, true, 4);
}

}  // namespace caten::lisp
