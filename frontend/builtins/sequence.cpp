// Sequences as wholes: length, elements, parts, copies, concatenation, filling, replacing.
#include "frontend/builtins/sequence.h"

#include <algorithm>

#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

Value sequence_length_fn(Interpreter& interp, Args args) {
  return Value::fixnum(static_cast<int64_t>(sequence_length(interp, args[0], "argument")));
}

/// The index of an element, checked against the length.
size_t element_index(Interpreter& interp, Value sequence, Value index) {
  const size_t length = sequence_length(interp, sequence, "sequence");
  const auto i = static_cast<size_t>(expect_index(interp, index, "index"));
  if (i >= length) {
    fail(Diag::IndexOutOfRange, interp.current_span(),
         "index {} is out of bounds; expected below {}", i, length);
  }
  return i;
}

Value list_tail(Value list, size_t n) {
  for (; n > 0; --n) {
    list = cdr(list);
  }
  return list;
}

Value sequence_elt(Interpreter& interp, Args args) {
  const size_t i = element_index(interp, args[0], args[1]);
  if (args[0].is_list()) {
    return car(list_tail(args[0], i));
  }
  if (const String* string = args[0].try_as<String>()) {
    return Value::character(string->chars[i]);
  }
  return args[0].as<Array>()->data[i];
}

Value sequence_subseq(Interpreter& interp, Args args) {
  if (const String* string = args[0].try_as<String>()) {
    const Bounds bounds = bounds_of(interp, args[1], arg_or(args, 2), string->length());
    return interp.string(
        std::u32string(string->view().substr(bounds.start, bounds.end - bounds.start)));
  }
  const std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  const Bounds bounds = bounds_of(interp, args[1], arg_or(args, 2), items.size());
  return make_sequence_like(interp, args[0],
                            std::span(items).subspan(bounds.start, bounds.end - bounds.start));
}

void replace_items(Interpreter& interp, Value target, size_t start, std::span<const Value> items) {
  if (target.is_list()) {
    store_items(interp, list_tail(target, start), items);
    return;
  }
  for (size_t i = 0; i < items.size(); ++i) {
    store_element(interp, target, start + i, items[i]);
  }
}

Value sequence_copy_seq(Interpreter& interp, Args args) {
  return make_sequence_like(interp, args[0], sequence_items(interp, args[0], "sequence"));
}

Value sequence_reverse(Interpreter& interp, Args args) {
  std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  std::ranges::reverse(items);
  return make_sequence_like(interp, args[0], items);
}

Value sequence_nreverse(Interpreter& interp, Args args) {
  if (args[0].is_list()) {
    Value reversed = Value::nil();
    sequence_length(interp, args[0], "sequence");
    for (Value rest = args[0]; rest.is_cons();) {
      const Value next = cdr(rest);
      rest.cons_pointer()->cdr = reversed;
      reversed = rest;
      rest = next;
    }
    return reversed;
  }
  std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  std::ranges::reverse(items);
  store_items(interp, args[0], items);
  return args[0];
}

Value sequence_make_sequence(Interpreter& interp, Args args) {
  const size_t n = expect_size(interp, args[1], "size");
  const KeywordArgs keys(interp, args, 2, {"INITIAL-ELEMENT"});
  const SequenceKind kind = sequence_kind_of_type(interp, args[0]);
  const Value fill = kind == SequenceKind::String ? Value::character(0)
                     : kind == SequenceKind::List ? Value::nil()
                                                  : Value::fixnum(0);
  return make_sequence_of_type(interp, args[0],
                               std::vector<Value>(n, keys.get("INITIAL-ELEMENT", fill)));
}

Value sequence_concatenate(Interpreter& interp, Args args) {
  std::vector<Value> items;
  for (Value sequence : args.subspan(1)) {
    const std::vector<Value> part = sequence_items(interp, sequence, "argument");
    items.insert(items.end(), part.begin(), part.end());
  }
  return make_sequence_of_type(interp, args[0], items);
}

Value sequence_fill(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 2, {"START", "END"});
  const size_t length = sequence_length(interp, args[0], "sequence");
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), length);
  replace_items(interp, args[0], bounds.start,
                std::vector<Value>(bounds.end - bounds.start, args[1]));
  return args[0];
}

Value sequence_replace(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 2, {"START1", "END1", "START2", "END2"});
  const Bounds to = bounds_of(interp, keys.get("START1"), keys.get("END1"),
                              sequence_length(interp, args[0], "sequence"));
  const std::vector<Value> items = sequence_items(interp, args[1], "source");
  const Bounds from = bounds_of(interp, keys.get("START2"), keys.get("END2"), items.size());
  const size_t count = std::min(to.end - to.start, from.end - from.start);
  replace_items(interp, args[0], to.start, std::span(items).subspan(from.start, count));
  return args[0];
}

// clang-format off
constexpr Builtin kSequenceBuiltins[] = {
    // name             package min max  doc                                                   function
    {"LENGTH",          "CL",   1,  1,   "the number of elements of a sequence",               sequence_length_fn},
    {"ELT",             "CL",   2,  2,   "the element of a sequence at an index",              sequence_elt},
    {"SUBSEQ",          "CL",   2,  3,   "(subseq sequence start [end]): a copy of a part",    sequence_subseq},
    {"COPY-SEQ",        "CL",   1,  1,   "a copy of a sequence",                               sequence_copy_seq},
    {"REVERSE",         "CL",   1,  1,   "a reversed copy of a sequence",                      sequence_reverse},
    {"NREVERSE",        "CL",   1,  1,   "reverses a sequence in place",                       sequence_nreverse},
    {"MAKE-SEQUENCE",   "CL",   2,  -1,  "(make-sequence type size &key initial-element)",     sequence_make_sequence},
    {"CONCATENATE",     "CL",   1,  -1,  "(concatenate type &rest sequences)",                 sequence_concatenate},
    {"FILL",            "CL",   2,  -1,  "stores one value into all elements (&key start end)", sequence_fill},
    {"REPLACE",         "CL",   2,  -1,  "copies elements of the second sequence into the first", sequence_replace},
};
// clang-format on

}  // namespace

std::span<const Builtin> sequence_builtins() {
  return kSequenceBuiltins;
}

}  // namespace caten::lisp
