// Choosing elements of sequences: find, position, count, remove, substitute, duplicates; and
// comparing two sequences: search, mismatch.
#include <algorithm>

#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

/// The sequence argument, its bounds and the criterion of one call.
class Selection {
 public:
  /// `item` is the position of the item or predicate; the sequence follows it.
  Selection(Interpreter& interp, Match match, Args args, size_t item)
      : keys_(keywords(interp, match, args, item + 2)),
        items(interp.heap(), sequence_items(interp, args[item + 1], "sequence")),
        bounds(bounds_of(interp, keys_.get("START"), keys_.get("END"), items.size())),
        from_end(keys_.get("FROM-END").truthy()),
        criterion_(interp, match, args[item], keys_) {
    const Value count = keys_.get("COUNT");
    if (!count.is_nil()) {
      limit = static_cast<size_t>(std::max<int64_t>(0, expect_int(interp, count, "count")));
    }
  }

  bool matches(size_t index) { return criterion_(items[index]); }

  /// The index of the first match (last, from the end), or items.size().
  size_t find() {
    for (size_t i = bounds.start; i < bounds.end; ++i) {
      const size_t at = from_end ? bounds.end - 1 - (i - bounds.start) : i;
      if (matches(at)) {
        return at;
      }
    }
    return items.size();
  }

  /// One flag per element: whether it is a match within :count.
  std::vector<bool> marks() {
    std::vector<bool> marked(items.size(), false);
    size_t left = limit;
    for (size_t i = bounds.start; i < bounds.end && left > 0; ++i) {
      const size_t at = from_end ? bounds.end - 1 - (i - bounds.start) : i;
      if (matches(at)) {
        marked[at] = true;
        --left;
      }
    }
    return marked;
  }

 private:
  static KeywordArgs keywords(Interpreter& interp, Match match, Args args, size_t first) {
    if (match == Match::Item) {
      return {
          interp, args, first, {"KEY", "TEST", "TEST-NOT", "START", "END", "FROM-END", "COUNT"}};
    }
    return {interp, args, first, {"KEY", "START", "END", "FROM-END", "COUNT"}};
  }
  KeywordArgs keys_;

 public:
  RootedVector<Value> items;
  Bounds bounds;
  bool from_end;
  size_t limit = SIZE_MAX;

 private:
  Criterion criterion_;
};

template <Match M>
Value search_find(Interpreter& interp, Args args) {
  Selection selection(interp, M, args, 0);
  const size_t at = selection.find();
  return at < selection.items.size() ? selection.items[at] : Value::nil();
}

template <Match M>
Value search_position(Interpreter& interp, Args args) {
  Selection selection(interp, M, args, 0);
  const size_t at = selection.find();
  return at < selection.items.size() ? Value::fixnum(static_cast<int64_t>(at)) : Value::nil();
}

template <Match M>
Value search_count(Interpreter& interp, Args args) {
  Selection selection(interp, M, args, 0);
  const std::vector<bool> marked = selection.marks();
  return Value::fixnum(std::ranges::count(marked, true));
}

template <Match M>
Value search_remove(Interpreter& interp, Args args) {
  Selection selection(interp, M, args, 0);
  const std::vector<bool> marked = selection.marks();
  if (std::ranges::find(marked, true) == marked.end()) {
    return args[1];
  }
  std::vector<Value> kept;
  for (size_t i = 0; i < marked.size(); ++i) {
    if (!marked[i]) {
      kept.push_back(selection.items[i]);
    }
  }
  return make_sequence_like(interp, args[1], kept);
}

template <Match M, bool InPlace>
Value search_substitute(Interpreter& interp, Args args) {
  Selection selection(interp, M, args, 1);
  const std::vector<bool> marked = selection.marks();
  for (size_t i = 0; i < marked.size(); ++i) {
    if (marked[i]) {
      selection.items[i] = args[0];
    }
  }
  if (InPlace) {
    store_items(interp, args[2], selection.items.span());
    return args[2];
  }
  return make_sequence_like(interp, args[2], selection.items.span());
}

