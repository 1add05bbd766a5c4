// Functions that apply a function along lists and sequences.
#include <algorithm>
#include <memory>

#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

/// Walks several lists in step. `args[0]` is a function designator and is replaced by the
/// function; the lists are the others and are overwritten by their tails, which keeps them rooted.
class ListWalk {
 public:
  ListWalk(Interpreter& interp, Args args) : interp_(interp), args_(args), step_(interp.heap()) {
    args[0] = interp.coerce_to_function(args[0]);
  }

  /// False when one list has ended; else the arguments of the next call are ready.
  bool next(bool whole_tails) {
    step_->clear();
    if (++steps_ % (size_t{1} << 20) == 0) {
      check_end();
    }
    for (Value& list : args_.subspan(1)) {
      if (!list.is_cons()) {
        expect_list(interp_, list, "end of the list");
        return false;
      }
      step_.push_back(whole_tails ? list : car(list));
    }
    for (Value& list : args_.subspan(1)) {
      list = cdr(list);
    }
    return true;
  }
  Value call() { return interp_.call(args_[0], step_.span()); }

 private:
  /// Circular lists are fine beside one that ends.
  void check_end() {
    for (Value list : args_.subspan(1)) {
      Value slow = list;
      Value fast = list;
      while (fast.is_cons() && cdr(fast).is_cons() && (slow != cddr(fast))) {
        slow = cdr(slow);
        fast = cddr(fast);
      }
      if (!fast.is_cons() || !cdr(fast).is_cons()) {
        return;
      }
    }
    wrong_type(interp_, args_[1], "list", "one that ends");
  }

  Interpreter& interp_;
  Args args_;
  RootedVector<Value> step_;
  size_t steps_ = 0;
};

template <bool Tails>
Value map_collect(Interpreter& interp, Args args) {
  ListWalk walk(interp, args);
  ListCollector out(interp);
  while (walk.next(Tails)) {
    out.add(walk.call());
  }
  return out.finish();
}

template <bool Tails>
Value map_for_effect(Interpreter& interp, Args args) {
  const Value first = args[1];
  for (ListWalk walk(interp, args); walk.next(Tails);) {
    walk.call();
  }
  return first;
}

/// The results joined as by nconc. An atom is allowed as the last result only.
template <bool Tails>
Value map_join(Interpreter& interp, Args args) {
  ListWalk walk(interp, args);
  ListCollector out(interp);
  Value atom;
  while (walk.next(Tails)) {
    const Value part = walk.call();
    if (!atom.is_none()) {
      wrong_type(interp, atom, "result", "a list");
    }
    if (!part.is_cons()) {
      atom = part.is_nil() ? Value() : part;
      continue;
    }
    if (list_length(part) < 0) {
      wrong_type(interp, part, "result", "a proper list");
    }
    for (Value rest = part; rest.is_cons(); rest = cdr(rest)) {
      out.add_tail(rest);
    }
  }
  return out.finish(atom.is_none() ? Value::nil() : atom);
}

/// The elements of several sequences, taken in step: index i of each until the shortest ends.
class SequenceWalk {
 public:
  SequenceWalk(Interpreter& interp, Args sequences) : interp_(interp), step_(interp.heap()) {
    for (Value sequence : sequences) {
      items_.push_back(std::make_unique<RootedVector<Value>>(
          interp.heap(), sequence_items(interp, sequence, "argument")));
      count_ = std::min(count_, items_.back()->size());
    }
  }
  /// The number of calls; SIZE_MAX if there are no sequences.
  size_t count() const { return count_; }
  Value call(Value function, size_t index) {
    step_->clear();
    for (const auto& items : items_) {
      step_.push_back((*items)[index]);
    }
    return interp_.call(function, step_.span());
  }

 private:
  Interpreter& interp_;
  std::vector<std::unique_ptr<RootedVector<Value>>> items_;
  RootedVector<Value> step_;
  size_t count_ = SIZE_MAX;
};

Value map_map(Interpreter& interp, Args args) {
  if (!args[0].is_nil()) {
    sequence_kind_of_type(interp, args[0]);
  }
  args[1] = interp.coerce_to_function(args[1]);
  SequenceWalk walk(interp, args.subspan(2));
  RootedVector<Value> results(interp.heap());
  for (size_t i = 0; i < walk.count(); ++i) {
    const Value result = walk.call(args[1], i);
    if (!args[0].is_nil()) {
      results.push_back(result);
    }
  }
  return args[0].is_nil() ? Value::nil() : make_sequence_of_type(interp, args[0], results.span());
}

