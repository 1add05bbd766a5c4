// `catenc FILE`: loads the file, compiles its entries and writes the C library, or prints a stage.
#include <algorithm>
#include <cstdio>
#include <map>

#include "codegen/c/names.h"
#include "codegen/pipeline.h"
#include "frontend/driver/driver.h"
#include "frontend/driver/library.h"
#include "frontend/tensor/session.h"
#include "ir/passes/passes.h"
#include "runtime/memory.h"

namespace caten::driver {
namespace {

bool needs_compilation(const Options& options) {
  return options.emit != "graph" && options.emit != "air" && options.emit != "dot" &&
         options.emit != "json";
}

std::string c_name_of(const tensor::Entry& entry, const Options& options) {
  std::string base = entry.c_prefix.empty() ? c::c_identifier(entry.symbol_name) : entry.c_prefix;
  std::string name = options.prefix + base + entry.suffix + (entry.is_backward ? "_backward" : "");
  return c::is_reserved(name) ? name + "_" : name;
}

std::string program_name(const Options& options) {
  return options.file == "-" ? "<stdin>" : options.file;
}

[[noreturn]] void fail_entry(const std::string& file, std::string message) {
  CompileError error(Diag::BadEntry, {}, std::move(message));
  error.path = file;
  throw error;
}

/// The file's entries, those that --entry and -D leave, compiled when the stage needs it.
std::vector<Unit> build_units(Session& session) {
  const Options& options = session.options();
  lisp::Interpreter& interp = session.interpreter();
  const std::string file = program_name(options);
  interp.load_text(file, session.program());
  if (session.warnings_are_errors()) {
    throw lisp::ExitRequest(kUserError);
  }
  std::vector<tensor::Entry> entries = tensor::collect_entries(interp, file);
  if (!options.entry.empty()) {
    std::erase_if(entries, [&](const tensor::Entry& e) { return e.lisp_name != options.entry; });
    if (entries.empty()) {
      fail_entry(file, fmt::format("there is no entry named `{}`", options.entry));
    }
  }
  if (entries.empty()) {
    fail_entry(file,
               "nothing to compile: the file has no `defentry`, no `caten/defun`, and no class "
               "whose `forward` is a single `st`");
  }
  std::map<std::string, int64_t, std::less<>> bindings(options.bindings.begin(),
                                                       options.bindings.end());
  codegen::PassContext& context = tensor::session(interp).compiler.context;
  std::vector<Unit> units;
  for (tensor::Entry& entry : entries) {
    const Span place = entry.span;
    try {
      if (!bindings.empty()) {
        entry.graph = air::bind_symbols(entry.graph, bindings);
      }
      Unit unit{std::move(entry), "", {}};
      unit.c_name = c_name_of(unit.entry, options);
      if (needs_compilation(options)) {
        unit.compilation = codegen::compile(unit.entry.graph, unit.c_name, context);
      }
      units.push_back(std::move(unit));
    } catch (CompileError& error) {
      // Size arithmetic knows no places.
      if (!error.span.known() && error.path.empty()) {
        error.span = place;
      }
      throw;
    }
  }
  return units;
}

/// --emit=datum: the forms as read; packages follow the file's in-package forms.
void emit_data(Session& session) {
  lisp::Interpreter& interp = session.interpreter();
  const lisp::Interpreter::Binding package(interp, interp.cl("*PACKAGE*"),
                                           lisp::Value::object(&interp.current_package()));
  const std::string& text = session.program();
  const uint32_t file = interp.sources().add(program_name(session.options()), text);
  size_t offset = 0;
  while (true) {
    lisp::Value form = interp.read(text, &offset, file);
    if (form.is_none()) {
      return;
    }
    fmt::print("{}\n", interp.print(form));
    if (form.is_cons() && (form.cons_pointer()->car == interp.cl("IN-PACKAGE") ||
                           form.cons_pointer()->car == interp.cl("DEFPACKAGE"))) {
      interp.eval(form);
    }
  }
}

std::string stage_text(const Unit& unit, const std::string& stage) {
  if (stage == "graph") {
    return unit.entry.graph_text;
  }
  if (stage == "air") {
    return air::print(unit.entry.graph);
  }
  if (stage == "dot") {
    return air::to_dot(unit.entry.graph);
  }
  if (stage == "json") {
    return air::to_json(unit.entry.graph);
  }
  if (stage == "air-simplified") {
    return air::print(unit.compilation.simplified);
  }
  if (stage == "schedule") {
    return unit.compilation.schedule_text;
  }
  if (stage == "loops") {
    return unit.compilation.loops_text;
  }
  CATEN_CHECK(stage == "program", "no stage {}", stage);
  return runtime::print(unit.compilation.program);
}

void print_units(const std::vector<Unit>& units, const std::string& stage) {
  for (const Unit& unit : units) {
    if (units.size() > 1) {
      fmt::print("{} entry {}\n", stage == "dot" ? "//" : ";;", unit.c_name);
    }
    std::string text = stage_text(unit, stage);
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  }
}

}  // namespace

int compile(Session& session) {
  const Options& options = session.options();
  if (options.output.empty() && options.emit.empty() && !options.explain_fusion &&
      !options.memory) {
    std::fputs(
        "catenc: say what to make of the file: -o kernels.c, --emit=STAGE, or `catenc run`\n",
        stderr);
    return kUsage;
  }
  if (options.emit == "datum") {
    emit_data(session);
    return kOk;
  }
  std::vector<Unit> units = build_units(session);
  if (options.explain_fusion) {
    for (const Unit& unit : units) {
      fmt::print(";; entry {}: {} kernels\n{}", unit.c_name, unit.compilation.kernel_count,
                 unit.compilation.fusion_text);
    }
  }
  if (options.memory) {
    for (const Unit& unit : units) {
      const runtime::Program& program = unit.compilation.program;
      fmt::print(";; entry {}: {}", unit.c_name,
                 runtime::memory_report(program, program.symbols.empty()
                                                     ? std::optional(std::vector<int64_t>())
                                                     : std::nullopt));
    }
  }
  if (options.emit == "c") {
    fmt::print("{}", library_source(session, units));
  } else if (!options.emit.empty()) {
    print_units(units, options.emit);
  }
  if (!options.output.empty()) {
    write_library(session, units);
  }
  return kOk;
}

int explain(Session& session) {
  emit_data(session);
  std::vector<Unit> units = build_units(session);
  for (const char* stage : {"graph", "air", "air-simplified", "schedule", "loops", "program"}) {
    fmt::print("\n;;; ---- {}\n", stage);
    print_units(units, stage);
  }
  fmt::print("\n;;; ---- c\n{}", library_source(session, units));
  return kOk;
}

}  // namespace caten::driver
