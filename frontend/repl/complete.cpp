// Completion: see complete.h.
#include "frontend/repl/complete.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "frontend/clos/classes.h"
#include "frontend/lisp/package.h"
#include "frontend/reader/scan.h"
#include "frontend/repl/commands.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;

namespace {

bool equal_ignoring_case(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), equal_ignoring_case);
}

/// Whether a symbol is worth offering: it names something, or is about to be a slot's name.
bool names_something(Interpreter& interp, Value symbol) {
  const auto& cell = *symbol.as<lisp::Symbol>();
  return !cell.function.is_none() || !cell.value.is_none() ||
         lisp::Classes::of(interp).find(symbol) != nullptr;
}

class Completer {
 public:
  Completer(Interpreter& interp, std::string_view text)
      : interp_(interp), text_(text), scan_(lisp::scan(text)) {}

  Completions run() {
    if (const std::optional<CommandStart> start = command_or_prefix()) {
      return std::move(found_);
    }
    if (scan_.inside == lisp::Scan::Inside::String) {
      files(scan_.inside_begin + 1);
      return finish();
    }
    if (scan_.inside != lisp::Scan::Inside::Nothing) {
      return {};
    }
    found_.begin = scan_.token_begin;
    token_ = text_.substr(scan_.token_begin);
    const size_t colon = token_.find(':');
    if (colon == 0) {
      keywords();
    } else if (colon != std::string_view::npos) {
      qualified(colon);
    } else if (!slots() && !token_.empty()) {
      symbols();
    }
    return finish();
  }

 private:
  Completions finish() {
    std::sort(found_.words.begin(), found_.words.end());
    found_.words.erase(std::unique(found_.words.begin(), found_.words.end()), found_.words.end());
    return std::move(found_);
  }

  /// Commands at the start of the input, and the file names behind some.
  std::optional<CommandStart> command_or_prefix() {
    const size_t begin = text_.find_first_not_of(' ');
    if (begin == std::string_view::npos || (text_[begin] != ':' && text_[begin] != ',')) {
      return std::nullopt;
    }
    const std::string_view name = text_.substr(begin + 1);
    CommandStart start{name, begin, text_.size(), nullptr};
    if (name.find_first_of(" \n\t") == std::string_view::npos) {
      found_.begin = begin + 1;
      for (const Command& command : commands()) {
        if (command.name.starts_with(name)) {
          found_.words.emplace_back(command.name);
        }
      }
      return found_.words.empty() ? std::nullopt : std::optional(start);
    }
    const std::optional<CommandStart> command = command_at_start(text_);
    if (!command || command->command == nullptr) {
      return std::nullopt;
    }
    if (command->name == "load" || command->name == "save") {
      const size_t operand = text_.find_first_not_of(' ', command->end);
      files(operand == std::string_view::npos ? text_.size() : operand);
      found_ = finish();
      return command;
    }
    if (command->name == "help") {
      found_.begin = std::min(text_.find_first_not_of(' ', command->end), text_.size());
      for (const Command& each : commands()) {
        if (each.name.starts_with(text_.substr(found_.begin))) {
          found_.words.emplace_back(each.name);
        }
      }
      return command;
    }
    return std::nullopt;
  }

  void files(size_t begin) {
    std::string typed(text_.substr(begin));
    const size_t slash = typed.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
    const std::string prefix = typed.substr(folder.size());
    std::string where = folder.empty() ? "." : folder;
    if (const char* home = std::getenv("HOME"); where.starts_with("~/") && home != nullptr) {
      where = home + where.substr(1);
    }
    found_.begin = begin;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(where, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      const bool hidden = name.starts_with('.') && !prefix.starts_with('.');
      if (name.starts_with(prefix) && !hidden) {
        std::error_code ignored;
        found_.words.push_back(folder + name + (entry->is_directory(ignored) ? "/" : ""));
      }
    }
  }

  std::string_view operator_name(const lisp::OpenParen& list) const {
    return list.count > 0 && list.first_is_token
               ? text_.substr(list.first_begin, list.first_end - list.first_begin)
               : std::string_view();
  }

  void offer(std::string word, std::string_view prefix) {
    if (has_prefix(word, prefix)) {
      found_.words.push_back(std::move(word));
    }
  }

  /// Of the call that the cursor is in; the initargs of a class; else all keywords.
  void keywords() {
    if (!scan_.open.empty()) {
      const lisp::OpenParen& list = scan_.open.back();
      const std::string_view name = operator_name(list);
      if (const Value symbol = name.empty() ? Value() : find_symbol(interp_, name);
          !symbol.is_none()) {
        for (std::string& keyword : keyword_arguments(interp_, symbol)) {
          offer(std::move(keyword), token_);
        }
        if (symbol == interp_.cl("MAKE-INSTANCE") && list.count >= 2) {
          initargs(list.second_begin);
        }
      }
    }
    if (found_.words.empty() && token_.size() > 1) {
      for (const auto& slot : interp_.keyword_package().symbols.slots()) {
        if (slot.symbol != nullptr) {
          offer(":" + lisp::symbol_label(*slot.symbol), token_);
        }
      }
    }
  }

