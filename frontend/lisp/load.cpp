// Interpreter: reading, macroexpanding, loading and evaluating.
#include <fstream>
#include <iterator>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/interpreter.h"
#include "frontend/lisp/symbol_macros.h"
#include "frontend/lisp/vm.h"
#include "frontend/reader/reader.h"

namespace caten::lisp {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error(errno, std::generic_category());
  if (!in) {
    fail_file(path, "cannot be opened: " + error.message());
  }
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) {
    fail_file(path, "cannot be read");
  }
  constexpr size_t kMaxBytes = size_t{1} << 31;  // spans are 32 bits
  if (text.size() >= kMaxBytes) {
    fail_file(path, "is too large; the limit is 2 GiB");
  }
  return text;
}

}  // namespace

// Runs `body`. If no evaluation is in progress, an error that nobody handled leaves as the
// CompileError it is, after cleanup forms have run.
template <typename Body>
Value Interpreter::outermost(Body body) {
  if (vm_->entered()) {
    return body();
  }
  Vm::Entry entry(*vm_);
  size_t depth = vm_->dynamic_depth();
  try {
    return body();
  } catch (const UncaughtError& uncaught) {
    CompileError error = uncaught.error;
    vm_->unwind_at_end(depth);
    throw error;
  } catch (const ExitRequest& request) {
    ExitRequest copy = request;
    vm_->unwind_at_end(depth);
    throw copy;
  } catch (const runtime::Interrupted&) {
    vm_->unwind_at_end(depth);
    throw;
  }
}

Value Interpreter::load_text(std::string name, std::string text) {
  return outermost([&] {
    // What it loads may be beside it, if it is a file.
    const Value file = name.starts_with('<') ? Value::nil() : string(name);
    Binding truename(*this, cl("*LOAD-TRUENAME*"), file);
    Binding pathname(*this, cl("*LOAD-PATHNAME*"), file);
    return load_forms(sources_.add(std::move(name), std::move(text)));
  });
}

Value Interpreter::load_library(std::string name, std::string text) {
  return outermost([&] { return load_forms(add_library_file(std::move(name), std::move(text))); });
}

uint32_t Interpreter::add_library_file(std::string name, std::string text) {
  uint32_t file = sources_.add(std::move(name), std::move(text));
  library_files_.resize(file + 1, false);
  library_files_[file] = true;
  return file;
}

Value Interpreter::load_file(const std::string& path) {
  return outermost([&] {
    std::string text = read_file(path);
    Binding truename(*this, cl("*LOAD-TRUENAME*"), string(path));
    Binding pathname(*this, cl("*LOAD-PATHNAME*"), string(path));
    return load_forms(sources_.add(path, std::move(text)));
  });
}

Value Interpreter::load_forms(uint32_t file) {
  Binding package(*this, cl("*PACKAGE*"), Value::object(&current_package()));
  Warnings::FileScope warnings(*this, file);
  Reader reader(*this, file);
  Value result = Value::nil();
  for (;;) {
    Value form = reader.read(sources_.text(file));
    if (form.is_none()) {
      break;
    }
    result = eval_top_level(form, {});
  }
  warnings.finish();
  return result;
}

Value Interpreter::eval_text(std::string text) {
  return outermost([&] {
    uint32_t file = sources_.add("<eval>", std::move(text));
    Warnings::FileScope warnings(*this, file);
    Reader reader(*this, file);
    Value result = Value::nil();
    for (;;) {
      Value form = reader.read(sources_.text(file));
      if (form.is_none()) {
        break;
      }
      result = eval_top_level(form, {});
    }
    warnings.finish();
    return result;
  });
}

Value Interpreter::eval(Value form) {
  CATEN_CHECK(recorded_forms_ == nullptr, "the library evaluates a form at load time");
  return outermost([&] { return eval_top_level(form, {}); });
}

// Forms inside a top-level progn are top-level themselves: each is evaluated before the next is
// expanded.
Value Interpreter::eval_top_level(Value form, Span span) {
  check_stack();
  heap_.safepoint();
  if (Span own = span_of(form); own.known() && (contains(span, own) || !span.known())) {
    span = own;
  }
  if (auto* head = form.is_cons() ? car(form).try_as<Symbol>() : nullptr) {
    if (head->function.is<Macro>()) {
      Vm::Expansion mark(*vm_, span);
      return eval_top_level(macroexpand_1(form, nullptr, nullptr), span);
    }
    const bool conditional = car(form) == cl("EVAL-WHEN");
    if ((conditional || car(form) == cl("PROGN")) && list_length(form) > (conditional ? 1 : 0)) {
      Value parts = cdr(form);
      if (conditional) {
        parts = eval_when_applies(cadr(form)) ? cddr(form) : Value::nil();
      }
      Value result = Value::nil();
      for (Value part : list_items(parts)) {
        result = eval_top_level(part, span);
      }
      return result;
    }
  }
  Vm::Expansion mark(*vm_, span);
  Value function = compile_form(*this, form, span);
  if (recorded_forms_ != nullptr) {
    recorded_forms_->push_back(Value::object(function.as<Closure>()->code));
  }
  return call(function, {});
}

Value Interpreter::call(Value function, std::span<const Value> args) {
  if (function.is_cons()) {
    function = coerce_to_function(function);
  }
  return outermost([&] { return vm_->call(function, args); });
}

Value Interpreter::read(std::string_view text, size_t* offset, uint32_t file) {
  Reader reader(*this, file, *offset);
  Value datum = reader.read(text);
  *offset = reader.offset();
  return datum;
}

// --- macros ------------------------------------------------------

Value Interpreter::macro_function(Value symbol, const Environment* env) {
  const Environment* local = Analyzer::find_function(env, symbol);
  Value macro = local != nullptr ? local->expansion : symbol.as<Symbol>()->function;
  return macro.is<Macro>() ? macro : Value();
}

bool Interpreter::is_special_form(Value symbol) const {
  return symbol.as<Symbol>()->function.is<SpecialForm>();
}

Value Interpreter::macroexpand_1(Value form, const Environment* env, bool* expanded) {
  if (expanded != nullptr) {
    *expanded = false;
  }
  if (form.is_symbol()) {
    Value expansion = symbol_expansion(*this, form, env);
    if (expansion.is_none()) {
      return form;
    }
    if (expanded != nullptr) {
      *expanded = true;
    }
    return expansion;
  }
  if (!form.is_cons() || !car(form).is_symbol()) {
    return form;
  }
  auto* macro = macro_function(car(form), env).try_as<Macro>();
  if (macro == nullptr) {
    return form;
  }
  if (expanded != nullptr) {
    *expanded = true;
  }
  check_stack();
  if (macro->native != nullptr) {
    return macro->native(*this, form, env);
  }
  Value environment = Value::object(heap_.make<EnvironmentObject>(env));
  return call(macro->expander, {form, environment});
}

Value Interpreter::macroexpand(Value form, const Environment* env) {
  for (;;) {
    bool expanded = false;
    form = macroexpand_1(form, env, &expanded);
    if (!expanded) {
      return form;
    }
  }
}

}  // namespace caten::lisp
