// Sorting and merging. A merge sort of our own: std::sort with a user's inconsistent or throwing
// predicate would be undefined, this one only gives an unspecified order.
#include <algorithm>

#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

struct Order {
  Interpreter& interp;
  Value predicate;
  Value key;  // NIL: identity

  Value key_of(Value item) const { return key.is_nil() ? item : interp.call(key, {item}); }
  bool before(Value a_key, Value b_key) const {
    return interp.call(predicate, {a_key, b_key}).truthy();
  }
};

Order order_of(Interpreter& interp, Value predicate, const KeywordArgs& keys) {
  const Value key = keys.get("KEY");
  return {interp, interp.coerce_to_function(predicate),
          key.is_nil() ? key : interp.coerce_to_function(key)};
}

/// Stable bottom-up merge sort of positions by their keys.
std::vector<size_t> sorted_positions(const Order& order, RootedVector<Value>& keys) {
  std::vector<size_t> from(keys.size());
  for (size_t i = 0; i < from.size(); ++i) {
    from[i] = i;
  }
  std::vector<size_t> to(from.size());
  for (size_t width = 1; width < from.size(); width *= 2) {
    for (size_t begin = 0; begin < from.size(); begin += 2 * width) {
      size_t i = begin;
      const size_t middle = std::min(begin + width, from.size());
      size_t j = middle;
      const size_t end = std::min(begin + 2 * width, from.size());
      for (size_t out = begin; out < end; ++out) {
        const bool second = i == middle || (j < end && order.before(keys[from[j]], keys[from[i]]));
        to[out] = second ? from[j++] : from[i++];
      }
    }
    std::swap(from, to);
  }
  return from;
}

Value sort_sort(Interpreter& interp, Args args) {
  const Order order = order_of(interp, args[1], KeywordArgs(interp, args, 2, {"KEY"}));
  RootedVector<Value> items(interp.heap(), sequence_items(interp, args[0], "sequence"));
  RootedVector<Value> keys(interp.heap());
  for (Value item : items) {
    keys.push_back(order.key_of(item));
  }
  std::vector<Value> sorted;
  for (size_t position : sorted_positions(order, keys)) {
    sorted.push_back(items[position]);
  }
  store_items(interp, args[0], sorted);
  return args[0];
}

Value sort_merge(Interpreter& interp, Args args) {
  sequence_kind_of_type(interp, args[0]);
  const Order order = order_of(interp, args[3], KeywordArgs(interp, args, 4, {"KEY"}));
  RootedVector<Value> a(interp.heap(), sequence_items(interp, args[1], "first sequence"));
  RootedVector<Value> b(interp.heap(), sequence_items(interp, args[2], "second sequence"));
  std::vector<Value> merged;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool second =
        i == a.size() || (j < b.size() && order.before(order.key_of(b[j]), order.key_of(a[i])));
    merged.push_back(second ? b[j++] : a[i++]);
  }
  return make_sequence_of_type(interp, args[0], merged);
}

// clang-format off
constexpr Builtin kSortBuiltins[] = {
    // name           package min max  doc                                                         function
    {"SORT",          "CL",   2,  -1,  "sorts a sequence in place by a predicate (&key key)",      sort_sort},
    {"STABLE-SORT",   "CL",   2,  -1,  "sorts in place; equal elements keep their order",          sort_sort},
    {"MERGE",         "CL",   4,  -1,  "(merge type a b predicate &key key): two sorted sequences as one", sort_merge},
};
// clang-format on

}  // namespace

std::span<const Builtin> sort_builtins() {
  return kSortBuiltins;
}

}  // namespace caten::lisp
