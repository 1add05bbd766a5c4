// The small part of the ALEXANDRIA library that models use, as functions; macros are in
// alexandria_macros.cpp, hash-table-keys and its kin in hash.cpp.
#include <algorithm>
#include <cmath>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/characters.h"
#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/hash_table.h"
#include "frontend/lisp/number.h"
#include "frontend/lisp/random_state.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

// --- functions --------------------------------------------------------------------------------

/// (compose f g ...): the function x -> f(g(...(x))).
Value alexandria_compose(Interpreter& interp, Args args) {
  std::vector<Value> functions;
  for (Value designator : args) {
    functions.push_back(interp.coerce_to_function(designator));
  }
  return interp.native(
      "compose",
      [](Interpreter& in, Args given) {
        NativeFunction& self = in.callee();
        Value result = in.call(self.data.back(), given);
        for (size_t i = self.data.size() - 1; i-- > 0;) {
          result = in.call(self.data[i], {result});
        }
        return result;
      },
      0, -1, std::move(functions));
}

/// Calls data[0] with data[1...] before (or after) the arguments.
template <bool After>
Value call_curried(Interpreter& interp, Args given) {
  NativeFunction& self = interp.callee();
  RootedVector<Value> all(interp.heap());
  if (After) {
    all->assign(given.begin(), given.end());
  }
  all->insert(all->end(), self.data.begin() + 1, self.data.end());
  if (!After) {
    all->insert(all->end(), given.begin(), given.end());
  }
  return interp.call(self.data[0], all.span());
}

template <bool After>
Value alexandria_curry(Interpreter& interp, Args args) {
  std::vector<Value> data(args.begin(), args.end());
  data[0] = interp.coerce_to_function(args[0]);
  return interp.native(After ? "rcurry" : "curry", call_curried<After>, 0, -1, std::move(data));
}

/// The last (conjoin) or first (disjoin) value that decides over several predicates.
template <bool Any>
Value alexandria_join(Interpreter& interp, Args args) {
  std::vector<Value> predicates;
  for (Value designator : args) {
    predicates.push_back(interp.coerce_to_function(designator));
  }
  return interp.native(
      Any ? "disjoin" : "conjoin",
      [](Interpreter& in, Args given) {
        NativeFunction& self = in.callee();
        Value result = Value::boolean(!Any);
        for (Value predicate : self.data) {
          result = in.call(predicate, given);
          if (result.truthy() == Any) {
            break;
          }
        }
        return result;
      },
      0, -1, std::move(predicates));
}

// --- lists ------------------------------------------------------------------------------------

/// The leaves of a tree without NILs, in order. Walks with an explicit stack.
Value alexandria_flatten(Interpreter& interp, Args args) {
  constexpr size_t kSurelyFinite = size_t{1} << 16;
  ListCollector out(interp);
  std::vector<Value> pending{args[0]};
  for (size_t steps = 0; !pending.empty(); ++steps) {
    const Value tree = pending.back();
    pending.pop_back();
    if (steps == kSurelyFinite && is_circular_tree(args[0])) {
      wrong_type(interp, args[0], "tree", "a tree that is not circular");
    }
    if (tree.is_cons()) {
      pending.push_back(cdr(tree));
      pending.push_back(car(tree));
    } else if (!tree.is_nil()) {
      out.add(tree);
    }
  }
  return out.finish();
}

/// (iota n &key start step): start, start + step, ...
Value alexandria_iota(Interpreter& interp, Args args) {
  const auto n = static_cast<int64_t>(expect_size(interp, args[0], "count"));
  const KeywordArgs keys(interp, args, 1, {"START", "STEP"});
  const Value step = keys.get("STEP", Value::fixnum(1));
  // Adding 0 * step gives the first element the kind the others have.
  const Value start = number_add(interp, keys.get("START", Value::fixnum(0)),
                                 number_multiply(interp, Value::fixnum(0), step));
  ListCollector out(interp);
  for (int64_t i = 0; i < n; ++i) {
    out.add(number_add(interp, start, number_multiply(interp, Value::fixnum(i), step)));
  }
  return out.finish();
}

