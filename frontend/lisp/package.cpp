// See package.h.
#include "frontend/lisp/package.h"

#include <algorithm>
#include <cstring>

#include "ir/support/diagnostics.h"

namespace caten::lisp {
namespace {

void trace_package(HeapObject* object, Tracer& tracer) {
  auto* package = static_cast<Package*>(object);
  for (const SymbolTable::Slot& slot : package->symbols.slots()) {
    tracer.mark(slot.symbol);
  }
  for (Package* other : package->used) {
    tracer.mark(other);
  }
  for (Package* other : package->used_by) {
    tracer.mark(other);
  }
  for (Value symbol : package->shadowing) {
    trace(tracer, symbol);
  }
  for (const Package::LocalNickname& nickname : package->local_nicknames) {
    tracer.mark(nickname.package);
  }
}

void destroy_package(HeapObject* object) {
  static_cast<Package*>(object)->~Package();
}

Symbol* symbol_pointer(Value symbol) {
  return symbol.as<Symbol>();
}

[[noreturn]] void conflict(const Package& package, std::string_view name, const char* action) {
  fail(Diag::PackageError, {}, "{} makes the name `{}` ambiguous in package {}", action, name,
       package.name);
}

}  // namespace

const ObjectType Package::kType = {"package", trace_package, destroy_package};

uint32_t hash_name(std::string_view name) {
  uint64_t h = 0xCBF29CE484222325U ^ name.size();
  size_t i = 0;
  for (; i + 8 <= name.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, name.data() + i, 8);
    h = (h ^ word) * 0x9E3779B97F4A7C15U;
    h ^= h >> 32;
  }
  uint64_t word = 0;
  std::memcpy(&word, name.data() + i, name.size() - i);
  h = (h ^ word) * 0x9E3779B97F4A7C15U;
  return static_cast<uint32_t>(h >> 32);
}

SymbolTable::Slot* SymbolTable::find(std::string_view name, uint32_t hash) {
  if (slots_.empty()) {
    return nullptr;
  }
  size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].symbol != nullptr; i = (i + 1) & mask) {
    if (slots_[i].symbol->hash == hash && slots_[i].symbol->name == name) {
      return &slots_[i];
    }
  }
  return nullptr;
}

SymbolTable::Slot* SymbolTable::insert(Symbol* symbol) {
  if ((count_ + 1) * 2 > slots_.size()) {
    grow();
  }
  size_t mask = slots_.size() - 1;
  size_t i = symbol->hash & mask;
  while (slots_[i].symbol != nullptr) {
    i = (i + 1) & mask;
  }
  slots_[i].symbol = symbol;
  ++count_;
  return &slots_[i];
}

void SymbolTable::erase(Symbol* symbol) {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.size(), Slot{});
  count_ = 0;
  for (const Slot& slot : old) {
    if (slot.symbol != nullptr && slot.symbol != symbol) {
      insert(slot.symbol)->external = slot.external;
    }
  }
}

void SymbolTable::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(old.empty() ? 16 : old.size() * 2, Slot{});
  count_ = 0;
  for (const Slot& slot : old) {
    if (slot.symbol != nullptr) {
      insert(slot.symbol)->external = slot.external;
    }
  }
}

FoundSymbol Package::find(std::string_view symbol_name) const {
  return find(symbol_name, hash_name(symbol_name));
}

FoundSymbol Package::find(std::string_view symbol_name, uint32_t hash) const {
  if (SymbolTable::Slot* slot = symbols.find(symbol_name, hash)) {
    return {Value::object(slot->symbol), slot->external ? Access::External : Access::Internal};
  }
  for (Package* other : used) {
    SymbolTable::Slot* slot = other->symbols.find(symbol_name, hash);
    if (slot != nullptr && slot->external) {
      return {Value::object(slot->symbol), Access::Inherited};
    }
  }
  return {};
}

Value Package::intern(Heap& heap, std::string_view symbol_name) {
  uint32_t hash = hash_name(symbol_name);
  FoundSymbol found = find(symbol_name, hash);
  if (found.access != Access::None) {
    return found.symbol;
  }
  Symbol* symbol = make_symbol_object(heap, symbol_name, hash);
  symbol->package = this;
  SymbolTable::Slot* slot = symbols.insert(symbol);
  slot->external = exports_all;
  if (is_keyword) {
    symbol->flags |= kKeyword | kConstant;
    symbol->value = Value::object(symbol);
  }
  return Value::object(symbol);
}

