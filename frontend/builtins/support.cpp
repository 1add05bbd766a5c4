// Checks and helpers for builtins; see builtins.h.
#include <algorithm>
#include <vector>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/hash_table.h"
#include "frontend/lisp/number.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {

void wrong_type(Interpreter& interp, Value value, std::string_view what,
                std::string_view expected) {
  CompileError error(Diag::WrongType, interp.current_span(),
                     fmt::format("{} is {}; expected {}", what, interp.print(value), expected));
  interp.note_error_object(Diag::WrongType, value, expected);
  throw error;
}

bool is_integer(Value v) {
  return v.is_fixnum() || v.is<Integer>();
}

bool is_number(Value v) {
  return is_integer(v) || v.is_single() || v.is<Double>() || v.is<Ratio>();
}

int64_t integer_value(Value v) {
  return v.is_fixnum() ? v.fixnum_value() : v.as<Integer>()->value;
}

int64_t expect_int(Interpreter& interp, Value v, std::string_view what) {
  if (!is_integer(v)) {
    wrong_type(interp, v, what, "an integer");
  }
  return integer_value(v);
}

int64_t expect_index(Interpreter& interp, Value v, std::string_view what) {
  if (!is_integer(v) || integer_value(v) < 0) {
    wrong_type(interp, v, what, "a non-negative integer");
  }
  return integer_value(v);
}

double expect_real(Interpreter& interp, Value v, std::string_view what) {
  if (!is_number(v)) {
    wrong_type(interp, v, what, "a real number");
  }
  return to_double(interp, v);
}

char32_t expect_character(Interpreter& interp, Value v, std::string_view what) {
  if (!v.is_character()) {
    wrong_type(interp, v, what, "a character");
  }
  return v.character_value();
}

String& expect_string(Interpreter& interp, Value v, std::string_view what) {
  auto* string = v.try_as<String>();
  if (string == nullptr) {
    wrong_type(interp, v, what, "a string");
  }
  return *string;
}

std::string expect_string_designator(Interpreter& interp, Value v, std::string_view what) {
  if (auto* string = v.try_as<String>()) {
    return string->utf8();
  }
  if (auto* symbol = v.try_as<Symbol>()) {
    return std::string(symbol->name);
  }
  if (v.is_character()) {
    char32_t c = v.character_value();
    return encode_utf8(std::u32string_view(&c, 1));
  }
  wrong_type(interp, v, what, "a string, a symbol or a character");
}

Symbol& expect_symbol(Interpreter& interp, Value v, std::string_view what) {
  auto* symbol = v.try_as<Symbol>();
  if (symbol == nullptr) {
    wrong_type(interp, v, what, "a symbol");
  }
  return *symbol;
}

Value expect_list(Interpreter& interp, Value v, std::string_view what) {
  if (!v.is_list()) {
    wrong_type(interp, v, what, "a list");
  }
  return v;
}

std::vector<Value> expect_list_items(Interpreter& interp, Value v, std::string_view what) {
  if (list_length(v) < 0) {
    wrong_type(interp, v, what, "a proper list");
  }
  std::vector<Value> items;
  for (Value item : list_items(v)) {
    items.push_back(item);
  }
  return items;
}

Cons& expect_cons(Interpreter& interp, Value v, std::string_view what) {
  if (!v.is_cons()) {
    wrong_type(interp, v, what, "a cons");
  }
  return *v.cons_pointer();
}

HashTable& expect_hash_table(Interpreter& interp, Value v, std::string_view what) {
  return expect_object<HashTable>(interp, v, what);
}

