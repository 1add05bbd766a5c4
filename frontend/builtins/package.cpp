// Packages: defpackage and the functions on them.
#include <algorithm>
#include <vector>

#include "frontend/builtins/builtins.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

std::string name_of(Interpreter& interp, Value designator) {
  return expect_string_designator(interp, designator, "name");
}

Package& package_or_current(Interpreter& interp, Args args, size_t index) {
  return index < args.size() ? expect_package(interp, args[index], "package")
                             : interp.current_package();
}

// A symbol or a list of symbols.
std::vector<Value> symbols_of(Interpreter& interp, Value v) {
  std::vector<Value> symbols{v};
  if (v.is_list()) {
    symbols = expect_list_items(interp, v, "symbols");
  }
  for (Value symbol : symbols) {
    expect_symbol(interp, symbol, "symbol");
  }
  return symbols;
}

Value in_package(Interpreter& interp, Args args) {
  Package& package = expect_package(interp, args[0], "package");
  interp.set_current_package(package);
  return Value::object(&package);
}

void add_local_nickname(Interpreter& interp, Package& package, const std::string& name,
                        Package& actual) {
  for (const Package::LocalNickname& known : package.local_nicknames) {
    if (known.name == name && known.package != &actual) {
      fail(Diag::PackageError, interp.current_span(),
           "`{}` is a local nickname of package {} already", name, known.package->name);
    }
    if (known.name == name) {
      return;
    }
  }
  package.local_nicknames.push_back({name, &actual});
}

/// Fails for COMMON-LISP once it is locked.
void check_open(Interpreter& interp, const Package& package, std::string_view action) {
  if (package.locked) {
    fail(Diag::PackageError, interp.current_span(), "package {} is locked; it cannot {}",
         package.name, action);
  }
}

// One option of defpackage.
void apply_option(Interpreter& interp, Package& package, Value option) {
  std::string key = name_of(interp, car(option));
  std::vector<Value> items = expect_list_items(interp, cdr(option), "package option");
  Heap& heap = interp.heap();
  if (key == "NICKNAMES") {
    for (Value item : items) {
      std::string nickname = name_of(interp, item);
      Package* taken = interp.find_package(nickname);
      if (taken != nullptr && taken != &package) {
        fail(Diag::PackageError, interp.current_span(), "`{}` names package {} already", nickname,
             taken->name);
      }
      if (taken == nullptr) {
        package.nicknames.push_back(nickname);
      }
    }
  } else if (key == "USE") {
    for (Value item : items) {
      package.use(&expect_package(interp, item, "package"));
    }
  } else if (key == "EXPORT") {
    for (Value item : items) {
      package.export_symbol(package.intern(heap, name_of(interp, item)));
    }
  } else if (key == "SHADOW") {
    for (Value item : items) {
      package.shadow(heap, name_of(interp, item));
    }
  } else if (key == "INTERN") {
    for (Value item : items) {
      package.intern(heap, name_of(interp, item));
    }
  } else if (key == "IMPORT-FROM" || key == "SHADOWING-IMPORT-FROM") {
    if (items.empty()) {
      fail(Diag::PackageError, interp.current_span(), "`:import-from` names no package");
    }
    Package& from = expect_package(interp, items[0], "package");
    for (size_t i = 1; i < items.size(); ++i) {
      std::string name = name_of(interp, items[i]);
      FoundSymbol found = from.find(name);
      if (found.access == Access::None) {
        CompileError error(Diag::PackageError, interp.current_span(),
                           fmt::format("package {} has no symbol `{}`", from.name, name));
        if (auto near = interp.similar_symbol(from, name, false)) {
          error.note({}, fmt::format("did you mean `{}`?", *near));
        }
        throw error;
      }
      if (key == "IMPORT-FROM") {
        package.import_symbol(found.symbol);
      } else {
        package.shadowing_import(found.symbol);
      }
    }
  } else if (key == "LOCAL-NICKNAMES") {
    for (Value item : items) {
      add_local_nickname(interp, package, name_of(interp, car(item)),
                         expect_package(interp, cadr(item), "package"));
    }
  } else if (key != "DOCUMENTATION" && key != "SIZE" && key != "LOCK") {
    CompileError error(Diag::PackageError, interp.current_span(),
                       fmt::format("unknown `defpackage` option `:{}`", key));
    const std::string known[] = {"use",    "export",        "nicknames",
                                 "shadow", "import-from",   "shadowing-import-from",
                                 "intern", "documentation", "local-nicknames",
                                 "size",   "lock"};
    if (auto near = did_you_mean(key, known)) {
      error.note({}, fmt::format("did you mean `:{}`?", *near));
    }
    throw error;
  }
}

