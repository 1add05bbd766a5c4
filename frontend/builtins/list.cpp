// Conses and lists: access, construction, association and property lists, trees.
#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

Value strict_cdr(Interpreter& interp, Value v) {
  return cdr(expect_list(interp, v, "argument"));
}

template <char... Path>
Value list_cxr(Interpreter& interp, Args args) {
  constexpr char kPath[] = {Path...};
  Value v = args[0];
  for (size_t i = sizeof...(Path); i-- > 0;) {
    expect_list(interp, v, "argument");
    v = kPath[i] == 'a' ? car(v) : cdr(v);
  }
  return v;
}

/// The list without its first n conses. A cycle is noticed (Brent) and gone around no more than
/// needed.
Value nth_tail(Interpreter& interp, Value list, int64_t n) {
  Value mark = list;
  int64_t since_mark = 0;
  for (int64_t next_mark = 1; n > 0 && !list.is_nil(); --n) {
    list = strict_cdr(interp, list);
    if (list == mark && list.is_cons()) {
      n = (n - 1) % (since_mark + 1) + 1;
    }
    if (++since_mark == next_mark) {
      mark = list;
      since_mark = 0;
      next_mark *= 2;
    }
  }
  return list;
}

template <int N>
Value list_ordinal(Interpreter& interp, Args args) {
  return car(expect_list(interp, nth_tail(interp, args[0], N), "argument"));
}

Value list_nth(Interpreter& interp, Args args) {
  const int64_t n = expect_index(interp, args[0], "index");
  return car(expect_list(interp, nth_tail(interp, args[1], n), "list"));
}

Value list_nthcdr(Interpreter& interp, Args args) {
  return nth_tail(interp, args[1], expect_index(interp, args[0], "index"));
}

/// The conses of a list that may be dotted, in order. Fails for circular lists.
std::vector<Value> tails_of(Interpreter& interp, Value list) {
  std::vector<Value> tails;
  Value slow = list;
  for (Value fast = expect_list(interp, list, "list"); fast.is_cons(); fast = cdr(fast)) {
    tails.push_back(fast);
    if (tails.size() % 2 == 0) {
      if (slow == fast) {
        wrong_type(interp, list, "list", "a list that is not circular");
      }
      slow = cdr(slow);
    }
  }
  return tails;
}

Value list_last(Interpreter& interp, Args args) {
  const auto n =
      static_cast<size_t>(args.size() > 1 ? expect_index(interp, args[1], "count") : int64_t{1});
  const std::vector<Value> tails = tails_of(interp, args[0]);
  if (n >= tails.size()) {
    return args[0];
  }
  return n == 0 ? cdr(tails.back()) : tails[tails.size() - n];
}

Value list_butlast(Interpreter& interp, Args args) {
  const auto n =
      static_cast<size_t>(args.size() > 1 ? expect_index(interp, args[1], "count") : int64_t{1});
  const std::vector<Value> tails = tails_of(interp, args[0]);
  ListCollector out(interp);
  for (size_t i = 0; i + n < tails.size(); ++i) {
    out.add(car(tails[i]));
  }
  return out.finish();
}

Value list_nbutlast(Interpreter& interp, Args args) {
  const auto n =
      static_cast<size_t>(args.size() > 1 ? expect_index(interp, args[1], "count") : int64_t{1});
  const std::vector<Value> tails = tails_of(interp, args[0]);
  if (n >= tails.size()) {
    return Value::nil();
  }
  tails[tails.size() - n - 1].cons_pointer()->cdr = Value::nil();
  return args[0];
}

/// NIL for a circular list.
Value list_list_length(Interpreter& interp, Args args) {
  Value slow = args[0];
  int64_t n = 0;
  for (Value fast = args[0]; !fast.is_nil(); ++n) {
    fast = strict_cdr(interp, fast);
    if (n % 2 == 1) {
      slow = cdr(slow);
      if (slow == fast && fast.is_cons()) {
        return Value::nil();
      }
    }
  }
  return Value::fixnum(n);
}