/// Keeps the last of equal elements; the first with :from-end.
Value search_remove_duplicates(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 1, {"KEY", "TEST", "TEST-NOT", "START", "END", "FROM-END"});
  const Comparison comparison(interp, keys);
  RootedVector<Value> items(interp.heap(), sequence_items(interp, args[0], "sequence"));
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), items.size());
  const bool from_end = keys.get("FROM-END").truthy();
  RootedVector<Value> seen(interp.heap());
  for (Value item : items) {
    seen.push_back(comparison.key(item));
  }
  std::vector<bool> dropped(items.size(), false);
  for (size_t i = bounds.start; i < bounds.end; ++i) {
    const size_t from = from_end ? bounds.start : i + 1;
    const size_t to = from_end ? i : bounds.end;
    for (size_t j = from; j < to && !dropped[i]; ++j) {
      dropped[i] = from_end ? comparison.test(seen[j], seen[i]) : comparison.test(seen[i], seen[j]);
    }
  }
  std::vector<Value> kept;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!dropped[i]) {
      kept.push_back(items[i]);
    }
  }
  return make_sequence_like(interp, args[0], kept);
}

/// The two sequences of search and mismatch, as keys, cut to their bounds.
struct Pair {
  Pair(Interpreter& interp, Args args, const KeywordArgs& keys, const Comparison& comparison)
      : a(interp.heap()), b(interp.heap()) {
    const std::vector<Value> first = sequence_items(interp, args[0], "first sequence");
    a_bounds = bounds_of(interp, keys.get("START1"), keys.get("END1"), first.size());
    const std::vector<Value> second = sequence_items(interp, args[1], "second sequence");
    b_bounds = bounds_of(interp, keys.get("START2"), keys.get("END2"), second.size());
    *a = {first.begin() + static_cast<ptrdiff_t>(a_bounds.start),
          first.begin() + static_cast<ptrdiff_t>(a_bounds.end)};
    *b = {second.begin() + static_cast<ptrdiff_t>(b_bounds.start),
          second.begin() + static_cast<ptrdiff_t>(b_bounds.end)};
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = comparison.key(a[i]);
    }
    for (size_t i = 0; i < b.size(); ++i) {
      b[i] = comparison.key(b[i]);
    }
  }
  RootedVector<Value> a, b;
  Bounds a_bounds{}, b_bounds{};
};

Value search_search(Interpreter& interp, Args args) {
  const KeywordArgs keys(
      interp, args, 2, {"KEY", "TEST", "TEST-NOT", "START1", "END1", "START2", "END2", "FROM-END"});
  const Comparison comparison(interp, keys);
  Pair pair(interp, args, keys, comparison);
  if (pair.a.size() > pair.b.size()) {
    return Value::nil();
  }
  const size_t places = pair.b.size() - pair.a.size() + 1;
  const bool from_end = keys.get("FROM-END").truthy();
  for (size_t i = 0; i < places; ++i) {
    const size_t at = from_end ? places - 1 - i : i;
    size_t j = 0;
    while (j < pair.a.size() && comparison.test(pair.a[j], pair.b[at + j])) {
      ++j;
    }
    if (j == pair.a.size()) {
      return Value::fixnum(static_cast<int64_t>(pair.b_bounds.start + at));
    }
  }
  return Value::nil();
}

Value search_mismatch(Interpreter& interp, Args args) {
  const KeywordArgs keys(
      interp, args, 2, {"KEY", "TEST", "TEST-NOT", "START1", "END1", "START2", "END2", "FROM-END"});
  const Comparison comparison(interp, keys);
  Pair pair(interp, args, keys, comparison);
  const size_t shorter = std::min(pair.a.size(), pair.b.size());
  const bool from_end = keys.get("FROM-END").truthy();
  size_t same = 0;
  while (same < shorter && comparison.test(pair.a[from_end ? pair.a.size() - 1 - same : same],
                                           pair.b[from_end ? pair.b.size() - 1 - same : same])) {
    ++same;
  }
  if (same == pair.a.size() && same == pair.b.size()) {
    return Value::nil();
  }
  return Value::fixnum(
      static_cast<int64_t>(from_end ? pair.a_bounds.end - same : pair.a_bounds.start + same));
}