Value shadowing_import(Interpreter& interp, Args args) {
  Package& package = package_or_current(interp, args, 1);
  check_open(interp, package, "import symbols");
  for (Value symbol : symbols_of(interp, args[0])) {
    package.shadowing_import(symbol);
  }
  return Value::t();
}

Value package_shadowing_symbols(Interpreter& interp, Args args) {
  return interp.list(expect_package(interp, args[0], "package").shadowing);
}

// (rename-package package name [nicknames])
Value rename_package(Interpreter& interp, Args args) {
  Package& package = expect_package(interp, args[0], "package");
  check_open(interp, package, "be renamed");
  std::vector<std::string> names{name_of(interp, args[1])};
  for (Value nickname : expect_list_items(interp, arg_or(args, 2), "nicknames")) {
    names.push_back(name_of(interp, nickname));
  }
  for (const std::string& name : names) {
    Package* taken = interp.find_package(name);
    if (taken != nullptr && taken != &package) {
      fail(Diag::PackageError, interp.current_span(), "`{}` names package {} already", name,
           taken->name);
    }
  }
  package.name = names[0];
  package.nicknames.assign(names.begin() + 1, names.end());
  return Value::object(&package);
}

// (%add-package-local-nickname nickname package [of])
Value add_nickname(Interpreter& interp, Args args) {
  Package& of = package_or_current(interp, args, 2);
  add_local_nickname(interp, of, name_of(interp, args[0]),
                     expect_package(interp, args[1], "package"));
  return Value::object(&of);
}

// (%define-package name options): shadowing first, then using, importing, exporting.
Value define_package(Interpreter& interp, Args args) {
  std::string name = name_of(interp, args[0]);
  Package* found = interp.find_package(name);
  Package& package = found != nullptr ? *found : interp.make_package(name, {}, {});
  std::vector<Value> options = expect_list_items(interp, args[1], "package options");
  auto rank = [&](Value option) {
    static constexpr std::string_view kOrder[] = {
        "NICKNAMES", "SHADOW", "SHADOWING-IMPORT-FROM", "USE", "IMPORT-FROM", "INTERN"};
    return std::find(std::begin(kOrder), std::end(kOrder), name_of(interp, car(option)));
  };
  std::stable_sort(options.begin(), options.end(),
                   [&](Value a, Value b) { return rank(a) < rank(b); });
  for (Value option : options) {
    apply_option(interp, package, option);
  }
  return Value::object(&package);
}

Value make_package(Interpreter& interp, Args args) {
  KeywordArgs keys(interp, args, 1, {"USE", "NICKNAMES"});
  std::string name = name_of(interp, args[0]);
  if (interp.find_package(name) != nullptr) {
    fail(Diag::PackageError, interp.current_span(), "package `{}` exists already", name);
  }
  Package& package = interp.make_package(name, {}, {});
  for (Value nickname : list_items(keys.get("NICKNAMES"))) {
    package.nicknames.push_back(name_of(interp, nickname));
  }
  for (Value used : list_items(keys.get("USE"))) {
    package.use(&expect_package(interp, used, "package"));
  }
  return Value::object(&package);
}

Value find_package(Interpreter& interp, Args args) {
  if (args[0].is<Package>()) {
    return args[0];
  }
  Package* package = interp.visible_package(name_of(interp, args[0]));
  return package == nullptr ? Value::nil() : Value::object(package);
}