  void initargs(size_t begin) {
    size_t end = begin + 1;
    while (end < text_.size() && text_[end] != ' ' && text_[end] != ')') {
      ++end;
    }
    std::string_view name = text_.substr(begin, end - begin);
    if (name.starts_with('\'')) {
      name.remove_prefix(1);
    }
    const Value symbol = find_symbol(interp_, name);
    const lisp::Class* cls = symbol.is_none() ? nullptr : lisp::Classes::of(interp_).find(symbol);
    if (cls == nullptr) {
      return;
    }
    for (const lisp::SlotDefinition& slot : cls->slots) {
      for (const Value initarg : slot.initargs) {
        offer(":" + lisp::symbol_label(*initarg.as<lisp::Symbol>()), token_);
      }
    }
  }

  /// Inside of slot-value, slot-boundp, slot-makunbound and with-slots: the slots of the user's
  /// classes. False elsewhere.
  bool slots() {
    const auto is_slot_form = [&](std::string_view name) {
      return name == "slot-value" || name == "slot-boundp" || name == "slot-exists-p" ||
             name == "slot-makunbound";
    };
    if (scan_.open.empty()) {
      return false;
    }
    const lisp::OpenParen& list = scan_.open.back();
    const bool quoted = scan_.token_begin > 0 && text_[scan_.token_begin - 1] == '\'';
    const bool in_value = quoted && is_slot_form(operator_name(list));
    const bool in_with = scan_.open.size() > 1 &&
                         operator_name(scan_.open[scan_.open.size() - 2]) == "with-slots" &&
                         scan_.open[scan_.open.size() - 2].count == 1;
    if (!in_value && !in_with) {
      return false;
    }
    const Value object = in_value ? find_symbol(interp_, second(list)) : Value();
    const Value value = object.is_none() ? Value() : object.as<lisp::Symbol>()->value;
    if (value.is<lisp::Instance>()) {
      slots_of(*lisp::Classes::of(interp_).class_of(value));
      return true;
    }
    for (const lisp::Class* cls : lisp::Classes::of(interp_).all()) {
      slots_of(*cls);
    }
    return true;
  }

  std::string_view second(const lisp::OpenParen& list) const {
    const size_t end = text_.find_first_of(" \n)", list.second_begin);
    return list.count < 2 ? std::string_view()
                          : text_.substr(list.second_begin, end - list.second_begin);
  }

  void slots_of(const lisp::Class& cls) {
    for (const lisp::SlotDefinition& slot : cls.slots) {
      const auto& name = *slot.name.as<lisp::Symbol>();
      if (!name.name.starts_with('%')) {
        offer(lisp::symbol_label(name), token_);
      }
    }
  }

  /// package:name or package::name
  void qualified(size_t colon) {
    std::string name(token_.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const lisp::Package* package = interp_.find_package(name);
    if (package == nullptr) {
      return;
    }
    const bool internal = token_.substr(colon).starts_with("::");
    const std::string before(token_.substr(0, colon + (internal ? 2 : 1)));
    for (const auto& slot : package->symbols.slots()) {
      if (slot.symbol != nullptr && (internal || slot.external)) {
        offer(before + lisp::symbol_label(*slot.symbol), token_);
      }
    }
  }

  void symbols() {
    const lisp::Package& current = interp_.current_package();
    const auto add = [&](const lisp::Package& package, bool only_external) {
      for (const auto& slot : package.symbols.slots()) {
        if (slot.symbol == nullptr || (only_external && !slot.external)) {
          continue;
        }
        const std::string label = lisp::symbol_label(*slot.symbol);
        if (has_prefix(label, token_) && names_something(interp_, Value::object(slot.symbol)) &&
            label.find_first_of(" |()") == std::string::npos) {
          found_.words.push_back(label);
        }
      }
    };
    add(current, false);
    for (const lisp::Package* used : current.used) {
      add(*used, true);
    }
    for (const lisp::Package* package : interp_.packages()) {
      if (!package->is_keyword) {
        std::string name = package->name + ":";
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        offer(name, token_);
      }
    }
  }

  Interpreter& interp_;
  std::string_view text_;
  lisp::Scan scan_;
  std::string_view token_;
  Completions found_;
};

}  // namespace

Completions complete_text(Interpreter& interp, std::string_view before_cursor) {
  return Completer(interp, before_cursor).run();
}

}  // namespace caten::repl