Value alexandria_map_iota(Interpreter& interp, Args args) {
  args[0] = interp.coerce_to_function(args[0]);
  RootedVector<Value> items(interp.heap());
  const Value list = alexandria_iota(interp, args.subspan(1));
  for (Value item : list_items(list)) {
    items.push_back(item);
  }
  for (Value item : items) {
    interp.call(args[0], {item});
  }
  return args[1];
}

Value alexandria_ensure_list(Interpreter& interp, Args args) {
  return args[0].is_list() ? args[0] : interp.list({args[0]});
}
Value alexandria_ensure_cons(Interpreter& interp, Args args) {
  return args[0].is_cons() ? args[0] : interp.cons(args[0], Value::nil());
}
Value alexandria_ensure_car(Interpreter&, Args args) {
  return args[0].is_cons() ? car(args[0]) : args[0];
}

/// (mappend f list...): the results of mapcar appended.
Value alexandria_mappend(Interpreter& interp, Args args) {
  const Value parts = interp.call(interp.cl("MAPCAR"), args);
  ListCollector out(interp);
  for (Value part : list_items(parts)) {
    for (Value item : expect_list_items(interp, part, "result")) {
      out.add(item);
    }
  }
  return out.finish();
}

Value alexandria_lastcar(Interpreter& interp, Args args) {
  const std::vector<Value> items = expect_list_items(interp, args[0], "list");
  return items.empty() ? Value::nil() : items.back();
}

Value alexandria_alist_plist(Interpreter& interp, Args args) {
  ListCollector out(interp);
  for (Value entry : expect_list_items(interp, args[0], "alist")) {
    out.add(car(expect_list(interp, entry, "entry")));
    out.add(cdr(entry));
  }
  return out.finish();
}

Value alexandria_plist_alist(Interpreter& interp, Args args) {
  ListCollector out(interp);
  const std::vector<Value> items = expect_list_items(interp, args[0], "plist");
  for (size_t i = 0; i < items.size(); i += 2) {
    out.add(interp.cons(items[i], i + 1 < items.size() ? items[i + 1] : Value::nil()));
  }
  return out.finish();
}

/// (assoc-value alist key &key test): the cdr of the entry, and the entry.
Value alexandria_assoc_value(Interpreter& interp, Args args) {
  const Comparison comparison(interp, KeywordArgs(interp, args, 2, {"KEY", "TEST"}));
  RootedVector<Value> entries(interp.heap(), expect_list_items(interp, args[0], "alist"));
  for (Value entry : entries) {
    if (entry.is_cons() && comparison.test(args[1], comparison.key(car(entry)))) {
      return interp.set_values({cdr(entry), entry});
    }
  }
  return interp.set_values({Value::nil(), Value::nil()});
}

/// (map-product f list...): f on every combination, the last list fastest.
Value alexandria_map_product(Interpreter& interp, Args args) {
  args[0] = interp.coerce_to_function(args[0]);
  std::vector<std::vector<Value>> lists;
  RootedVector<Value> rooted(interp.heap());
  for (Value list : args.subspan(1)) {
    lists.push_back(expect_list_items(interp, list, "list"));
    rooted->insert(rooted->end(), lists.back().begin(), lists.back().end());
    if (lists.back().empty()) {
      return Value::nil();
    }
  }
  std::vector<size_t> at(lists.size(), 0);
  ListCollector out(interp);
  while (true) {
    std::vector<Value> call;
    for (size_t i = 0; i < lists.size(); ++i) {
      call.push_back(lists[i][at[i]]);
    }
    out.add(interp.call(args[0], call));
    size_t axis = lists.size();
    while (axis > 0 && ++at[axis - 1] == lists[axis - 1].size()) {
      at[--axis] = 0;
    }
    if (axis == 0) {
      return out.finish();
    }
  }
}

Value alexandria_setp(Interpreter& interp, Args args) {
  const Comparison comparison(interp, KeywordArgs(interp, args, 1, {"KEY", "TEST"}));
  if (!args[0].is_list()) {
    return Value::nil();
  }
  RootedVector<Value> items(interp.heap(), expect_list_items(interp, args[0], "list"));
  for (size_t i = 0; i < items.size(); ++i) {
    for (size_t j = i + 1; j < items.size(); ++j) {
      if (comparison.same(items[i], items[j])) {
        return Value::nil();
      }
    }
  }
  return Value::t();
}

