// Package: a table from names to symbols, with exports, used packages and nicknames.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/lisp/value.h"

namespace caten::lisp {

/// Open-addressing set of symbols by name.
class SymbolTable {
 public:
  struct Slot {
    Symbol* symbol = nullptr;
    bool external = false;
  };
  Slot* find(std::string_view name, uint32_t hash);
  Slot* insert(Symbol* symbol);  // the name must be absent
  void erase(Symbol* symbol);
  const std::vector<Slot>& slots() const { return slots_; }  // null symbols are free

 private:
  void grow();
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

uint32_t hash_name(std::string_view name);
/// A new symbol without a home package.
Symbol* make_symbol_object(Heap& heap, std::string_view name, uint32_t hash);

enum class Access : uint8_t { None, Internal, External, Inherited };

struct FoundSymbol {
  Value symbol;  // no value: absent
  Access access = Access::None;
};

class Package : public HeapObject {
 public:
  explicit Package(std::string package_name) : name(std::move(package_name)) {}

  /// The symbol accessible under a name, without creating it.
  FoundSymbol find(std::string_view symbol_name) const;
  FoundSymbol find(std::string_view symbol_name, uint32_t hash) const;
  /// find, else a new internal symbol (external if exports_all).
  Value intern(Heap& heap, std::string_view symbol_name);
  /// These fail (CompileError) on name conflicts.
  void export_symbol(Value symbol);
  void unexport_symbol(Value symbol);
  void import_symbol(Value symbol);
  void shadow(Heap& heap, std::string_view symbol_name);
  void shadowing_import(Value symbol);
  void use(Package* other);
  void unuse(Package* other);
  bool unintern(Value symbol);

  std::string name;
  std::vector<std::string> nicknames;
  std::vector<Package*> used;
  std::vector<Package*> used_by;
  mutable SymbolTable symbols;
  std::vector<Value> shadowing;
  struct LocalNickname {
    std::string name;
    Package* package;
  };
  std::vector<LocalNickname> local_nicknames;  // names of others while this is *PACKAGE*
  bool is_keyword = false;
  bool exports_all = false;  // new symbols are external: KEYWORD, COMMON-LISP
  bool locked = false;       // COMMON-LISP, once it is whole: see Interpreter::check_lock

  static const ObjectType kType;
};

}  // namespace caten::lisp