Value list_endp(Interpreter& interp, Args args) {
  return Value::boolean(expect_list(interp, args[0], "argument").is_nil());
}
Value list_listp(Interpreter&, Args args) {
  return Value::boolean(args[0].is_list());
}
Value list_consp(Interpreter&, Args args) {
  return Value::boolean(args[0].is_cons());
}
Value list_atom(Interpreter&, Args args) {
  return Value::boolean(!args[0].is_cons());
}

Value list_cons(Interpreter& interp, Args args) {
  return interp.cons(args[0], args[1]);
}
Value list_list(Interpreter& interp, Args args) {
  return interp.list(args);
}
Value list_list_star(Interpreter& interp, Args args) {
  return interp.list(args.first(args.size() - 1), args.back());
}

Value list_make_list(Interpreter& interp, Args args) {
  const size_t n = expect_size(interp, args[0], "size");
  const Value item = KeywordArgs(interp, args, 1, {"INITIAL-ELEMENT"}).get("INITIAL-ELEMENT");
  Value out = Value::nil();
  for (size_t i = 0; i < n; ++i) {
    out = interp.cons(item, out);
  }
  return out;
}

Value list_append(Interpreter& interp, Args args) {
  if (args.empty()) {
    return Value::nil();
  }
  ListCollector out(interp);
  for (Value list : args.first(args.size() - 1)) {
    for (Value item : expect_list_items(interp, list, "argument")) {
      out.add(item);
    }
  }
  return out.finish(args.back());
}

Value last_cons(Interpreter& interp, Value list) {
  return tails_of(interp, list).back();
}

Value list_nconc(Interpreter& interp, Args args) {
  Value head = Value::nil();
  Value last;
  for (size_t i = 0; i < args.size(); ++i) {
    const Value list = args[i];
    if (list.is_nil()) {
      continue;
    }
    if (last.is_none()) {
      head = list;
    } else {
      last.cons_pointer()->cdr = list;
    }
    if (i + 1 < args.size()) {
      expect_cons(interp, list, "argument");
      last = last_cons(interp, list);
    }
  }
  return head;
}

Value list_revappend(Interpreter& interp, Args args) {
  Value out = args[1];
  for (Value item : expect_list_items(interp, args[0], "list")) {
    out = interp.cons(item, out);
  }
  return out;
}

Value list_copy_list(Interpreter& interp, Args args) {
  ListCollector out(interp);
  Value end = args[0];
  for (Value tail : tails_of(interp, args[0])) {
    out.add(car(tail));
    end = cdr(tail);
  }
  return out.finish(end);
}

/// Copies, mapping each subtree first through `replace` (no value: descend). Loops along cdrs and
/// recurs along cars.
template <typename Replace>
Value map_tree(Interpreter& interp, Value tree, const Replace& replace) {
  interp.check_stack();
  ListCollector out(interp);
  Value slow = tree;  // follows at half speed, to notice a cycle
  for (size_t steps = 1;; ++steps) {
    const Value replaced = replace(tree);
    if (!replaced.is_none()) {
      return out.finish(replaced);
    }
    if (!tree.is_cons()) {
      return out.finish(tree);
    }
    out.add(map_tree(interp, car(tree), replace));
    tree = cdr(tree);
    if (steps % 2 == 0) {
      slow = cdr(slow);
      if (slow == tree && tree.is_cons()) {
        wrong_type(interp, tree, "tree", "a tree that is not circular");
      }
    }
  }
}

Value list_copy_tree(Interpreter& interp, Args args) {
  return map_tree(interp, args[0], [](Value) { return Value(); });
}

Value list_copy_alist(Interpreter& interp, Args args) {
  ListCollector out(interp);
  for (Value entry : expect_list_items(interp, args[0], "alist")) {
    out.add(entry.is_cons() ? interp.cons(car(entry), cdr(entry)) : entry);
  }
  return out.finish();
}

Value list_rplaca(Interpreter& interp, Args args) {
  expect_cons(interp, args[0], "cons").car = args[1];
  return args[0];
}
Value list_rplacd(Interpreter& interp, Args args) {
  expect_cons(interp, args[0], "cons").cdr = args[1];
  return args[0];
}

// --- association lists ------------------------------------------------------------------------