Value alexandria_set_equal(Interpreter& interp, Args args) {
  RootedVector<Value> swapped(interp.heap(), args);
  std::swap(swapped[0], swapped[1]);
  const Value subsetp = interp.cl("SUBSETP");
  return Value::boolean(interp.call(subsetp, args).truthy() &&
                        interp.call(subsetp, swapped.span()).truthy());
}

// --- sequences --------------------------------------------------------------------------------

Value alexandria_emptyp(Interpreter& interp, Args args) {
  return Value::boolean(sequence_length(interp, args[0], "sequence") == 0);
}

Value alexandria_end_element(Interpreter& interp, Args args, bool last) {
  const std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  if (items.empty()) {
    wrong_type(interp, args[0], "sequence", "a sequence that is not empty");
  }
  return last ? items.back() : items.front();
}
Value alexandria_first_elt(Interpreter& interp, Args args) {
  return alexandria_end_element(interp, args, false);
}
Value alexandria_last_elt(Interpreter& interp, Args args) {
  return alexandria_end_element(interp, args, true);
}

/// Fisher-Yates in place, with *RANDOM-STATE*.
Value alexandria_shuffle(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 1, {"START", "END"});
  std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  const Bounds bounds = bounds_of(interp, keys.get("START"), keys.get("END"), items.size());
  RandomState& state = random_state(interp, Value::nil());
  for (size_t i = bounds.end; i > bounds.start + 1; --i) {
    std::swap(items[i - 1], items[bounds.start + state.below(i - bounds.start)]);
  }
  store_items(interp, args[0], items);
  return args[0];
}

Value alexandria_random_elt(Interpreter& interp, Args args) {
  const std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  if (items.empty()) {
    wrong_type(interp, args[0], "sequence", "a sequence that is not empty");
  }
  return items[random_state(interp, Value::nil()).below(items.size())];
}

/// (rotate sequence [n]): the last n elements move to the front.
Value alexandria_rotate(Interpreter& interp, Args args) {
  std::vector<Value> items = sequence_items(interp, args[0], "sequence");
  const int64_t n = args.size() > 1 ? expect_int(interp, args[1], "count") : 1;
  if (!items.empty()) {
    const auto length = static_cast<int64_t>(items.size());
    std::ranges::rotate(items, items.end() - (n % length + length) % length);
  }
  return make_sequence_like(interp, args[0], items);
}

/// Whether one sequence begins (ends) with another.
template <bool AtEnd>
Value alexandria_affix(Interpreter& interp, Args args) {
  const Comparison comparison(interp, KeywordArgs(interp, args, 2, {"KEY", "TEST"}));
  RootedVector<Value> part(interp.heap(), sequence_items(interp, args[0], "part"));
  RootedVector<Value> whole(interp.heap(), sequence_items(interp, args[1], "sequence"));
  if (part.size() > whole.size()) {
    return Value::nil();
  }
  const size_t offset = AtEnd ? whole.size() - part.size() : 0;
  for (size_t i = 0; i < part.size(); ++i) {
    if (!comparison.same(part[i], whole[offset + i])) {
      return Value::nil();
    }
  }
  return Value::t();
}

/// Whether a sequence begins (ends) with an element.
template <bool AtEnd>
Value alexandria_affix_element(Interpreter& interp, Args args) {
  const Comparison comparison(interp, KeywordArgs(interp, args, 2, {"KEY", "TEST"}));
  RootedVector<Value> whole(interp.heap(), sequence_items(interp, args[1], "sequence"));
  return Value::boolean(
      !whole.empty() &&
      comparison.test(args[0], comparison.key(whole[AtEnd ? whole.size() - 1 : 0])));
}

/// (length= x...): whether sequences and numbers agree as lengths.
Value alexandria_length_equal(Interpreter& interp, Args args) {
  std::optional<int64_t> length;
  for (Value v : args) {
    const int64_t n = is_integer(v) ? integer_value(v)
                                    : static_cast<int64_t>(sequence_length(interp, v, "argument"));
    if (length && *length != n) {
      return Value::nil();
    }
    length = n;
  }
  return Value::t();
}