Symbol* make_symbol_object(Heap& heap, std::string_view name, uint32_t hash) {
  auto* symbol = heap.make_sized<Symbol>(name.size() + 1, std::string_view());
  char* text = reinterpret_cast<char*>(symbol + 1);
  std::memcpy(text, name.data(), name.size());
  text[name.size()] = '\0';
  symbol->name = {text, name.size()};
  symbol->hash = hash;
  return symbol;
}

void Package::export_symbol(Value symbol) {
  Symbol* wanted = symbol_pointer(symbol);
  FoundSymbol found = find(wanted->name, wanted->hash);
  if (found.access == Access::None || found.symbol != symbol) {
    fail(Diag::PackageError, {}, "symbol `{}` is not accessible in package {}", wanted->name, name);
  }
  for (Package* user : used_by) {
    FoundSymbol other = user->find(wanted->name, wanted->hash);
    bool shadowed = std::find(user->shadowing.begin(), user->shadowing.end(), other.symbol) !=
                    user->shadowing.end();
    if (other.access != Access::None && other.symbol != symbol && !shadowed) {
      conflict(*user, wanted->name, "exporting");
    }
  }
  SymbolTable::Slot* slot = symbols.find(wanted->name, wanted->hash);
  if (slot == nullptr) {
    slot = symbols.insert(wanted);
  }
  slot->external = true;
}

void Package::unexport_symbol(Value symbol) {
  Symbol* wanted = symbol_pointer(symbol);
  SymbolTable::Slot* slot = symbols.find(wanted->name, wanted->hash);
  if (slot != nullptr && slot->symbol == wanted) {
    slot->external = false;
  }
}

void Package::import_symbol(Value symbol) {
  Symbol* wanted = symbol_pointer(symbol);
  FoundSymbol found = find(wanted->name, wanted->hash);
  if (found.access != Access::None && found.symbol != symbol) {
    conflict(*this, wanted->name, "importing");
  }
  if (found.access == Access::None || found.access == Access::Inherited) {
    symbols.insert(wanted);
    if (wanted->package == nullptr && !wanted->is_static()) {
      wanted->package = this;
    }
  }
}

void Package::shadow(Heap& heap, std::string_view symbol_name) {
  uint32_t hash = hash_name(symbol_name);
  SymbolTable::Slot* slot = symbols.find(symbol_name, hash);
  if (slot == nullptr) {
    Symbol* symbol = make_symbol_object(heap, symbol_name, hash);
    symbol->package = this;
    slot = symbols.insert(symbol);
  }
  shadowing.push_back(Value::object(slot->symbol));
}

void Package::shadowing_import(Value symbol) {
  Symbol* wanted = symbol_pointer(symbol);
  if (SymbolTable::Slot* slot = symbols.find(wanted->name, wanted->hash);
      slot != nullptr && slot->symbol != wanted) {
    unintern(Value::object(slot->symbol));
  }
  if (symbols.find(wanted->name, wanted->hash) == nullptr) {
    symbols.insert(wanted);
    if (wanted->package == nullptr && !wanted->is_static()) {
      wanted->package = this;
    }
  }
  if (std::find(shadowing.begin(), shadowing.end(), symbol) == shadowing.end()) {
    shadowing.push_back(symbol);
  }
}

void Package::use(Package* other) {
  if (other == this || std::find(used.begin(), used.end(), other) != used.end()) {
    return;
  }
  for (const SymbolTable::Slot& slot : other->symbols.slots()) {
    if (slot.symbol == nullptr || !slot.external) {
      continue;
    }
    FoundSymbol mine = find(slot.symbol->name, slot.symbol->hash);
    bool shadowed = std::find(shadowing.begin(), shadowing.end(), mine.symbol) != shadowing.end();
    if (mine.access != Access::None && mine.symbol != Value::object(slot.symbol) && !shadowed) {
      conflict(*this, slot.symbol->name, "using a package");
    }
  }
  used.push_back(other);
  other->used_by.push_back(this);
}

void Package::unuse(Package* other) {
  std::erase(used, other);
  std::erase(other->used_by, this);
}

bool Package::unintern(Value symbol) {
  Symbol* wanted = symbol_pointer(symbol);
  SymbolTable::Slot* slot = symbols.find(wanted->name, wanted->hash);
  if (slot == nullptr || slot->symbol != wanted) {
    return false;
  }
  symbols.erase(wanted);
  std::erase(shadowing, symbol);
  if (wanted->package == this) {
    wanted->package = nullptr;
  }
  return true;
}

}  // namespace caten::lisp