KeywordArgs match_keys(Interpreter& interp, Args args, size_t first, Match match) {
  return match == Match::Item ? KeywordArgs(interp, args, first, {"KEY", "TEST", "TEST-NOT"})
                              : KeywordArgs(interp, args, first, {"KEY"});
}

template <Match M, bool Reverse>
Value list_assoc(Interpreter& interp, Args args) {
  const Criterion wanted(interp, M, args[0], match_keys(interp, args, 2, M));
  for (ProperList alist(interp, args[1], "alist"); alist.more(); alist.advance()) {
    const Value entry = alist.item();
    if (entry.is_nil()) {
      continue;
    }
    Cons& pair = expect_cons(interp, entry, "entry of the alist");
    if (wanted(Reverse ? pair.cdr : pair.car)) {
      return entry;
    }
  }
  return Value::nil();
}

template <Match M>
Value list_member(Interpreter& interp, Args args) {
  const Criterion wanted(interp, M, args[0], match_keys(interp, args, 2, M));
  for (ProperList list(interp, args[1], "list"); list.more(); list.advance()) {
    if (wanted(list.item())) {
      return list.tail();
    }
  }
  return Value::nil();
}

Value list_acons(Interpreter& interp, Args args) {
  return interp.cons(interp.cons(args[0], args[1]), args[2]);
}

Value list_pairlis(Interpreter& interp, Args args) {
  const std::vector<Value> keys = expect_list_items(interp, args[0], "keys");
  const std::vector<Value> data = expect_list_items(interp, args[1], "data");
  if (keys.size() != data.size()) {
    fail(Diag::BadArguments, interp.current_span(),
         "the lists of keys and data differ in length; {} and {}", keys.size(), data.size());
  }
  Value out = arg_or(args, 2);
  for (size_t i = 0; i < keys.size(); ++i) {
    out = interp.cons(interp.cons(keys[i], data[i]), out);
  }
  return out;
}

// --- property lists ---------------------------------------------------------------------------

Value list_getf(Interpreter& interp, Args args) {
  for (ProperList plist(interp, args[0], "property list"); plist.more(); plist.advance()) {
    const Value key = plist.item();
    plist.advance();
    if (!plist.more()) {
      wrong_type(interp, args[0], "property list", "a list of even length");
    }
    if (key == args[1]) {
      return plist.item();
    }
  }
  return arg_or(args, 2);
}

Value list_get_properties(Interpreter& interp, Args args) {
  const std::vector<Value> wanted = expect_list_items(interp, args[1], "indicators");
  for (ProperList plist(interp, args[0], "property list"); plist.more(); plist.advance()) {
    const Value tail = plist.tail();
    for (Value indicator : wanted) {
      if (indicator == car(tail)) {
        return interp.set_values({indicator, cadr(tail), tail});
      }
    }
    plist.advance();
    if (!plist.more()) {
      wrong_type(interp, args[0], "property list", "a list of even length");
    }
  }
  return interp.set_values({Value::nil(), Value::nil(), Value::nil()});
}

// --- trees ------------------------------------------------------------------------------------

bool trees_equal(Interpreter& interp, const Comparison& comparison, Value a, Value b) {
  interp.check_stack();
  Value slow = a;
  for (size_t steps = 1; a.is_cons() && b.is_cons(); ++steps) {
    if (!trees_equal(interp, comparison, car(a), car(b))) {
      return false;
    }
    a = cdr(a);
    b = cdr(b);
    if (steps % 2 == 0) {
      slow = cdr(slow);
      if (slow == a && a.is_cons()) {
        wrong_type(interp, a, "tree", "a tree that is not circular");
      }
    }
  }
  return !a.is_cons() && !b.is_cons() && comparison.test(a, b);
}

Value list_tree_equal(Interpreter& interp, Args args) {
  const Comparison comparison(interp, KeywordArgs(interp, args, 2, {"TEST", "TEST-NOT"}));
  return Value::boolean(trees_equal(interp, comparison, args[0], args[1]));
}

template <Match M>
Value list_subst(Interpreter& interp, Args args) {
  const Criterion wanted(interp, M, args[1], match_keys(interp, args, 3, M));
  return map_tree(interp, args[2], [&](Value tree) { return wanted(tree) ? args[0] : Value(); });
}