// --- hash tables ------------------------------------------------------------------------------

/// A table of an alist or plist, made with the remaining arguments. The first of equal keys wins.
template <bool Plist>
Value alexandria_hash_table(Interpreter& interp, Args args) {
  const std::vector<Value> items = expect_list_items(interp, args[0], "list");
  const Value made = interp.call(interp.cl("MAKE-HASH-TABLE"), args.subspan(1));
  HashTable& table = *made.as<HashTable>();
  for (size_t i = 0; i < items.size(); i += Plist ? 2 : 1) {
    const Value key = Plist ? items[i] : car(expect_list(interp, items[i], "entry"));
    const Value value = !Plist ? cdr(items[i]) : i + 1 < items.size() ? items[i + 1] : Value::nil();
    if (table.find(key) == nullptr) {
      table.set(key, value);
    }
  }
  return made;
}

Value alexandria_copy_hash_table(Interpreter& interp, Args args) {
  KeywordArgs(interp, args, 1, {"KEY", "TEST", "SIZE", "REHASH-SIZE", "REHASH-THRESHOLD"});
  const HashTable& from = expect_hash_table(interp, args[0], "hash table");
  HashTable* const made = interp.heap().make<HashTable>(from.test);
  for (const HashTable::Entry& entry : from.entries) {
    if (!entry.key.is_none()) {
      made->set(entry.key, entry.value);
    }
  }
  return Value::object(made);
}

template <bool Keys>
Value alexandria_map_table(Interpreter& interp, Args args) {
  args[0] = interp.coerce_to_function(args[0]);
  RootedVector<Value> parts(interp.heap());
  for (const HashTable::Entry& entry : expect_hash_table(interp, args[1], "table").entries) {
    if (!entry.key.is_none()) {
      parts.push_back(Keys ? entry.key : entry.value);
    }
  }
  for (Value part : parts) {
    interp.call(args[0], {part});
  }
  return Value::nil();
}

// --- numbers ----------------------------------------------------------------------------------

Value alexandria_clamp(Interpreter& interp, Args args) {
  if (number_compare(interp, args[0], args[1]) < 0) {
    return args[1];
  }
  return number_compare(interp, args[0], args[2]) > 0 ? args[2] : args[0];
}

/// (lerp v a b): a + v (b - a).
Value alexandria_lerp(Interpreter& interp, Args args) {
  return number_add(interp, args[1],
                    number_multiply(interp, args[0], number_subtract(interp, args[2], args[1])));
}

Value mean_of(Interpreter& interp, std::span<const Value> items) {
  Value sum = Value::fixnum(0);
  for (Value item : items) {
    sum = number_add(interp, sum, item);
  }
  return number_divide(interp, sum, Value::fixnum(static_cast<int64_t>(items.size())));
}

Value alexandria_mean(Interpreter& interp, Args args) {
  return mean_of(interp, sequence_items(interp, args[0], "sample"));
}

Value alexandria_variance(Interpreter& interp, Args args) {
  const bool biased = KeywordArgs(interp, args, 1, {"BIASED"}).get("BIASED", Value::t()).truthy();
  const std::vector<Value> items = sequence_items(interp, args[0], "sample");
  const Value mean = mean_of(interp, items);
  Value sum = Value::fixnum(0);
  for (Value item : items) {
    const Value distance = number_subtract(interp, item, mean);
    sum = number_add(interp, sum, number_multiply(interp, distance, distance));
  }
  return number_divide(interp, sum,
                       Value::fixnum(static_cast<int64_t>(items.size()) - (biased ? 0 : 1)));
}

Value alexandria_standard_deviation(Interpreter& interp, Args args) {
  return interp.call(interp.cl("SQRT"), {alexandria_variance(interp, args)});
}