Value delete_package(Interpreter& interp, Args args) {
  Package& package = expect_package(interp, args[0], "package");
  for (Package* kept : {&interp.cl_package(), &interp.keyword_package(), &interp.caten_package(),
                        &interp.user_package(), &interp.current_package()}) {
    if (kept == &package) {
      fail(Diag::PackageError, interp.current_span(), "package {} cannot be deleted", package.name);
    }
  }
  interp.delete_package(package);
  return Value::t();
}

Value package_name(Interpreter& interp, Args args) {
  return interp.string(expect_package(interp, args[0], "package").name);
}

Value package_nicknames(Interpreter& interp, Args args) {
  Value out = Value::nil();
  const Package& package = expect_package(interp, args[0], "package");
  for (size_t i = package.nicknames.size(); i-- > 0;) {
    out = interp.cons(interp.string(package.nicknames[i]), out);
  }
  return out;
}

Value package_list(Interpreter& interp, const std::vector<Package*>& packages) {
  std::vector<Value> items;
  for (Package* package : packages) {
    items.push_back(Value::object(package));
  }
  return interp.list(items);
}

Value package_use_list(Interpreter& interp, Args args) {
  return package_list(interp, expect_package(interp, args[0], "package").used);
}

Value package_used_by_list(Interpreter& interp, Args args) {
  return package_list(interp, expect_package(interp, args[0], "package").used_by);
}

Value list_all_packages(Interpreter& interp, Args) {
  return package_list(interp, interp.packages());
}

Value packagep(Interpreter&, Args args) {
  return Value::boolean(args[0].is<Package>());
}

Value access_keyword(Interpreter& interp, Access access) {
  switch (access) {
    case Access::None:
      return Value::nil();
    case Access::Internal:
      return interp.keyword("INTERNAL");
    case Access::External:
      return interp.keyword("EXTERNAL");
    case Access::Inherited:
      return interp.keyword("INHERITED");
  }
  CATEN_UNREACHABLE("access");
}

Value find_symbol(Interpreter& interp, Args args) {
  std::string name = expect_string(interp, args[0], "symbol name").utf8();
  FoundSymbol found = package_or_current(interp, args, 1).find(name);
  Value symbol = found.access == Access::None ? Value::nil() : found.symbol;
  return interp.set_values({symbol, access_keyword(interp, found.access)});
}

Value intern(Interpreter& interp, Args args) {
  std::string name = expect_string(interp, args[0], "symbol name").utf8();
  Package& package = package_or_current(interp, args, 1);
  Access access = package.find(name).access;
  if (access == Access::None) {
    check_open(interp, package, "get new symbols");
  }
  Value symbol = package.intern(interp.heap(), name);
  return interp.set_values({symbol, access_keyword(interp, access)});
}

Value unintern(Interpreter& interp, Args args) {
  expect_symbol(interp, args[0], "symbol");
  Package& package = package_or_current(interp, args, 1);
  check_open(interp, package, "lose symbols");
  return Value::boolean(package.unintern(args[0]));
}

Value export_symbols(Interpreter& interp, Args args) {
  Package& package = package_or_current(interp, args, 1);
  check_open(interp, package, "export symbols");
  for (Value symbol : symbols_of(interp, args[0])) {
    package.export_symbol(symbol);
  }
  return Value::t();
}

Value unexport_symbols(Interpreter& interp, Args args) {
  Package& package = package_or_current(interp, args, 1);
  check_open(interp, package, "hide symbols");
  for (Value symbol : symbols_of(interp, args[0])) {
    package.unexport_symbol(symbol);
  }
  return Value::t();
}

Value import_symbols(Interpreter& interp, Args args) {
  Package& package = package_or_current(interp, args, 1);
  check_open(interp, package, "import symbols");
  for (Value symbol : symbols_of(interp, args[0])) {
    package.import_symbol(symbol);
  }
  return Value::t();
}

Value shadow(Interpreter& interp, Args args) {
  Package& package = package_or_current(interp, args, 1);
  check_open(interp, package, "shadow symbols");
  std::vector<Value> names{args[0]};
  if (args[0].is_list()) {
    names = expect_list_items(interp, args[0], "names");
  }
  for (Value name : names) {
    package.shadow(interp.heap(), name_of(interp, name));
  }
  return Value::t();
}

