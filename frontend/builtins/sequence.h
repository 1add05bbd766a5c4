// What the list and sequence functions share: taking sequences apart, making ones of the same
// kind, and the :test :test-not :key conventions of Common Lisp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "frontend/builtins/builtins.h"

namespace caten::lisp {

/// The elements of a list, vector or string (up to its fill pointer). Fails for anything else, and
/// for dotted and circular lists. Not rooted: put them into a RootedVector before calling Lisp.
std::vector<Value> sequence_items(Interpreter& interp, Value sequence, std::string_view what);

/// The number of elements; fails like sequence_items.
size_t sequence_length(Interpreter& interp, Value sequence, std::string_view what);

/// The size of a sequence to be made: an index within what memory can be expected to hold.
size_t expect_size(Interpreter& interp, Value v, std::string_view what);

/// A fresh sequence of the kind of `prototype`: list, vector or string.
Value make_sequence_like(Interpreter& interp, Value prototype, std::span<const Value> items);

/// A fresh sequence of the kind a type specifier names (`list`, `vector`, `(vector t)`,
/// `string`...).
Value make_sequence_of_type(Interpreter& interp, Value type, std::span<const Value> items);

/// A string of characters; fails with wrong_type for another element.
Value make_string_of(Interpreter& interp, std::span<const Value> items);

/// Whether `type` names strings, so that a bare element type check can be given early.
enum class SequenceKind : uint8_t { List, Vector, String };
SequenceKind sequence_kind_of_type(Interpreter& interp, Value type);

/// Writes elements back into a sequence that has at least that many.
void store_items(Interpreter& interp, Value sequence, std::span<const Value> items);

/// Stores into a string or array at a row-major index that is in range; checks the element type.
void store_element(Interpreter& interp, Value array, size_t index, Value item);

/// Half-open bounds from `:start` and `:end` (or other names), checked against the length.
struct Bounds {
  size_t start;
  size_t end;
};
Bounds bounds_of(Interpreter& interp, Value start, Value end, size_t length);

/// Two elements compared under :test or :test-not, each seen through :key.
class Comparison {
 public:
  Comparison(Interpreter& interp, const KeywordArgs& keys);

  Value key(Value element) const {
    return key_.is_none() ? element : interp_.call(key_, {element});
  }
  /// The test applied to keys.
  bool test(Value a, Value b) const;
  bool same(Value a, Value b) const { return test(key(a), key(b)); }

 private:
  enum class Fast : uint8_t { Eq, Eql, Equal, Call };
  Interpreter& interp_;
  Value key_;   // no value: identity
  Value test_;  // a function, for Fast::Call
  Fast fast_ = Fast::Eql;
  bool negated_ = false;
};

/// How FIND, REMOVE and their kin choose elements.
enum class Match : uint8_t { Item, If, IfNot };

class Criterion {
 public:
  Criterion(Interpreter& interp, Match match, Value item_or_predicate, const KeywordArgs& keys);
  bool operator()(Value element) const;

 private:
  Interpreter& interp_;
  Match match_;
  Value item_;
  Comparison comparison_;
};

/// Whether a cons reaches itself through cars and cdrs.
bool is_circular_tree(Value root);

/// A cursor over a proper list that fails at a dotted end and at a cycle.
class ProperList {
 public:
  ProperList(Interpreter& interp, Value list, std::string_view what)
      : interp_(interp), list_(list), slow_(list), what_(what), rest_(list) {}
  bool more();
  void advance();
  Value item() const { return car(rest_); }
  Value tail() const { return rest_; }

 private:
  Interpreter& interp_;
  Value list_, slow_;
  std::string_view what_;
  Value rest_;
  size_t steps_ = 0;
};

/// A list built front to back.
class ListCollector {
 public:
  explicit ListCollector(Interpreter& interp) : interp_(interp) {}
  void add(Value item) { add_tail(interp_.cons(item, Value::nil())); }
  /// Continues with `tail`, a cons whose cdr may be written to, or the end of the list.
  void add_tail(Value tail) {
    if (last_.is_none()) {
      head_ = tail;
    } else {
      last_.cons_pointer()->cdr = tail;
    }
    if (tail.is_cons()) {
      last_ = tail;
    }
  }
  Value finish(Value tail = Value::nil()) {
    if (!tail.is_nil()) {
      add_tail(tail);
    }
    return head_;
  }

 private:
  Interpreter& interp_;
  Value head_ = Value::nil();
  Value last_;
};

}  // namespace caten::lisp
