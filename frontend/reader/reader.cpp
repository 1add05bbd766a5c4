// See reader.h. Tokens come from grammar.h; this file keeps the nesting.
#include "frontend/reader/reader.h"

#include <algorithm>
#include <unordered_set>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/objects.h"
#include "frontend/reader/grammar.h"

namespace caten::lisp {
namespace {

using Input =
    tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf, const char*>;

// Moves past white space and comments; `#|` comments are skipped by skip_block_comment.
void skip_blank(Input& in) {
  tao::pegtl::parse<grammar::skipped>(in);
}

// Moves past a block comment whose opening was just matched. False: the text ends inside it.
bool skip_block_comment(Input& in, grammar::State& state) {
  while (state.comment_depth > 0) {
    if (!tao::pegtl::parse<grammar::comment_step, grammar::action>(in, state)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Span Reader::span(size_t begin, size_t end) const {
  return file_ == 0 ? Span{}
                    : Span{file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

Value Reader::read(std::string_view text) {
  package_ = &interp_.current_package();
  levels_.clear();
  labels_.clear();
  first_column_.reset();
  skipping_ = testing_ = 0;
  Input in(text.data() + offset_, text.data() + text.size(), "");
  auto here = [&] { return static_cast<size_t>(in.current() - text.data()); };
  if (offset_ == 0) {
    tao::pegtl::parse<grammar::shebang>(in);
  }
  for (;;) {
    skip_blank(in);
    size_t begin = here();
    offset_ = begin;
    if (begin == text.size()) {
      if (levels_.empty()) {
        return Value();
      }
      fail_at_end();
    }
    if (!levels_.empty() && !first_column_ && text[begin] == '(' && text[begin - 1] == '\n') {
      first_column_ = begin;
    }
    grammar::State state;
    if (!tao::pegtl::parse<grammar::element, grammar::action>(in, state)) {
      fail_malformed(text, begin);
    }
    size_t end = here();
    std::string_view lexeme = text.substr(begin, end - begin);
    Delivered delivered;
    auto prefix = [&](Value symbol) {
      push({.kind = LevelKind::Prefix, .begin = begin, .head = symbol});
    };
    switch (state.kind) {
      case grammar::Kind::None:
        fail_malformed(text, begin);
      case grammar::Kind::Open:
        push({.kind = LevelKind::List, .begin = begin, .head = Value::nil()});
        continue;
      case grammar::Kind::VectorOpen:
        push({.kind = LevelKind::Vector, .begin = begin, .head = Value::nil()});
        continue;
      case grammar::Kind::Array: {
        std::string_view digits = lexeme.substr(1, lexeme.size() - 2);
        push({.kind = LevelKind::Array,
              .begin = begin,
              .head = read_integer(digits, 10, begin, end)});
        continue;
      }
      case grammar::Kind::Structure:
        push({.kind = LevelKind::Structure, .begin = begin});
        continue;
      case grammar::Kind::Path:
        push({.kind = LevelKind::Path, .begin = begin});
        continue;
      case grammar::Kind::BitVector:
        delivered = deliver(make_bit_vector(lexeme.substr(2)), begin, end);
        break;
      case grammar::Kind::Label: {
        const Value number = label_number(lexeme.substr(1, lexeme.size() - 2), begin, end);
        if (!suppressed()) {
          labels_.push_back({number, interp_.make_symbol("LABEL"), false});
        }
        push({.kind = LevelKind::Label, .begin = begin, .head = number});
        continue;
      }
      case grammar::Kind::LabelUse: {
        const Value number = label_number(lexeme.substr(1, lexeme.size() - 2), begin, end);
        delivered = deliver(suppressed() ? number : labelled(number, begin, end), begin, end);
        break;
      }
      case grammar::Kind::Close:
        if (levels_.empty()) {
          offset_ = end;
          fail(Diag::UnbalancedParen, span(begin, end),
               "closing parenthesis without an opening one");
        }
        delivered = close(end);
        break;
      case grammar::Kind::Quote:
        prefix(interp_.cl("QUOTE"));
        continue;
      case grammar::Kind::Backquote:
        prefix(interp_.caten("%BACKQUOTE"));
        continue;
      case grammar::Kind::Comma:
        prefix(interp_.caten("%COMMA"));
        continue;
      case grammar::Kind::CommaSplice:
        prefix(interp_.caten("%COMMA-AT"));
        continue;
      case grammar::Kind::FunctionQuote:
        prefix(interp_.cl("FUNCTION"));
        continue;
      case grammar::Kind::FeaturePlus:
      case grammar::Kind::FeatureMinus:
        push({.kind = LevelKind::FeatureTest,
              .wanted = state.kind == grammar::Kind::FeaturePlus,
              .begin = begin});
        ++testing_;
        continue;
      case grammar::Kind::CommentOpen:
        if (!skip_block_comment(in, state)) {
          fail(Diag::EndOfFile, span(begin, end), "end of text inside this `#|` comment");
        }
        continue;
      case grammar::Kind::Uninterned:
        name_.clear();
        read_symbol(lexeme, begin, true);  // fills name_, whatever the markers
        delivered = deliver(interp_.make_symbol(name_), begin, end);
        break;
      case grammar::Kind::Character:
        delivered = deliver(read_character(lexeme, begin), begin, end);
        break;
      case grammar::Kind::Radix:
        delivered = deliver(read_radix(lexeme, begin), begin, end);
        break;
      case grammar::Kind::String:
        delivered = deliver(suppressed() ? Value::nil() : read_string(lexeme), begin, end);
        break;
      case grammar::Kind::Token:
        if (lexeme == "." && !levels_.empty() && levels_.back().kind == LevelKind::List) {
          Level& list = levels_.back();
          if (list.dot != 0 || list.last == nullptr) {
            fail(Diag::ReadError, span(begin, end), "misplaced dot in a list");
          }
          list.dot = 1;
          continue;
        }
        delivered = deliver(read_token(lexeme, begin, state.escaped), begin, end);
        break;
    }
    if (delivered.complete) {
      offset_ = end;
      return delivered.value;
    }
  }
}

void Reader::push(Level level) {
  if (levels_.size() >= kMaxDepth) {
    fail(Diag::ReadError, span(level.begin, level.begin + 1),
         "data nested more than {} levels deep", kMaxDepth);
  }
  levels_.push_back(level);
}

Value Reader::new_cons(Value car, size_t begin, size_t end) {
  if (file_ == 0) {
    return interp_.cons(car, Value::nil());
  }
  return Value::cons(interp_.heap().make<SourceCons>(car, Value::nil(), span(begin, end)));
}

void Reader::append(Level& list, Value value, size_t begin, size_t end) {
  if (list.dot == 1) {
    list.last->cdr = value;
    list.dot = 2;
    return;
  }
  if (list.dot == 2) {
    fail(Diag::ReadError, span(begin, end), "more than one datum after the dot of a list");
  }
  if (suppressed()) {
    return;
  }
  Value cell = new_cons(value, begin, end);
  if (list.last == nullptr) {
    list.head = cell;
  } else {
    list.last->cdr = cell;
  }
  list.last = cell.cons_pointer();
}

Value Reader::wrap(const Level& prefix, Value value, size_t begin, size_t end) {
  if (suppressed()) {
    return Value::nil();
  }
  Value tail = new_cons(value, begin, end);
  Value list = new_cons(prefix.head, prefix.begin, end);
  list.cons_pointer()->cdr = tail;
  return list;
}

// Hands a finished datum to the level that waits for it, or out of the reader.
Reader::Delivered Reader::deliver(Value value, size_t begin, size_t end) {
  for (;;) {
    if (levels_.empty()) {
      return {true, value};
    }
    Level& top = levels_.back();
    switch (top.kind) {
      case LevelKind::List:
      case LevelKind::Vector:
        append(top, value, begin, end);
        return {};
      case LevelKind::Prefix:
        value = wrap(top, value, begin, end);
        begin = top.begin;
        levels_.pop_back();
        break;
      case LevelKind::Array:
        value = suppressed() ? value : make_array(integer_value(top.head), value, top.begin, end);
        begin = top.begin;
        levels_.pop_back();
        break;
      case LevelKind::Structure:
        // #S(name slot value ...): an object, made by the structure's class.
        value = suppressed() ? value : read_structure(value);
        begin = top.begin;
        levels_.pop_back();
        break;
      case LevelKind::Path:  // #P"name": file names are strings
        begin = top.begin;
        levels_.pop_back();
        break;
      case LevelKind::Label: {
        const Value number = top.head;
        begin = top.begin;
        levels_.pop_back();
        if (!suppressed()) {
          define_label(number, value, begin, end);
        }
        break;
      }
      case LevelKind::FeatureTest: {
        --testing_;
        bool keep = feature_holds(value) == top.wanted;
        if (keep) {
          levels_.pop_back();
        } else {
          top.kind = LevelKind::FeatureSkip;
          ++skipping_;
        }
        return {};
      }
      case LevelKind::FeatureSkip:
        --skipping_;
        levels_.pop_back();
        return {};
    }
  }
}

// Initial forms of slots may be evaluated, and that may collect: what is being read is kept.
Value Reader::read_structure(Value form) {
  RootedVector<Value> kept(interp_.heap());
  for (const Level& level : levels_) {
    kept.push_back(level.head);
  }
  for (const Label& label : labels_) {
    kept.push_back(label.value);
  }
  return interp_.call(interp_.caten("%READ-STRUCTURE"), {form});
}

Value Reader::label_number(std::string_view digits, size_t begin, size_t end) {
  return read_integer(digits, 10, begin, end);
}

Value Reader::labelled(Value number, size_t begin, size_t end) {
  for (const Label& label : labels_) {
    if (eql(label.number, number)) {
      return label.value;
    }
  }
  fail(Diag::ReadError, span(begin, end), "there is no label `#{}=` before this",
       integer_value(number));
}

// Completes a label, and puts the datum where the stand-in is in it.
void Reader::define_label(Value number, Value value, size_t begin, size_t end) {
  auto label = std::find_if(labels_.rbegin(), labels_.rend(), [&](const Label& one) {
    return !one.complete && eql(one.number, number);
  });
  CATEN_CHECK(label != labels_.rend(), "a label was not noted");
  const Value stand_in = label->value;
  if (value == stand_in) {
    fail(Diag::ReadError, span(begin, end), "the label `#{}=` stands for itself",
         integer_value(number));
  }
  label->value = value;
  label->complete = true;
  std::unordered_set<uint64_t> seen{value.bits()};
  std::vector<Value> pending{value};
  auto visit = [&](Value& place) {
    if (place == stand_in) {
      place = value;
    } else if ((place.is_cons() || place.is<Array>() || place.is<Instance>()) &&
               seen.insert(place.bits()).second) {
      pending.push_back(place);
    }
  };
  while (!pending.empty()) {
    const Value next = pending.back();
    pending.pop_back();
    if (next.is_cons()) {
      visit(next.cons_pointer()->car);
      visit(next.cons_pointer()->cdr);
    } else if (Array* array = next.try_as<Array>()) {
      for (Value& element : array->data) {
        visit(element);
      }
    } else if (Instance* instance = next.try_as<Instance>()) {
      for (Value& slot : instance->values()) {
        visit(slot);
      }
    }
  }
}

Reader::Delivered Reader::close(size_t end) {
  Level top = levels_.back();
  if (top.kind != LevelKind::List && top.kind != LevelKind::Vector) {
    fail(Diag::ReadError, span(top.begin, end), "a datum is missing before the parenthesis");
  }
  if (top.dot == 1) {
    fail(Diag::ReadError, span(end - 1, end), "a datum is missing after the dot");
  }
  levels_.pop_back();
  Value value = top.head;
  if (top.kind == LevelKind::Vector && !suppressed()) {
    std::vector<Value> items;
    for (Value item : list_items(value)) {
      items.push_back(item);
    }
    value = interp_.vector(std::move(items));
  } else if (value.is_cons() && file_ != 0) {
    static_cast<SourceCons*>(value.cons_pointer())->span = span(top.begin, end);
  }
  return deliver(value, top.begin, end);
}

// test ::= keyword | (:and test*) | (:or test*) | (:not test). The data nests at most kMaxDepth
// deep, but the stack is checked.
bool Reader::feature_holds(Value test) {
  interp_.check_stack();
  if (!test.is_cons()) {
    for (Value feature : list_items(interp_.cl("*FEATURES*").as<Symbol>()->value)) {
      if (feature == test) {
        return true;
      }
    }
    return false;
  }
  Value head = car(test);
  if (head == interp_.keyword("NOT")) {
    return !feature_holds(cadr(test));
  }
  bool all = head == interp_.keyword("AND");
  if (!all && head != interp_.keyword("OR")) {
    fail(Diag::ReadError, span_of(test), "unknown operator in a feature expression");
  }
  for (Value part : list_items(cdr(test))) {
    if (feature_holds(part) != all) {
      return !all;
    }
  }
  return all;
}

void Reader::fail_at_end() {
  const Level* open = nullptr;
  for (const Level& level : levels_) {
    if (level.kind == LevelKind::List || level.kind == LevelKind::Vector) {
      open = &level;
    }
  }
  if (file_ == 0) {
    fail(Diag::EndOfFile, interp_.current_span(), "end of text inside a datum");
  }
  if (open == nullptr) {
    size_t begin = levels_.back().begin;
    fail(Diag::EndOfFile, span(begin, begin + 1), "end of text where a datum is expected");
  }
  size_t width = open->kind == LevelKind::List ? 1 : 2;
  CompileError error(Diag::UnbalancedParen, span(open->begin, open->begin + width),
                     "this opening parenthesis is never closed");
  // The place by parentheses alone may be far from the mistake; the layout tells more.
  if (first_column_ && *first_column_ > open->begin) {
    error.note(span(*first_column_, *first_column_ + 1),
               "this form starts in the first column: is a parenthesis missing before it?");
  }
  throw error;
}

void Reader::fail_malformed(std::string_view text, size_t begin) {
  auto where = file_ == 0 ? interp_.current_span() : span(begin, begin + 1);
  switch (text[begin]) {
    case '"':
      fail(Diag::EndOfFile, where, "end of text inside this string");
    case '#':
      break;
    default:
      fail(Diag::EndOfFile, where, "end of text inside the escape of a symbol");
  }
  std::string_view rest = text.substr(begin, 2);
  if (rest.size() == 2 && file_ != 0) {
    where.end = static_cast<uint32_t>(begin + 2);
  }
  if (rest == "#.") {
    fail(Diag::Unsupported, where, "`#.` (evaluation while reading) is refused");
  }
  if (rest == "#c" || rest == "#C") {
    fail(Diag::Unsupported, where, "complex numbers (`#c`) are not supported");
  }
  if (rest == "#<") {
    fail(Diag::ReadError, where, "`#<` starts the printed form of an object that cannot be read");
  }
  fail(Diag::ReadError, where, "unknown or unsupported reader syntax `{}`", rest);
}

}  // namespace caten::lisp