Value use_package(Interpreter& interp, Args args) {
  Package& package = package_or_current(interp, args, 1);
  check_open(interp, package, "use packages");
  std::vector<Value> used{args[0]};
  if (args[0].is_list()) {
    used = expect_list_items(interp, args[0], "packages");
  }
  for (Value other : used) {
    package.use(&expect_package(interp, other, "package"));
  }
  return Value::t();
}

Value unuse_package(Interpreter& interp, Args args) {
  package_or_current(interp, args, 1).unuse(&expect_package(interp, args[0], "package"));
  return Value::t();
}

// (%package-symbols package only-external): for do-symbols, apropos and the like.
Value package_symbols(Interpreter& interp, Args args) {
  std::vector<Value> symbols;
  for (const auto& slot : expect_package(interp, args[0], "package").symbols.slots()) {
    if (slot.symbol != nullptr && (slot.external || args[1].is_nil())) {
      symbols.push_back(Value::object(slot.symbol));
    }
  }
  return interp.list(symbols);
}

// clang-format off
constexpr Builtin kPackageBuiltins[] = {
    // name                    package  min max  doc                                    function
    {"DELETE-PACKAGE",         "CL",    1, 1,    "removes a package",                   delete_package},
    {"EXPORT",                 "CL",    1, 2,    "makes symbols external",              export_symbols},
    {"FIND-PACKAGE",           "CL",    1, 1,    "the package of a name, or NIL",       find_package},
    {"FIND-SYMBOL",            "CL",    1, 2,    "the symbol of a name, if any",        find_symbol},
    {"IMPORT",                 "CL",    1, 2,    "makes symbols accessible",            import_symbols},
    {"INTERN",                 "CL",    1, 2,    "the symbol of a name, made if absent", intern},
    {"LIST-ALL-PACKAGES",      "CL",    0, 0,    "all packages",                        list_all_packages},
    {"MAKE-PACKAGE",           "CL",    1, -1,   "makes a package",                     make_package},
    {"PACKAGE-NAME",           "CL",    1, 1,    "the name of a package",               package_name},
    {"PACKAGE-NICKNAMES",      "CL",    1, 1,    "other names of a package",            package_nicknames},
    {"PACKAGE-USE-LIST",       "CL",    1, 1,    "the packages a package uses",         package_use_list},
    {"PACKAGE-USED-BY-LIST",   "CL",    1, 1,    "the packages that use a package",     package_used_by_list},
    {"PACKAGEP",               "CL",    1, 1,    "whether an object is a package",      packagep},
    {"PACKAGE-SHADOWING-SYMBOLS", "CL", 1, 1,    "the symbols that hide inherited ones", package_shadowing_symbols},
    {"RENAME-PACKAGE",         "CL",    2, 3,    "gives a package another name",        rename_package},
    {"SHADOWING-IMPORT",       "CL",    1, 2,    "makes symbols accessible, hiding others", shadowing_import},
    {"%ADD-PACKAGE-LOCAL-NICKNAME", "CATEN", 2, 3, "a nickname inside of a package",    add_nickname},
    {"SHADOW",                 "CL",    1, 2,    "makes names refer to own symbols",    shadow},
    {"UNEXPORT",               "CL",    1, 2,    "makes symbols internal",              unexport_symbols},
    {"UNINTERN",               "CL",    1, 2,    "removes a symbol from a package",     unintern},
    {"UNUSE-PACKAGE",          "CL",    1, 2,    "stops using a package",               unuse_package},
    {"USE-PACKAGE",            "CL",    1, 2,    "inherits external symbols",           use_package},
    {"%DEFINE-PACKAGE",        "CATEN", 2, 2,    "defpackage",                          define_package},
    {"%IN-PACKAGE",            "CATEN", 1, 1,    "in-package",                          in_package},
    {"%PACKAGE-SYMBOLS",       "CATEN", 2, 2,    "the symbols of a package",            package_symbols},
};
// clang-format on

}  // namespace

std::span<const Builtin> package_builtins() {
  return kPackageBuiltins;
}

}  // namespace caten::lisp
