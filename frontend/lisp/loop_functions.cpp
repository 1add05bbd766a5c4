// The functions that expansions of LOOP call: collecting into lists, walking tables and packages.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/hash_table.h"

namespace caten::lisp {

namespace {

/// The last cons of a list to be put behind `front`, which is the last if the list is empty. Fails
/// for circular lists, and for one that contains `front`.
Cons* last_cons(Interpreter& interp, Cons* front, Value list) {
  Cons* last = front;
  Cons* seen = front;  // moves up at powers of two: the walk meets it if it goes round
  int64_t steps = 0;
  for (int64_t next = 1; list.is_cons(); list = cdr(list)) {
    last = list.cons_pointer();
    if (last == seen || last == front) {
      wrong_type(interp, Value::cons(last), "the list to collect", "a list that is not circular");
    }
    if (++steps == next) {
      seen = last;
      next *= 2;
    }
  }
  return last;
}

// (%append-to last list): a copy of the list goes after the cons `last`; returns the new last cons.
Value append_to(Interpreter& interp, std::span<Value> args) {
  Cons* last = &expect_cons(interp, args[0], "the end of the list");
  Value rest = args[1];
  last_cons(interp, last, rest);
  for (; rest.is_cons(); rest = cdr(rest)) {
    Value cell = interp.cons(car(rest), Value::nil());
    last->cdr = cell;
    last = cell.cons_pointer();
  }
  if (rest.truthy()) {
    last->cdr = rest;
  }
  return Value::cons(last);
}

// (%nconc-to last list): the same with the list itself.
Value nconc_to(Interpreter& interp, std::span<Value> args) {
  Cons* last = &expect_cons(interp, args[0], "the end of the list");
  Cons* end = last_cons(interp, last, args[1]);
  last->cdr = args[1];
  return Value::cons(end);
}

// (%hash-next table index): the index of the next entry after `index`, or NIL.
Value hash_next(Interpreter& interp, std::span<Value> args) {
  const HashTable& table = expect_hash_table(interp, args[0], "the table to loop over");
  for (int64_t i = std::max<int64_t>(expect_int(interp, args[1], "index"), -1) + 1;
       i < static_cast<int64_t>(table.entries.size()); ++i) {
    if (!table.entries[static_cast<size_t>(i)].key.is_none()) {
      return Value::fixnum(i);
    }
  }
  return Value::nil();
}

const HashTable::Entry* entry_at(Interpreter& interp, std::span<Value> args) {
  const HashTable& table = expect_hash_table(interp, args[0], "the table to loop over");
  size_t index = static_cast<size_t>(expect_index(interp, args[1], "index"));
  return index < table.entries.size() && !table.entries[index].key.is_none()
             ? &table.entries[index]
             : nullptr;  // removed since
}

Value hash_key_at(Interpreter& interp, std::span<Value> args) {
  const HashTable::Entry* entry = entry_at(interp, args);
  return entry == nullptr ? Value::nil() : entry->key;
}

Value hash_value_at(Interpreter& interp, std::span<Value> args) {
  const HashTable::Entry* entry = entry_at(interp, args);
  return entry == nullptr ? Value::nil() : entry->value;
}

// (%package-symbols package external-only)
Value package_symbols(Interpreter& interp, std::span<Value> args) {
  Package& package = expect_package(interp, args[0], "package");
  ListBuilder out(interp);
  auto add = [&](const Package& from, bool external_only) {
    for (const SymbolTable::Slot& slot : from.symbols.slots()) {
      if (slot.symbol != nullptr && (slot.external || !external_only)) {
        out.add(Value::object(slot.symbol));
      }
    }
  };
  add(package, args[1].truthy());
  if (args[1].is_nil()) {
    for (const Package* used : package.used) {
      add(*used, true);
    }
  }
  return out.take();
}

constexpr Builtin kLoopBuiltins[] = {
    {"%APPEND-TO", "CATEN", 2, 2, "for loop append", append_to},
    {"%NCONC-TO", "CATEN", 2, 2, "for loop nconc", nconc_to},
    {"%HASH-NEXT", "CATEN", 2, 2, "for loop over hash tables", hash_next},
    {"%HASH-KEY-AT", "CATEN", 2, 2, "for loop over hash tables", hash_key_at},
    {"%HASH-VALUE-AT", "CATEN", 2, 2, "for loop over hash tables", hash_value_at},
    {"%PACKAGE-SYMBOLS", "CATEN", 2, 2, "for loop over packages", package_symbols},
};

}  // namespace

std::span<const Builtin> loop_builtins() {
  return kLoopBuiltins;
}

}  // namespace caten::lisp