Value alexandria_median(Interpreter& interp, Args args) {
  std::vector<Value> items = sequence_items(interp, args[0], "sample");
  if (items.empty()) {
    wrong_type(interp, args[0], "sample", "a sequence that is not empty");
  }
  std::ranges::stable_sort(items,
                           [&](Value a, Value b) { return number_compare(interp, a, b) < 0; });
  const size_t middle = items.size() / 2;
  return items.size() % 2 == 1 ? items[middle]
                               : mean_of(interp, std::span(items).subspan(middle - 1, 2));
}

Value alexandria_factorial(Interpreter& interp, Args args) {
  const int64_t n = expect_index(interp, args[0], "argument");
  Value result = Value::fixnum(1);
  for (int64_t i = 2; i <= n; ++i) {
    result = number_multiply(interp, result, Value::fixnum(i));
  }
  return result;
}

// --- symbols ----------------------------------------------------------------------------------

Value alexandria_make_keyword(Interpreter& interp, Args args) {
  return interp.keyword(encode_utf8(designated_chars(interp, args[0], "name")));
}

Value alexandria_symbolicate(Interpreter& interp, Args args) {
  std::u32string name;
  for (Value part : args) {
    name += designated_chars(interp, part, "part of the name");
  }
  return interp.current_package().intern(interp.heap(), encode_utf8(name));
}

/// (format-symbol package control argument...): NIL makes an uninterned symbol.
Value alexandria_format_symbol(Interpreter& interp, Args args) {
  RootedVector<Value> call(interp.heap());
  call.push_back(Value::nil());
  call->insert(call->end(), args.begin() + 1, args.end());
  if (args[1].is_symbol()) {
    call[1] = interp.string(args[1].as<Symbol>()->name);
  }
  const std::string name =
      expect_string(interp, interp.call(interp.cl("FORMAT"), call.span()), "name").utf8();
  if (args[0].is_nil()) {
    return interp.make_symbol(name);
  }
  Package& package =
      args[0] == Value::t() ? interp.current_package() : expect_package(interp, args[0], "package");
  return package.intern(interp.heap(), name);
}

