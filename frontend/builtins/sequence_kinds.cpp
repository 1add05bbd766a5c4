// Lists, vectors and strings seen alike; see sequence.h.
#include <unordered_map>

#include "frontend/builtins/sequence.h"

namespace caten::lisp {
namespace {

std::vector<Value> string_items(const String& string) {
  std::vector<Value> items;
  items.reserve(string.length());
  for (char32_t c : string.view()) {
    items.push_back(Value::character(c));
  }
  return items;
}

[[noreturn]] void bad_index(Interpreter& interp, size_t index, size_t length) {
  fail(Diag::IndexOutOfRange, interp.current_span(), "index {} is out of bounds; expected below {}",
       index, length);
}

bool named(Value type, std::initializer_list<std::string_view> names) {
  const Symbol* symbol = type.try_as<Symbol>();
  if (symbol == nullptr) {
    return false;
  }
  for (std::string_view name : names) {
    if (symbol->name == name) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Value> sequence_items(Interpreter& interp, Value sequence, std::string_view what) {
  if (sequence.is_list()) {
    return expect_list_items(interp, sequence, what);
  }
  if (const String* string = sequence.try_as<String>()) {
    return string_items(*string);
  }
  const Array* array = sequence.try_as<Array>();
  if (array == nullptr || !array->is_vector()) {
    wrong_type(interp, sequence, what, "a sequence");
  }
  return {array->data.begin(), array->data.begin() + static_cast<ptrdiff_t>(array->length())};
}

size_t sequence_length(Interpreter& interp, Value sequence, std::string_view what) {
  if (sequence.is_list()) {
    const int64_t length = list_length(sequence);
    if (length < 0) {
      wrong_type(interp, sequence, what, "a proper list");
    }
    return static_cast<size_t>(length);
  }
  if (const String* string = sequence.try_as<String>()) {
    return string->length();
  }
  const Array* array = sequence.try_as<Array>();
  if (array == nullptr || !array->is_vector()) {
    wrong_type(interp, sequence, what, "a sequence");
  }
  return array->length();
}

size_t expect_size(Interpreter& interp, Value v, std::string_view what) {
  constexpr int64_t kMost = int64_t{1} << 26;
  const int64_t n = expect_index(interp, v, what);
  if (n > kMost) {
    wrong_type(interp, v, what, fmt::format("at most {}", kMost));
  }
  return static_cast<size_t>(n);
}

bool is_circular_tree(Value root) {
  struct Visit {
    Value cons;
    bool leaving;
  };
  std::unordered_map<uint64_t, bool> open;  // seen conses; true: their parts are being walked
  std::vector<Visit> pending{{root, false}};
  while (!pending.empty()) {
    const Visit visit = pending.back();
    pending.pop_back();
    if (!visit.cons.is_cons()) {
      continue;
    }
    if (visit.leaving) {
      open[visit.cons.bits()] = false;
      continue;
    }
    const auto [seen, fresh] = open.try_emplace(visit.cons.bits(), true);
    if (!fresh) {
      if (seen->second) {
        return true;
      }
      continue;
    }
    pending.push_back({visit.cons, true});
    pending.push_back({cdr(visit.cons), false});
    pending.push_back({car(visit.cons), false});
  }
  return false;
}

bool ProperList::more() {
  if (rest_.is_cons()) {
    return true;
  }
  if (!rest_.is_nil()) {
    wrong_type(interp_, list_, what_, "a proper list");
  }
  return false;
}

void ProperList::advance() {
  rest_ = cdr(rest_);
  if (++steps_ % 2 == 0) {
    slow_ = cdr(slow_);
    if (slow_ == rest_ && rest_.is_cons()) {
      wrong_type(interp_, list_, what_, "a list that is not circular");
    }
  }
}

Value make_string_of(Interpreter& interp, std::span<const Value> items) {
  std::u32string chars;
  chars.reserve(items.size());
  for (Value item : items) {
    chars.push_back(expect_character(interp, item, "element of a string"));
  }
  return interp.string(std::move(chars));
}

Value make_sequence_like(Interpreter& interp, Value prototype, std::span<const Value> items) {
  if (prototype.is_list()) {
    return interp.list(items);
  }
  if (prototype.is<String>()) {
    return make_string_of(interp, items);
  }
  const Value made = interp.vector({items.begin(), items.end()});
  if (const Array* array = prototype.try_as<Array>()) {
    made.as<Array>()->element_type = array->element_type;
  }
  return made;
}

SequenceKind sequence_kind_of_type(Interpreter& interp, Value type) {
  const Value head = type.is_cons() ? car(type) : type;
  if (named(head, {"LIST", "CONS", "NULL"})) {
    return SequenceKind::List;
  }
  if (named(head, {"STRING", "SIMPLE-STRING", "BASE-STRING", "SIMPLE-BASE-STRING"})) {
    return SequenceKind::String;
  }
  if (named(head, {"VECTOR", "ARRAY", "SIMPLE-ARRAY"}) && type.is_cons() &&
      named(cadr(type), {"CHARACTER", "BASE-CHAR", "STANDARD-CHAR"})) {
    return SequenceKind::String;
  }
  if (named(head, {"VECTOR", "SIMPLE-VECTOR", "ARRAY", "SIMPLE-ARRAY", "BIT-VECTOR"})) {
    return SequenceKind::Vector;
  }
  wrong_type(interp, type, "result type", "a sequence type such as `list`, `vector` or `string`");
}

Value make_sequence_of_type(Interpreter& interp, Value type, std::span<const Value> items) {
  switch (sequence_kind_of_type(interp, type)) {
    case SequenceKind::List:
      return interp.list(items);
    case SequenceKind::String:
      return make_string_of(interp, items);
    case SequenceKind::Vector:
      return interp.vector({items.begin(), items.end()});
  }
  CATEN_UNREACHABLE("sequence kind");
}

void store_element(Interpreter& interp, Value array, size_t index, Value item) {
  if (String* string = array.try_as<String>()) {
    if (index >= string->chars.size()) {
      bad_index(interp, index, string->chars.size());
    }
    string->chars[index] = expect_character(interp, item, "element of a string");
    return;
  }
  Array& target = expect_object<Array>(interp, array, "array");
  if (index >= target.data.size()) {
    bad_index(interp, index, target.data.size());
  }
  if (target.element_type != Value::t() && interp.hooks.typep != nullptr &&
      !interp.hooks.typep(interp, item, target.element_type)) {
    wrong_type(interp, item, "element",
               fmt::format("of the array's type {}", interp.print(target.element_type)));
  }
  target.data[index] = item;
}

void store_items(Interpreter& interp, Value sequence, std::span<const Value> items) {
  if (sequence.is_list()) {
    Value rest = sequence;
    for (Value item : items) {
      expect_cons(interp, rest, "list").car = item;
      rest = cdr(rest);
    }
    return;
  }
  for (size_t i = 0; i < items.size(); ++i) {
    store_element(interp, sequence, i, items[i]);
  }
}

Bounds bounds_of(Interpreter& interp, Value start, Value end, size_t length) {
  const int64_t from = start.is_nil() ? 0 : expect_index(interp, start, "start");
  const int64_t to = end.is_nil() ? static_cast<int64_t>(length) : expect_index(interp, end, "end");
  if (to > static_cast<int64_t>(length) || from > to) {
    fail(Diag::IndexOutOfRange, interp.current_span(),
         "the bounds {} and {} do not fit a sequence of length {}", from, to, length);
  }
  return {static_cast<size_t>(from), static_cast<size_t>(to)};
}

Comparison::Comparison(Interpreter& interp, const KeywordArgs& keys) : interp_(interp) {
  const Value key = keys.get("KEY");
  if (!key.is_nil()) {
    key_ = interp.coerce_to_function(key);
  }
  const Value test_not = keys.get("TEST-NOT");
  Value test = keys.get("TEST");
  if (!test.is_nil() && !test_not.is_nil()) {
    fail(Diag::BadArguments, interp.current_span(), "both :test and :test-not were given");
  }
  if (!test_not.is_nil()) {
    negated_ = true;
    test = test_not;
  }
  if (test.is_nil()) {
    return;
  }
  test_ = interp.coerce_to_function(test);
  const auto is = [&](std::string_view name) {
    return test_ == interp.function_of(interp.cl(name));
  };
  fast_ = is("EQL") ? Fast::Eql : is("EQUAL") ? Fast::Equal : is("EQ") ? Fast::Eq : Fast::Call;
}

bool Comparison::test(Value a, Value b) const {
  switch (fast_) {
    case Fast::Eq:
      return (a == b) != negated_;
    case Fast::Eql:
      return eql(a, b) != negated_;
    case Fast::Equal:
      return equal(a, b) != negated_;
    case Fast::Call:
      return interp_.call(test_, {a, b}).truthy() != negated_;
  }
  CATEN_UNREACHABLE("comparison");
}

Criterion::Criterion(Interpreter& interp, Match match, Value item_or_predicate,
                     const KeywordArgs& keys)
    : interp_(interp),
      match_(match),
      item_(match == Match::Item ? item_or_predicate
                                 : interp.coerce_to_function(item_or_predicate)),
      comparison_(interp, keys) {}

bool Criterion::operator()(Value element) const {
  const Value key = comparison_.key(element);
  if (match_ == Match::Item) {
    return comparison_.test(item_, key);
  }
  return interp_.call(item_, {key}).truthy() == (match_ == Match::If);
}

}  // namespace caten::lisp
