// time, trace, untrace and step.
#include <chrono>
#include <unordered_map>
#include <utility>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/generic.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/code.h"
#include "frontend/lisp/disassemble.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/stream.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {

namespace {

/// The traced functions and how deep the calls of them are nested.
class Traces final : public RootSource {
 public:
  explicit Traces(Interpreter& interp) : interp_(interp) { interp.heap().add_root(this); }
  ~Traces() { interp_.heap().remove_root(this); }
  static Traces& of(Interpreter& interp) { return interp.state<Traces>("traces"); }
  void trace_roots(Tracer& tracer) override {
    for (const auto& [name, function] : originals) {
      trace(tracer, Value::from_bits(name));
      trace(tracer, function);
    }
  }
  std::unordered_map<uint64_t, Value> originals;  // by the bits of the name
  int64_t depth = 0;

 private:
  Interpreter& interp_;
};

/// Counts a traced call for as long as it lasts, however it ends.
class DepthScope {
 public:
  explicit DepthScope(int64_t& depth) : depth_(depth) { ++depth_; }
  ~DepthScope() { --depth_; }
  DepthScope(const DepthScope&) = delete;
  DepthScope& operator=(const DepthScope&) = delete;

 private:
  int64_t& depth_;
};

/// Functions of the COMMON-LISP package can be traced, although they cannot be redefined.
class Unlocked {
 public:
  explicit Unlocked(Interpreter& interp)
      : package_(interp.cl_package()), saved_(std::exchange(package_.locked, false)) {}
  ~Unlocked() { package_.locked = saved_; }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Package& package_;
  bool saved_;
};

Stream& trace_output(Interpreter& interp) {
  return output_stream(interp, interp.cl("*TRACE-OUTPUT*").as<Symbol>()->value);
}

std::string prefix(int64_t depth) {
  return std::string(static_cast<size_t>(2 * std::min<int64_t>(depth, 20) + 2), ' ') +
         std::to_string(depth) + ": ";
}

// What a traced name calls: prints the call and its values.
Value traced_call(Interpreter& interp, std::span<Value> args) {
  Value name = interp.callee().data[0];
  Value original = interp.callee().data[1];
  Traces& traces = Traces::of(interp);
  int64_t depth = traces.depth;
  DepthScope scope(traces.depth);
  trace_output(interp).write(prefix(depth) + interp.print(interp.cons(name, interp.list(args))) +
                             "\n");
  Value result = interp.call(original, args);
  RootedVector<Value> values(interp.heap(), interp.values_after(result));
  std::string text = prefix(depth) + interp.print(name) + " returned";
  for (Value value : values) {
    text += " " + interp.print(value);
  }
  trace_output(interp).write(text + "\n");
  return interp.set_values(values.span());
}

/// Functions of Common Lisp may be traced, too.
void replace_function(Interpreter& interp, Value name, Value function) {
  Package& cl = interp.cl_package();
  const bool locked = std::exchange(cl.locked, false);
  interp.set_function(name, function);
  cl.locked = locked;
}

// (%trace (name...)): all traced names without arguments
Value builtin_trace(Interpreter& interp, std::span<Value> args) {
  Traces& traces = Traces::of(interp);
  Unlocked unlocked(interp);
  for (Value name : list_items(args[0])) {
    Value function = interp.coerce_to_function(name);
    if (traces.originals.try_emplace(name.bits(), function).second) {
      replace_function(interp, name,
                       interp.native(interp.print(name), traced_call, 0, -1, {name, function}));
    }
  }
  ListBuilder out(interp);
  for (const auto& [name, function] : traces.originals) {
    out.add(Value::from_bits(name));
  }
  return args[0].is_nil() ? out.take() : args[0];
}

// (%untrace (name...)): all without arguments
Value builtin_untrace(Interpreter& interp, std::span<Value> args) {
  Traces& traces = Traces::of(interp);
  Unlocked unlocked(interp);
  std::vector<Value> names = expect_list_items(interp, args[0], "names");
  if (names.empty()) {
    for (const auto& [name, function] : traces.originals) {
      names.push_back(Value::from_bits(name));
    }
  }
  for (Value name : names) {
    auto found = traces.originals.find(name.bits());
    if (found != traces.originals.end()) {
      replace_function(interp, name, found->second);
      traces.originals.erase(found);
    }
  }
  return Value::t();
}

// (%time function)
Value builtin_time(Interpreter& interp, std::span<Value> args) {
  auto start = std::chrono::steady_clock::now();
  size_t collections = interp.heap().stats().collections;
  Value result = interp.call(args[0], {});
  RootedVector<Value> values(interp.heap(), interp.values_after(result));
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  trace_output(interp).write(
      fmt::format("Evaluation took:\n  {:.6f} seconds of real time\n  {} garbage collections\n",
                  elapsed.count(), interp.heap().stats().collections - collections));
  return interp.set_values(values.span());
}

// (disassemble function-or-name): bytecode; of a compiled runtime its C
Value builtin_disassemble(Interpreter& interp, std::span<Value> args) {
  Stream& out = output_stream(interp, Value::nil());
  Value runtime_p = interp.function_of(interp.caten("RUNTIME-P"));
  if (!runtime_p.is_none() && interp.call(runtime_p, {args[0]}).truthy()) {
    Value text = interp.call(interp.caten("%RUNTIME-TEXT"), {args[0], interp.keyword("C")});
    out.write(expect_string(interp, text, "text").utf8());
    return Value::nil();
  }
  Value function = args[0];
  if (const auto* symbol = function.try_as<Symbol>(); symbol != nullptr) {
    if (const auto* macro = symbol->function.try_as<Macro>()) {
      function = macro->expander;
    }
  }
  std::vector<Value> functions;
  if (!function.is<Closure>()) {
    function = interp.coerce_to_function(function);
  }
  if (const auto* generic = function.try_as<StandardGeneric>()) {
    for (const Method* method : generic->methods) {
      functions.push_back(method->function);
    }
  } else {
    functions.push_back(function);
  }
  RootedVector<Value> rooted(interp.heap(), functions);
  for (Value each : rooted) {
    if (auto* closure = each.try_as<Closure>()) {
      out.write(disassemble(interp, *closure));
    } else {
      out.write(interp.print(each) + " is written in C++\n");
    }
  }
  return Value::nil();
}

// (%step function): with a stepper (the REPL has one) stops at calls; else only calls.
Value builtin_step(Interpreter& interp, std::span<Value> args) {
  interp.vm().set_stepping(interp.hooks.stepper != nullptr);
  Value result = interp.call(args[0], {});
  interp.vm().set_stepping(false);
  RootedVector<Value> values(interp.heap(), interp.values_after(result));
  return interp.set_values(values.span());
}

// (step form)
Value expand_step(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  return f({"%STEP", f.lambda(Value::nil(), cdr(form))});
}

// (time form)
Value expand_time(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  return f({"%TIME", f.lambda(Value::nil(), cdr(form))});
}

// (trace name...)
Value expand_trace(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  return f({"%TRACE", f.quote(cdr(form))});
}

// (untrace name...)
Value expand_untrace(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  return f({"%UNTRACE", f.quote(cdr(form))});
}

constexpr Builtin kDebuggingBuiltins[] = {
    {"DISASSEMBLE", "CL", 1, 1, "prints the bytecode of a function", builtin_disassemble},
    {"%STEP", "CATEN", 1, 1, "for step", builtin_step},
    {"%TIME", "CATEN", 1, 1, "for time", builtin_time},
    {"%TRACE", "CATEN", 1, 1, "for trace", builtin_trace},
    {"%UNTRACE", "CATEN", 1, 1, "for untrace", builtin_untrace},
};

constexpr MacroRow kDebuggingMacros[] = {
    {"STEP", "CL", "evaluates a form, stopping at calls", expand_step},
    {"TIME", "CL", "evaluates a form and prints how long it took", expand_time},
    {"TRACE", "CL", "prints the calls of functions", expand_trace},
    {"UNTRACE", "CL", "ends trace", expand_untrace},
};

}  // namespace

std::span<const Builtin> debugging_builtins() {
  return kDebuggingBuiltins;
}
std::span<const MacroRow> debugging_macros() {
  return kDebuggingMacros;
}

}  // namespace caten::lisp
