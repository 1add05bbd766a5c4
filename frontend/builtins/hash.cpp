// Hash tables.
#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/hash_table.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

constexpr std::string_view kTestNames[] = {"EQ", "EQL", "EQUAL", "EQUALP"};

HashTest test_of(Interpreter& interp, Value test) {
  for (size_t i = 0; i < std::size(kTestNames); ++i) {
    const Value name = interp.cl(kTestNames[i]);
    if (test == name || (test.is_function() && test == interp.function_of(name))) {
      return static_cast<HashTest>(i);
    }
  }
  wrong_type(interp, test, "test", "one of `eq`, `eql`, `equal`, `equalp`");
}

Value hash_make(Interpreter& interp, Args args) {
  const KeywordArgs keys(
      interp, args, 0,
      {"TEST", "SIZE", "REHASH-SIZE", "REHASH-THRESHOLD", "WEAKNESS", "SYNCHRONIZED"});
  const HashTest test = keys.given("TEST") ? test_of(interp, keys.get("TEST")) : HashTest::Eql;
  return Value::object(interp.heap().make<HashTable>(test));
}

Value hash_gethash(Interpreter& interp, Args args) {
  const Value* found = expect_hash_table(interp, args[1], "hash table").find(args[0]);
  return interp.set_values(
      {found != nullptr ? *found : arg_or(args, 2), Value::boolean(found != nullptr)});
}

Value hash_remhash(Interpreter& interp, Args args) {
  return Value::boolean(expect_hash_table(interp, args[1], "hash table").remove(args[0]));
}

Value hash_clrhash(Interpreter& interp, Args args) {
  expect_hash_table(interp, args[0], "hash table").clear();
  return args[0];
}

/// The entries may be changed or removed by the function; entries that it adds are not visited.
Value hash_maphash(Interpreter& interp, Args args) {
  args[0] = interp.coerce_to_function(args[0]);
  HashTable& table = expect_hash_table(interp, args[1], "hash table");
  RootedVector<Value> keys(interp.heap());
  for (const HashTable::Entry& entry : table.entries) {
    if (!entry.key.is_none()) {
      keys.push_back(entry.key);
    }
  }
  for (Value key : keys) {
    if (const Value* value = table.find(key)) {
      interp.call(args[0], {key, *value});
    }
  }
  return Value::nil();
}

Value hash_count(Interpreter& interp, Args args) {
  return Value::fixnum(
      static_cast<int64_t>(expect_hash_table(interp, args[0], "hash table").count()));
}

Value hash_size(Interpreter& interp, Args args) {
  return Value::fixnum(
      static_cast<int64_t>(expect_hash_table(interp, args[0], "hash table").entries.capacity()));
}

Value hash_test(Interpreter& interp, Args args) {
  const HashTable& table = expect_hash_table(interp, args[0], "hash table");
  return interp.cl(kTestNames[static_cast<size_t>(table.test)]);
}

Value hash_hash_table_p(Interpreter&, Args args) {
  return Value::boolean(args[0].is<HashTable>());
}

Value hash_sxhash(Interpreter&, Args args) {
  return Value::fixnum(static_cast<int64_t>(hash_equal(args[0]) & ((uint64_t{1} << 61) - 1)));
}

/// The entries as lists: keys, values, or pairs.
enum class Part : uint8_t { Keys, Values, Pairs, Plist };

template <Part P>
Value hash_parts(Interpreter& interp, Args args) {
  const HashTable& table = expect_hash_table(interp, args[0], "hash table");
  std::vector<Value> out;
  for (const HashTable::Entry& entry : table.entries) {
    if (entry.key.is_none()) {
      continue;
    }
    if (P == Part::Keys || P == Part::Plist) {
      out.push_back(entry.key);
    }
    if (P == Part::Values || P == Part::Plist) {
      out.push_back(entry.value);
    }
    if (P == Part::Pairs) {
      out.push_back(interp.cons(entry.key, entry.value));
    }
  }
  return interp.list(out);
}

// clang-format off
constexpr Builtin kHashBuiltins[] = {
    // name                  package       min max  doc                                                     function
    {"MAKE-HASH-TABLE",      "CL",         0,  -1,  "a hash table (&key test size)",                        hash_make},
    {"GETHASH",              "CL",         2,  3,   "(gethash key table [default]): the value, and if it was there", hash_gethash},
    {"REMHASH",              "CL",         2,  2,   "removes a key; true if it was there",                  hash_remhash},
    {"CLRHASH",              "CL",         1,  1,   "empties a table",                                      hash_clrhash},
    {"MAPHASH",              "CL",         2,  2,   "calls a function on every key and value, in order of insertion", hash_maphash},
    {"HASH-TABLE-COUNT",     "CL",         1,  1,   "the number of entries",                                hash_count},
    {"HASH-TABLE-SIZE",      "CL",         1,  1,   "the number of entries there is room for",              hash_size},
    {"HASH-TABLE-TEST",      "CL",         1,  1,   "the name of the test",                                 hash_test},
    {"HASH-TABLE-P",         "CL",         1,  1,   "true for hash tables",                                 hash_hash_table_p},
    {"SXHASH",               "CL",         1,  1,   "a hash code; equal objects have equal ones",           hash_sxhash},
    {"HASH-TABLE-KEYS",      "ALEXANDRIA", 1,  1,   "the list of keys",                                     hash_parts<Part::Keys>},
    {"HASH-TABLE-VALUES",    "ALEXANDRIA", 1,  1,   "the list of values",                                   hash_parts<Part::Values>},
    {"HASH-TABLE-ALIST",     "ALEXANDRIA", 1,  1,   "the entries as pairs",                                 hash_parts<Part::Pairs>},
    {"HASH-TABLE-PLIST",     "ALEXANDRIA", 1,  1,   "the entries as a property list",                       hash_parts<Part::Plist>},
};
// clang-format on

}  // namespace

std::span<const Builtin> hash_builtins() {
  return kHashBuiltins;
}

}  // namespace caten::lisp