Value map_map_into(Interpreter& interp, Args args) {
  args[1] = interp.coerce_to_function(args[1]);
  SequenceWalk walk(interp, args.subspan(2));
  Array* const array = args[0].try_as<Array>();
  String* const string = args[0].try_as<String>();
  // A fill pointer does not limit what is written; it is set to the number of results.
  const size_t room = array != nullptr && array->is_vector() ? array->data.size()
                      : string != nullptr                    ? string->chars.size()
                                          : sequence_length(interp, args[0], "result sequence");
  const size_t count = std::min(room, walk.count());
  RootedVector<Value> results(interp.heap());
  for (size_t i = 0; i < count; ++i) {
    results.push_back(walk.call(args[1], i));
  }
  store_items(interp, args[0], results.span());
  if (array != nullptr && array->fill_pointer >= 0) {
    array->fill_pointer = static_cast<int64_t>(count);
  }
  if (string != nullptr && string->fill_pointer >= 0) {
    string->fill_pointer = static_cast<int64_t>(count);
  }
  return args[0];
}

enum class Quantifier : uint8_t { Every, Some, NotAny, NotEvery };

template <Quantifier Q>
Value map_quantifier(Interpreter& interp, Args args) {
  args[0] = interp.coerce_to_function(args[0]);
  SequenceWalk walk(interp, args.subspan(1));
  constexpr bool kStopWhen = Q == Quantifier::Some || Q == Quantifier::NotAny;
  for (size_t i = 0; i < walk.count(); ++i) {
    const Value result = walk.call(args[0], i);
    if (result.truthy() == kStopWhen) {
      return Q == Quantifier::Some ? result : Value::boolean(Q == Quantifier::NotEvery);
    }
  }
  return Value::boolean(Q == Quantifier::Every || Q == Quantifier::NotAny);
}

Value map_reduce(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 2, {"KEY", "FROM-END", "START", "END", "INITIAL-VALUE"});
  const Value function = args[0] = interp.coerce_to_function(args[0]);
  const Value key =
      keys.get("KEY").is_nil() ? Value::nil() : interp.coerce_to_function(keys.get("KEY"));
  RootedVector<Value> items(interp.heap(), sequence_items(interp, args[1], "sequence"));
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), items.size());
  const bool from_end = keys.get("FROM-END").truthy();
  const size_t count = bounds.end - bounds.start;
  const auto item = [&](size_t i) {
    const Value v = items[from_end ? bounds.end - 1 - i : bounds.start + i];
    return key.is_nil() ? v : interp.call(key, {v});
  };
  size_t i = 0;
  Value result;
  if (keys.given("INITIAL-VALUE")) {
    result = keys.get("INITIAL-VALUE");
  } else if (count == 0) {
    return interp.call(function, {});
  } else {
    result = item(i++);
  }
  for (; i < count; ++i) {
    const Value next = item(i);
    result =
        from_end ? interp.call(function, {next, result}) : interp.call(function, {result, next});
  }
  return result;
}

// clang-format off
constexpr Builtin kMappingBuiltins[] = {
    // name       package min max  doc                                                            function
    {"MAPCAR",    "CL",   2,  -1,  "the list of a function's results on elements of lists",       map_collect<false>},
    {"MAPLIST",   "CL",   2,  -1,  "the list of a function's results on tails of lists",          map_collect<true>},
    {"MAPC",      "CL",   2,  -1,  "calls a function on elements of lists; returns the first list", map_for_effect<false>},
    {"MAPL",      "CL",   2,  -1,  "calls a function on tails of lists; returns the first list",  map_for_effect<true>},
    {"MAPCAN",    "CL",   2,  -1,  "like mapcar, results joined as by nconc",                     map_join<false>},
    {"MAPCON",    "CL",   2,  -1,  "like maplist, results joined as by nconc",                    map_join<true>},
    {"MAP",       "CL",   3,  -1,  "(map type function &rest sequences); type NIL for effect",    map_map},
    {"MAP-INTO",  "CL",   2,  -1,  "(map-into result function &rest sequences)",                  map_map_into},
    {"EVERY",     "CL",   2,  -1,  "true if a predicate holds for all elements",                  map_quantifier<Quantifier::Every>},
    {"SOME",      "CL",   2,  -1,  "the first true value of a predicate on elements, or NIL",     map_quantifier<Quantifier::Some>},
    {"NOTANY",    "CL",   2,  -1,  "true if a predicate holds for no element",                    map_quantifier<Quantifier::NotAny>},
    {"NOTEVERY",  "CL",   2,  -1,  "true if a predicate fails for some element",                  map_quantifier<Quantifier::NotEvery>},
    {"REDUCE",    "CL",   2,  -1,  "(reduce function sequence &key key from-end start end initial-value)", map_reduce},
};
// clang-format on

}  // namespace

std::span<const Builtin> mapping_builtins() {
  return kMappingBuiltins;
}

}  // namespace caten::lisp