Value list_sublis(Interpreter& interp, Args args) {
  const Comparison comparison(interp, match_keys(interp, args, 2, Match::Item));
  return map_tree(interp, args[1], [&](Value tree) {
    const Value key = comparison.key(tree);
    for (ProperList alist(interp, args[0], "alist"); alist.more(); alist.advance()) {
      const Value entry = alist.item();
      if (entry.is_cons() && comparison.test(car(entry), key)) {
        return cdr(entry);
      }
    }
    return Value();
  });
}

Value list_ldiff(Interpreter& interp, Args args) {
  ListCollector out(interp);
  Value end = args[0];
  for (Value tail : tails_of(interp, args[0])) {
    if (tail == args[1]) {
      return out.finish();
    }
    out.add(car(tail));
    end = cdr(tail);
  }
  return out.finish(eql(end, args[1]) ? Value::nil() : end);
}

Value list_tailp(Interpreter& interp, Args args) {
  Value end = args[1];
  for (Value tail : tails_of(interp, args[1])) {
    if (tail == args[0]) {
      return Value::t();
    }
    end = cdr(tail);
  }
  return Value::boolean(eql(end, args[0]));
}

// clang-format off
constexpr Builtin kListBuiltins[] = {
    // name              package  min max  doc                                                       function
    {"CAR",              "CL",    1,  1,   "the first element of a list",                            list_cxr<'a'>},
    {"CDR",              "CL",    1,  1,   "a list without its first element",                       list_cxr<'d'>},
    {"CAAR",             "CL",    1,  1,   "(car (car x))",                                          list_cxr<'a', 'a'>},
    {"CADR",             "CL",    1,  1,   "(car (cdr x)), the second element",                      list_cxr<'a', 'd'>},
    {"CDAR",             "CL",    1,  1,   "(cdr (car x))",                                          list_cxr<'d', 'a'>},
    {"CDDR",             "CL",    1,  1,   "(cdr (cdr x))",                                          list_cxr<'d', 'd'>},
    {"CAAAR",            "CL",    1,  1,   "(car (caar x))",                                         list_cxr<'a', 'a', 'a'>},
    {"CAADR",            "CL",    1,  1,   "(car (cadr x))",                                         list_cxr<'a', 'a', 'd'>},
    {"CADAR",            "CL",    1,  1,   "(car (cdar x))",                                         list_cxr<'a', 'd', 'a'>},
    {"CADDR",            "CL",    1,  1,   "(car (cddr x)), the third element",                      list_cxr<'a', 'd', 'd'>},
    {"CDAAR",            "CL",    1,  1,   "(cdr (caar x))",                                         list_cxr<'d', 'a', 'a'>},
    {"CDADR",            "CL",    1,  1,   "(cdr (cadr x))",                                         list_cxr<'d', 'a', 'd'>},
    {"CDDAR",            "CL",    1,  1,   "(cdr (cdar x))",                                         list_cxr<'d', 'd', 'a'>},
    {"CDDDR",            "CL",    1,  1,   "(cdr (cddr x))",                                         list_cxr<'d', 'd', 'd'>},
    {"CAAAAR",           "CL",    1,  1,   "(car (caaar x))",                                          list_cxr<'a', 'a', 'a', 'a'>},
    {"CAAADR",           "CL",    1,  1,   "(car (caadr x))",                                          list_cxr<'a', 'a', 'a', 'd'>},
    {"CAADAR",           "CL",    1,  1,   "(car (cadar x))",                                          list_cxr<'a', 'a', 'd', 'a'>},
    {"CAADDR",           "CL",    1,  1,   "(car (caddr x))",                                          list_cxr<'a', 'a', 'd', 'd'>},
    {"CADAAR",           "CL",    1,  1,   "(car (cdaar x))",                                          list_cxr<'a', 'd', 'a', 'a'>},
    {"CADADR",           "CL",    1,  1,   "(car (cdadr x))",                                          list_cxr<'a', 'd', 'a', 'd'>},
    {"CADDAR",           "CL",    1,  1,   "(car (cddar x))",                                          list_cxr<'a', 'd', 'd', 'a'>},
    {"CDAAAR",           "CL",    1,  1,   "(cdr (caaar x))",                                          list_cxr<'d', 'a', 'a', 'a'>},
    {"CDAADR",           "CL",    1,  1,   "(cdr (caadr x))",                                          list_cxr<'d', 'a', 'a', 'd'>},
    {"CDADAR",           "CL",    1,  1,   "(cdr (cadar x))",                                          list_cxr<'d', 'a', 'd', 'a'>},
    {"CDADDR",           "CL",    1,  1,   "(cdr (caddr x))",                                          list_cxr<'d', 'a', 'd', 'd'>},
    {"CDDAAR",           "CL",    1,  1,   "(cdr (cdaar x))",                                          list_cxr<'d', 'd', 'a', 'a'>},
    {"CDDADR",           "CL",    1,  1,   "(cdr (cdadr x))",                                          list_cxr<'d', 'd', 'a', 'd'>},
    {"CDDDAR",           "CL",    1,  1,   "(cdr (cddar x))",                                          list_cxr<'d', 'd', 'd', 'a'>},
    {"CADDDR",           "CL",    1,  1,   "(car (cdddr x)), the fourth element",                    list_cxr<'a', 'd', 'd', 'd'>},
    {"CDDDDR",           "CL",    1,  1,   "(cdr (cdddr x))",                                        list_cxr<'d', 'd', 'd', 'd'>},
    {"FIRST",            "CL",    1,  1,   "the first element of a list",                            list_ordinal<0>},
    {"SECOND",           "CL",    1,  1,   "the second element of a list",                           list_ordinal<1>},
    {"THIRD",            "CL",    1,  1,   "the third element of a list",                            list_ordinal<2>},
    {"FOURTH",           "CL",    1,  1,   "the fourth element of a list",                           list_ordinal<3>},
    {"FIFTH",            "CL",    1,  1,   "the fifth element of a list",                            list_ordinal<4>},
    {"SIXTH",            "CL",    1,  1,   "the sixth element of a list",                            list_ordinal<5>},
    {"SEVENTH",          "CL",    1,  1,   "the seventh element of a list",                          list_ordinal<6>},
    {"EIGHTH",           "CL",    1,  1,   "the eighth element of a list",                           list_ordinal<7>},
    {"NINTH",            "CL",    1,  1,   "the ninth element of a list",                            list_ordinal<8>},
    {"TENTH",            "CL",    1,  1,   "the tenth element of a list",                            list_ordinal<9>},
    {"REST",             "CL",    1,  1,   "a list without its first element",                       list_cxr<'d'>},
    {"NTH",              "CL",    2,  2,   "(nth n list): the element at a 0-based index, or NIL",   list_nth},
    {"NTHCDR",           "CL",    2,  2,   "(nthcdr n list): the list without its first n elements", list_nthcdr},
    {"LAST",             "CL",    1,  2,   "the last cons (or n conses) of a list",                  list_last},
    {"BUTLAST",          "CL",    1,  2,   "a copy without the last (or n last) elements",           list_butlast},
    {"NBUTLAST",         "CL",    1,  2,   "like butlast; may change its argument",                  list_nbutlast},
    {"LIST-LENGTH",      "CL",    1,  1,   "the length of a list, NIL if it is circular",            list_list_length},
    {"ENDP",             "CL",    1,  1,   "true for NIL, false for a cons, an error otherwise",     list_endp},
    {"LISTP",            "CL",    1,  1,   "true for conses and NIL",                                list_listp},
    {"CONSP",            "CL",    1,  1,   "true for conses",                                        list_consp},
    {"ATOM",             "CL",    1,  1,   "true for everything but conses",                         list_atom},
    {"CONS",             "CL",    2,  2,   "a new cons of two values",                               list_cons},
    {"LIST",             "CL",    0,  -1,  "a list of its arguments",                                list_list},
    {"LIST*",            "CL",    1,  -1,  "a list of its arguments that ends in the last one",      list_list_star},
    {"MAKE-LIST",        "CL",    1,  -1,  "a list of n equal elements",                             list_make_list},
    {"APPEND",           "CL",    0,  -1,  "the concatenation of lists",                             list_append},
    {"NCONC",            "CL",    0,  -1,  "the concatenation of lists, made by changing them",      list_nconc},
    {"REVAPPEND",        "CL",    2,  2,   "the reversed first list followed by the second",         list_revappend},
    {"NRECONC",          "CL",    2,  2,   "like revappend; may change the first list",              list_revappend},
    {"COPY-LIST",        "CL",    1,  1,   "a copy of the conses of a list",                         list_copy_list},
    {"COPY-TREE",        "CL",    1,  1,   "a copy of all conses of a tree",                         list_copy_tree},
    {"COPY-ALIST",       "CL",    1,  1,   "a copy of an association list and its pairs",            list_copy_alist},
    {"RPLACA",           "CL",    2,  2,   "stores into the car and returns the cons",               list_rplaca},
    {"RPLACD",           "CL",    2,  2,   "stores into the cdr and returns the cons",               list_rplacd},
    {"ASSOC",            "CL",    2,  -1,  "the first pair whose car matches an item",               list_assoc<Match::Item, false>},
    {"ASSOC-IF",         "CL",    2,  -1,  "the first pair whose car satisfies a predicate",         list_assoc<Match::If, false>},
    {"ASSOC-IF-NOT",     "CL",    2,  -1,  "the first pair whose car fails a predicate",             list_assoc<Match::IfNot, false>},
    {"RASSOC",           "CL",    2,  -1,  "the first pair whose cdr matches an item",               list_assoc<Match::Item, true>},
    {"RASSOC-IF",        "CL",    2,  -1,  "the first pair whose cdr satisfies a predicate",         list_assoc<Match::If, true>},
    {"RASSOC-IF-NOT",    "CL",    2,  -1,  "the first pair whose cdr fails a predicate",             list_assoc<Match::IfNot, true>},
    {"MEMBER",           "CL",    2,  -1,  "the tail of a list that begins with an item",            list_member<Match::Item>},
    {"MEMBER-IF",        "CL",    2,  -1,  "the tail that begins where a predicate is true",         list_member<Match::If>},
    {"MEMBER-IF-NOT",    "CL",    2,  -1,  "the tail that begins where a predicate is false",        list_member<Match::IfNot>},
    {"ACONS",            "CL",    3,  3,   "an association list with one more pair in front",        list_acons},
    {"PAIRLIS",          "CL",    2,  3,   "an association list of two lists",                       list_pairlis},
    {"GETF",             "CL",    2,  3,   "a property of a property list",                          list_getf},
    {"GET-PROPERTIES",   "CL",    2,  2,   "the first of several properties: key, value, tail",      list_get_properties},
    {"TREE-EQUAL",       "CL",    2,  -1,  "true if trees have the same shape and leaves",           list_tree_equal},
    {"SUBST",            "CL",    3,  -1,  "a tree with an item replaced everywhere",                list_subst<Match::Item>},
    {"SUBST-IF",         "CL",    3,  -1,  "a tree with subtrees replaced where a predicate holds",  list_subst<Match::If>},
    {"SUBST-IF-NOT",     "CL",    3,  -1,  "a tree with subtrees replaced where a predicate fails",  list_subst<Match::IfNot>},
    {"NSUBST",           "CL",    3,  -1,  "like subst; may change the tree",                        list_subst<Match::Item>},
    {"NSUBST-IF",        "CL",    3,  -1,  "like subst-if; may change the tree",                     list_subst<Match::If>},
    {"NSUBST-IF-NOT",    "CL",    3,  -1,  "like subst-if-not; may change the tree",                 list_subst<Match::IfNot>},
    {"SUBLIS",           "CL",    2,  -1,  "a tree with items replaced as an alist says",            list_sublis},
    {"NSUBLIS",          "CL",    2,  -1,  "like sublis; may change the tree",                       list_sublis},
    {"LDIFF",            "CL",    2,  2,   "the part of a list before a tail of it",                 list_ldiff},
    {"TAILP",            "CL",    2,  2,   "true if an object is a tail of a list",                  list_tailp},
};
// clang-format on

}  // namespace

std::span<const Builtin> list_builtins() {
  return kListBuiltins;
}

}  // namespace caten::lisp