// clang-format off
constexpr Builtin kSearchBuiltins[] = {
    // name                 package min max  doc                                                      function
    {"FIND",                "CL",   2,  -1,  "the first element that matches an item",                search_find<Match::Item>},
    {"FIND-IF",             "CL",   2,  -1,  "the first element that satisfies a predicate",          search_find<Match::If>},
    {"FIND-IF-NOT",         "CL",   2,  -1,  "the first element that fails a predicate",              search_find<Match::IfNot>},
    {"POSITION",            "CL",   2,  -1,  "the index of the first element that matches an item",   search_position<Match::Item>},
    {"POSITION-IF",         "CL",   2,  -1,  "the index of the first element that satisfies a predicate", search_position<Match::If>},
    {"POSITION-IF-NOT",     "CL",   2,  -1,  "the index of the first element that fails a predicate", search_position<Match::IfNot>},
    {"COUNT",               "CL",   2,  -1,  "the number of elements that match an item",             search_count<Match::Item>},
    {"COUNT-IF",            "CL",   2,  -1,  "the number of elements that satisfy a predicate",       search_count<Match::If>},
    {"COUNT-IF-NOT",        "CL",   2,  -1,  "the number of elements that fail a predicate",          search_count<Match::IfNot>},
    {"REMOVE",              "CL",   2,  -1,  "the sequence without elements that match an item",      search_remove<Match::Item>},
    {"REMOVE-IF",           "CL",   2,  -1,  "the sequence without elements that satisfy a predicate", search_remove<Match::If>},
    {"REMOVE-IF-NOT",       "CL",   2,  -1,  "the elements that satisfy a predicate",                 search_remove<Match::IfNot>},
    {"DELETE",              "CL",   2,  -1,  "like remove; may change the sequence",                  search_remove<Match::Item>},
    {"DELETE-IF",           "CL",   2,  -1,  "like remove-if; may change the sequence",               search_remove<Match::If>},
    {"DELETE-IF-NOT",       "CL",   2,  -1,  "like remove-if-not; may change the sequence",           search_remove<Match::IfNot>},
    {"REMOVE-DUPLICATES",   "CL",   1,  -1,  "the sequence with only the last of equal elements",     search_remove_duplicates},
    {"DELETE-DUPLICATES",   "CL",   1,  -1,  "like remove-duplicates; may change the sequence",       search_remove_duplicates},
    {"SUBSTITUTE",          "CL",   3,  -1,  "(substitute new old sequence): a copy with old replaced", search_substitute<Match::Item, false>},
    {"SUBSTITUTE-IF",       "CL",   3,  -1,  "a copy with elements replaced where a predicate holds", search_substitute<Match::If, false>},
    {"SUBSTITUTE-IF-NOT",   "CL",   3,  -1,  "a copy with elements replaced where a predicate fails", search_substitute<Match::IfNot, false>},
    {"NSUBSTITUTE",         "CL",   3,  -1,  "substitute in place",                                   search_substitute<Match::Item, true>},
    {"NSUBSTITUTE-IF",      "CL",   3,  -1,  "substitute-if in place",                                search_substitute<Match::If, true>},
    {"NSUBSTITUTE-IF-NOT",  "CL",   3,  -1,  "substitute-if-not in place",                            search_substitute<Match::IfNot, true>},
    {"SEARCH",              "CL",   2,  -1,  "the index where the first sequence occurs in the second", search_search},
    {"MISMATCH",            "CL",   2,  -1,  "the index of the first difference of two sequences",    search_mismatch},
};
// clang-format on

}  // namespace

std::span<const Builtin> search_builtins() {
  return kSearchBuiltins;
}

}  // namespace caten::lisp
