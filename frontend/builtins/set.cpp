// Lists as sets: adjoin, union, intersection and the other set operations.
#include <algorithm>

#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

Value set_adjoin(Interpreter& interp, Args args) {
  const Comparison comparison(interp, KeywordArgs(interp, args, 2, {"KEY", "TEST", "TEST-NOT"}));
  const Value key = comparison.key(args[0]);
  RootedVector<Value> items(interp.heap(), expect_list_items(interp, args[1], "list"));
  for (Value item : items) {
    if (comparison.test(key, comparison.key(item))) {
      return args[1];
    }
  }
  return interp.cons(args[0], args[1]);
}

/// Two lists with the keys of their elements.
struct TwoSets {
  TwoSets(Interpreter& interp, Args args)
      : comparison(interp, KeywordArgs(interp, args, 2, {"KEY", "TEST", "TEST-NOT"})),
        a(interp.heap(), expect_list_items(interp, args[0], "first list")),
        b(interp.heap(), expect_list_items(interp, args[1], "second list")),
        a_keys(interp.heap()),
        b_keys(interp.heap()) {
    for (Value item : a) {
      a_keys.push_back(comparison.key(item));
    }
    for (Value item : b) {
      b_keys.push_back(comparison.key(item));
    }
  }
  bool b_has(Value a_key) {
    return std::ranges::any_of(*b_keys, [&](Value k) { return comparison.test(a_key, k); });
  }
  bool a_has(Value b_key) {
    return std::ranges::any_of(*a_keys, [&](Value k) { return comparison.test(k, b_key); });
  }

  Comparison comparison;
  RootedVector<Value> a, b, a_keys, b_keys;
};

/// The elements of the first list that are (or are not) in the second.
template <bool Wanted>
Value set_filter(Interpreter& interp, Args args) {
  TwoSets sets(interp, args);
  ListCollector out(interp);
  for (size_t i = 0; i < sets.a.size(); ++i) {
    if (sets.b_has(sets.a_keys[i]) == Wanted) {
      out.add(sets.a[i]);
    }
  }
  return out.finish();
}

Value set_union(Interpreter& interp, Args args) {
  TwoSets sets(interp, args);
  ListCollector out(interp);
  for (size_t i = 0; i < sets.a.size(); ++i) {
    if (!sets.b_has(sets.a_keys[i])) {
      out.add(sets.a[i]);
    }
  }
  return out.finish(args[1]);
}

Value set_exclusive_or(Interpreter& interp, Args args) {
  TwoSets sets(interp, args);
  ListCollector out(interp);
  for (size_t i = 0; i < sets.a.size(); ++i) {
    if (!sets.b_has(sets.a_keys[i])) {
      out.add(sets.a[i]);
    }
  }
  for (size_t i = 0; i < sets.b.size(); ++i) {
    if (!sets.a_has(sets.b_keys[i])) {
      out.add(sets.b[i]);
    }
  }
  return out.finish();
}

Value set_subsetp(Interpreter& interp, Args args) {
  TwoSets sets(interp, args);
  for (Value key : sets.a_keys) {
    if (!sets.b_has(key)) {
      return Value::nil();
    }
  }
  return Value::t();
}

// clang-format off
constexpr Builtin kSetBuiltins[] = {
    // name                 package min max  doc                                                   function
    {"ADJOIN",              "CL",   2,  -1,  "the list with an item in front, unless it is there", set_adjoin},
    {"UNION",               "CL",   2,  -1,  "elements that are in either list",                   set_union},
    {"NUNION",              "CL",   2,  -1,  "like union; may change the lists",                   set_union},
    {"INTERSECTION",        "CL",   2,  -1,  "elements of the first list that are in the second",  set_filter<true>},
    {"NINTERSECTION",       "CL",   2,  -1,  "like intersection; may change the first list",       set_filter<true>},
    {"SET-DIFFERENCE",      "CL",   2,  -1,  "elements of the first list that are not in the second", set_filter<false>},
    {"NSET-DIFFERENCE",     "CL",   2,  -1,  "like set-difference; may change the first list",     set_filter<false>},
    {"SET-EXCLUSIVE-OR",    "CL",   2,  -1,  "elements that are in exactly one of two lists",      set_exclusive_or},
    {"NSET-EXCLUSIVE-OR",   "CL",   2,  -1,  "like set-exclusive-or; may change the lists",        set_exclusive_or},
    {"SUBSETP",             "CL",   2,  -1,  "true if every element of the first list is in the second", set_subsetp},
};
// clang-format on

}  // namespace

std::span<const Builtin> set_builtins() {
  return kSetBuiltins;
}

}  // namespace caten::lisp
