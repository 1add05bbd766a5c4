// See session.h.
#include "frontend/driver/session.h"

#include <malloc.h>

#include <cstdio>

#include "frontend/driver/output.h"
#include "frontend/driver/report.h"
#include "frontend/language.h"
#include "frontend/tensor/session.h"

namespace caten::driver {
namespace {

/// What every compilation of this process does besides compiling: flags of the pass pipeline.
void apply_pass_options(const Options& options, codegen::PassContext& context) {
  context.disabled.insert(options.disabled_passes.begin(), options.disabled_passes.end());
  context.dump_after.insert(options.dump_after.begin(), options.dump_after.end());
  context.verify = options.verify;
  context.dump = [](std::string_view pass, const std::string& text) {
    fmt::print(stderr, ";;; after {}\n{}\n", pass, text);
  };
  for (const std::vector<std::string>* names : {&options.disabled_passes, &options.dump_after}) {
    for (const std::string& name : *names) {
      bool known = name == "all" && names == &options.dump_after;
      for (const codegen::PassRow& row : codegen::list_passes()) {
        known = known || row.name == name;
        if (row.name == name && row.required && names == &options.disabled_passes) {
          fail(Diag::BadOption, {}, "pass `{}` is required; it cannot be disabled", name);
        }
      }
      if (!known) {
        fail(Diag::BadOption, {}, "there is no pass `{}`; see --list-passes", name);
      }
    }
  }
}

/// Sets a variable of the library to a keyword.
void set_to_keyword(lisp::Interpreter& interp, std::string_view variable, std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  interp.set_symbol_value(interp.caten(variable), interp.keyword(text));
}

void apply_default_dtype(lisp::Interpreter& interp, const std::string& text) {
  std::optional<DType> dtype = dtype_from_name(text);
  if (!dtype || !is_float(*dtype)) {
    fail(Diag::BadOption, {}, "--dtype {}: expected a float dtype, as in float32", text);
  }
  set_to_keyword(interp, "*DEFAULT-FLOAT*", text);
}

/// Arrays that a step of a model frees, the next one allocates again: the C library keeps their
/// pages instead of giving them back. Otherwise they are faulted in and zeroed each time, which
/// takes longer than a kernel that fills them.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargestKept = 32 << 20;  // what mallopt allows (mallopt(3), M_MMAP_THRESHOLD)
  constexpr int kMostKept = 512 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestKept);
  mallopt(M_TRIM_THRESHOLD, kMostKept);
#endif
}

}  // namespace

lisp::Interpreter& Session::interpreter() {
  if (interpreter_ == nullptr) {
    keep_freed_memory();
    interpreter_ = std::make_unique<lisp::Interpreter>();
    install_language(*interpreter_);
    load_stdlib(*interpreter_);
    tensor::Compiler& compiler = tensor::session(*interpreter_).compiler;
    set_to_keyword(*interpreter_, "*BACKEND*", options_.backend);
    if (options_.threads > 0) {
      compiler.workers->set_threads(options_.threads);
    }
    apply_pass_options(options_, compiler.context);
    tensor::session(*interpreter_).poison = options_.poison;
    if (options_.profile) {
      tensor::session(*interpreter_).profile = std::make_shared<runtime::Profile>();
    }
    if (!options_.dtype.empty()) {
      apply_default_dtype(*interpreter_, options_.dtype);
    }
    if (!options_.no_warnings) {
      interpreter_->on_warning = [this](const CompileError& warning) {
        ++warnings_;
        report(warning, *this);
      };
    }
  }
  return *interpreter_;
}

const std::string& Session::program() {
  if (!program_) {
    program_ = read_input(options_.file);
  }
  return *program_;
}

const SourceMap* Session::sources() const {
  return interpreter_ == nullptr ? nullptr : &interpreter_->sources();
}

void Session::print_timings() {
  if (interpreter_ == nullptr || !options_.time_passes) {
    return;
  }
  std::chrono::nanoseconds total{};
  for (const auto& timing : tensor::session(*interpreter_).compiler.context.timings) {
    total += timing.time;
    fmt::print(stderr, "{:>10.3f} ms  {}\n",
               std::chrono::duration<double, std::milli>(timing.time).count(), timing.pass);
  }
  fmt::print(stderr, "{:>10.3f} ms  total\n",
             std::chrono::duration<double, std::milli>(total).count());
}

void Session::print_profile() {
  if (interpreter_ != nullptr && tensor::session(*interpreter_).profile != nullptr) {
    std::fputs(tensor::session(*interpreter_).profile->to_string().c_str(), stderr);
  }
}

}  // namespace caten::driver