Package& expect_package(Interpreter& interp, Value designator, std::string_view what) {
  if (auto* package = designator.try_as<Package>()) {
    return *package;
  }
  std::string name = expect_string_designator(interp, designator, what);
  Package* package = interp.visible_package(name);
  if (package == nullptr) {
    CompileError error(Diag::UnknownPackage, interp.current_span(),
                       fmt::format("no package is named `{}`", name));
    std::vector<std::string> names;
    for (const Package* known : interp.packages()) {
      names.push_back(known->name);
    }
    if (auto near = did_you_mean(name, names)) {
      error.note({}, fmt::format("did you mean `{}`?", *near));
    }
    throw error;
  }
  return *package;
}

Value expect_function(Interpreter& interp, Value designator, std::string_view what) {
  if (designator.is_function()) {
    return designator;
  }
  if (!designator.is_symbol()) {
    wrong_type(interp, designator, what, "a function or the name of one");
  }
  return interp.coerce_to_function(designator);
}

// --- keyword arguments -------------------------------------------

namespace {

const Symbol* keyword_symbol(Value v) {
  const Symbol* symbol = v.try_as<Symbol>();
  return symbol != nullptr && symbol->has(kKeyword) ? symbol : nullptr;
}

}  // namespace

KeywordArgs::KeywordArgs(Interpreter& interp, std::span<Value> args, size_t first,
                         std::initializer_list<std::string_view> allowed)
    : rest_(args.subspan(std::min(first, args.size()))) {
  // Entries read their parameters outside of any builtin.
  const auto function = [&] {
    const NativeFunction* callee = interp.vm().native();
    return callee == nullptr ? std::string("this form") : interp.print(callee->name, false);
  };
  if (rest_.size() % 2 != 0) {
    fail(Diag::WrongArgumentCount, interp.current_span(),
         "`{}` has an odd number of keyword arguments; a value is missing", function());
  }
  for (size_t i = 0; i < rest_.size(); i += 2) {
    const Symbol* key = keyword_symbol(rest_[i]);
    if (key == nullptr) {
      wrong_type(interp, rest_[i], "an argument of `" + function() + "`", "a keyword");
    }
    if (key->name == "ALLOW-OTHER-KEYS" ||
        std::find(allowed.begin(), allowed.end(), key->name) != allowed.end()) {
      continue;
    }
    if (const Value* allow = find("ALLOW-OTHER-KEYS"); allow != nullptr && allow->truthy()) {
      continue;
    }
    CompileError error(
        Diag::UnknownKeyword, interp.current_span(),
        fmt::format("`{}` takes no keyword argument `:{}`", function(), symbol_label(*key)));
    std::vector<std::string> names;
    for (std::string_view name : allowed) {
      names.emplace_back(name);
    }
    if (auto near = did_you_mean(key->name, names)) {
      error.note({}, fmt::format("did you mean `:{}`?", *near));
    }
    throw error;
  }
}

const Value* KeywordArgs::find(std::string_view name) const {
  for (size_t i = 0; i + 1 < rest_.size(); i += 2) {
    const Symbol* key = keyword_symbol(rest_[i]);
    if (key != nullptr && key->name == name) {
      return &rest_[i + 1];
    }
  }
  return nullptr;
}

Value KeywordArgs::get(std::string_view name, Value otherwise) const {
  const Value* value = find(name);
  return value == nullptr ? otherwise : *value;
}

// --- did you mean ------------------------------------------------

namespace {

char fold(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Edit distance with transpositions (optimal string alignment), without regard to case; at most
// `limit` + 1.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) {
    return limit + 1;
  }
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    last[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = fold(a[i - 1]) == fold(b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> did_you_mean(std::string_view name,
                                        std::span<const std::string> candidates) {
  constexpr size_t kMaxLength = 64;
  if (name.size() > kMaxLength) {
    return std::nullopt;
  }
  size_t limit = name.size() <= 4 ? 1 : name.size() <= 8 ? 2 : 3;
  size_t best = std::min(limit, name.size() > 1 ? name.size() - 1 : 0) + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    size_t distance = edit_distance(name, candidate, limit);
    if (distance < best || (distance == best && found && candidate < *found)) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace caten::lisp