// clang-format off
constexpr const char* kAlexandria = "ALEXANDRIA";
constexpr Builtin kAlexandriaBuiltins[] = {
    // name                  package      min max  doc                                                     function
    {"COMPOSE",              kAlexandria, 1,  -1,  "the composition of functions, the last applied first", alexandria_compose},
    {"CURRY",                kAlexandria, 1,  -1,  "a function with its first arguments given",            alexandria_curry<false>},
    {"RCURRY",               kAlexandria, 1,  -1,  "a function with its last arguments given",             alexandria_curry<true>},
    {"CONJOIN",              kAlexandria, 1,  -1,  "the predicate that all of several hold",               alexandria_join<false>},
    {"DISJOIN",              kAlexandria, 1,  -1,  "the predicate that one of several holds",              alexandria_join<true>},
    {"FLATTEN",              kAlexandria, 1,  1,   "the leaves of a tree that are not NIL",                alexandria_flatten},
    {"IOTA",                 kAlexandria, 1,  -1,  "(iota n &key start step): a list of numbers",          alexandria_iota},
    {"MAP-IOTA",             kAlexandria, 2,  -1,  "(map-iota function n &key start step)",                alexandria_map_iota},
    {"ENSURE-LIST",          kAlexandria, 1,  1,   "a list itself, or a list of the argument",             alexandria_ensure_list},
    {"ENSURE-CONS",          kAlexandria, 1,  1,   "a cons itself, or a cons with NIL",                    alexandria_ensure_cons},
    {"ENSURE-CAR",           kAlexandria, 1,  1,   "the car of a cons, or the argument",                   alexandria_ensure_car},
    {"MAPPEND",              kAlexandria, 2,  -1,  "the results of mapcar, appended",                      alexandria_mappend},
    {"LASTCAR",              kAlexandria, 1,  1,   "the last element of a list",                           alexandria_lastcar},
    {"ALIST-PLIST",          kAlexandria, 1,  1,   "an association list as a property list",               alexandria_alist_plist},
    {"PLIST-ALIST",          kAlexandria, 1,  1,   "a property list as an association list",               alexandria_plist_alist},
    {"ASSOC-VALUE",          kAlexandria, 2,  -1,  "(assoc-value alist key &key test)",                    alexandria_assoc_value},
    {"MAP-PRODUCT",          kAlexandria, 2,  -1,  "a function's results on all combinations of lists",    alexandria_map_product},
    {"SETP",                 kAlexandria, 1,  -1,  "true for lists without duplicates",                    alexandria_setp},
    {"SET-EQUAL",            kAlexandria, 2,  -1,  "true if lists have the same elements",                 alexandria_set_equal},
    {"EMPTYP",               kAlexandria, 1,  1,   "true for sequences without elements",                  alexandria_emptyp},
    {"FIRST-ELT",            kAlexandria, 1,  1,   "the first element of a sequence",                      alexandria_first_elt},
    {"LAST-ELT",             kAlexandria, 1,  1,   "the last element of a sequence",                       alexandria_last_elt},
    {"SHUFFLE",              kAlexandria, 1,  -1,  "puts a sequence into random order, in place",          alexandria_shuffle},
    {"RANDOM-ELT",           kAlexandria, 1,  1,   "a random element of a sequence",                       alexandria_random_elt},
    {"ROTATE",               kAlexandria, 1,  2,   "the sequence with its last n elements in front",       alexandria_rotate},
    {"STARTS-WITH-SUBSEQ",   kAlexandria, 2,  -1,  "(starts-with-subseq prefix sequence &key test)",       alexandria_affix<false>},
    {"ENDS-WITH-SUBSEQ",     kAlexandria, 2,  -1,  "(ends-with-subseq suffix sequence &key test)",         alexandria_affix<true>},
    {"STARTS-WITH",          kAlexandria, 2,  -1,  "true if a sequence begins with an element",            alexandria_affix_element<false>},
    {"ENDS-WITH",            kAlexandria, 2,  -1,  "true if a sequence ends with an element",              alexandria_affix_element<true>},
    {"LENGTH=",              kAlexandria, 1,  -1,  "true if sequences (or lengths) have one length",       alexandria_length_equal},
    {"ALIST-HASH-TABLE",     kAlexandria, 1,  -1,  "a hash table of an association list",                  alexandria_hash_table<false>},
    {"PLIST-HASH-TABLE",     kAlexandria, 1,  -1,  "a hash table of a property list",                      alexandria_hash_table<true>},
    {"COPY-HASH-TABLE",      kAlexandria, 1,  -1,  "a copy of a hash table",                               alexandria_copy_hash_table},
    {"MAPHASH-KEYS",         kAlexandria, 2,  2,   "calls a function on every key",                        alexandria_map_table<true>},
    {"MAPHASH-VALUES",       kAlexandria, 2,  2,   "calls a function on every value",                      alexandria_map_table<false>},
    {"CLAMP",                kAlexandria, 3,  3,   "(clamp number min max)",                               alexandria_clamp},
    {"LERP",                 kAlexandria, 3,  3,   "(lerp v a b): a + v (b - a)",                          alexandria_lerp},
    {"MEAN",                 kAlexandria, 1,  1,   "the mean of a sequence of numbers",                    alexandria_mean},
    {"MEDIAN",               kAlexandria, 1,  1,   "the median of a sequence of numbers",                  alexandria_median},
    {"VARIANCE",             kAlexandria, 1,  -1,  "the variance of numbers (&key biased)",                alexandria_variance},
    {"STANDARD-DEVIATION",   kAlexandria, 1,  -1,  "the standard deviation of numbers (&key biased)",      alexandria_standard_deviation},
    {"FACTORIAL",            kAlexandria, 1,  1,   "the factorial of an integer",                          alexandria_factorial},
    {"MAKE-KEYWORD",         kAlexandria, 1,  1,   "the keyword of a name",                                alexandria_make_keyword},
    {"SYMBOLICATE",          kAlexandria, 0,  -1,  "the symbol named by the names joined",                 alexandria_symbolicate},
    {"FORMAT-SYMBOL",        kAlexandria, 2,  -1,  "(format-symbol package control argument...)",          alexandria_format_symbol},
};
// clang-format on

}  // namespace

std::span<const Builtin> alexandria_builtins() {
  return kAlexandriaBuiltins;
}

}  // namespace caten::lisp
