// The command line: flags in, Options out, one call of a driver. Nothing else happens here.
#include <CLI/CLI.hpp>
#include <cstdlib>

#include "frontend/driver/driver.h"
#include "frontend/driver/report.h"
#include "generated/version.h"
#include "ir/support/isa.h"

namespace {

using caten::driver::Color;
using caten::driver::Options;

/// "n=128" -> {"n", 128}.
std::string parse_binding(const std::string& text, Options& options) {
  size_t equal = text.find('=');
  int64_t value = 0;
  if (equal == 0 || equal == std::string::npos ||
      !CLI::detail::lexical_cast(text.substr(equal + 1), value)) {
    return "-D wants NAME=INTEGER, got " + text;
  }
  options.bindings.emplace_back(text.substr(0, equal), value);
  return "";
}

/// Flags that every subcommand understands.
void add_common(CLI::App& app, Options& options) {
  app.add_option("--backend", options.backend, "what computes: tcc, cc, auto or interp")
      ->check(CLI::IsMember({"tcc", "cc", "auto", "interp"}))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "worker threads (default: CATENC_THREADS or all)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--dtype", options.dtype, "the default float dtype");
  app.add_option_function<std::vector<std::string>>(
         "-D",
         [&options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             if (std::string error = parse_binding(text, options); !error.empty()) {
               throw CLI::ValidationError(error);
             }
           }
         },
         "bind a symbolic size, as in -D n=128")
      ->type_name("NAME=INT")
      ->allow_extra_args(false);
  app.add_flag("--no-warnings", options.no_warnings, "no warnings about the program");
  app.add_flag("--werror", options.werror, "warnings are errors: the exit code is 1");
  app.add_flag("--poison", options.poison, "check the memory plan: NaN in all that holds nothing");
  app.add_flag("--verify", options.verify, "verify the IR after every pass");
  app.add_option("--color", options.color, "colour in diagnostics")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Color>{
              {"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}},
          CLI::ignore_case));
  app.add_option("--error-format", options.error_format, "diagnostics as text or json")
      ->transform(CLI::CheckedTransformer(std::map<std::string, caten::ErrorFormat>{
          {"text", caten::ErrorFormat::Text}, {"json", caten::ErrorFormat::Json}}));
  app.add_option("--disable-pass", options.disabled_passes, "skip a pass (see --list-passes)")
      ->allow_extra_args(false);
  app.add_option("--dump-after", options.dump_after, "print the IR after a pass, or after `all`")
      ->allow_extra_args(false);
  app.add_flag("--time-passes", options.time_passes, "print how long every pass took");
  app.add_flag("--profile", options.profile, "print how often and how long every kernel ran");
}

/// --load and --eval, whose order counts.
void add_startup(CLI::App& app, Options& options) {
  using Startup = Options::Startup;
  const auto add = [&](const char* flags, Startup::Kind kind, const char* help, const char* type) {
    app.add_option_function<std::string>(
           flags,
           [&options, kind](const std::string& text) {
             options.startup.push_back({kind, text});
           },
           help)
        ->type_name(type)
        ->trigger_on_parse()
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->allow_extra_args(false);
  };
  add("--load,-l", Startup::Kind::Load, "load a file first; may be repeated", "FILE");
  add("--eval,-e", Startup::Kind::Eval, "evaluate forms first; may be repeated", "FORMS");
  app.add_flag("--no-init", options.no_init, "do not load ~/.catencrc");
}

void add_compile(CLI::App& app, Options& options) {
  app.add_option("FILE", options.file, "the Lisp program; - is standard input");
  app.add_option("-o,--output", options.output,
                 "the C file to write, or what a C compiler makes of it: .o, .so, .a; its header "
                 "goes beside it");
  app.add_option("--emit", options.emit, "print a stage instead of writing C")
      ->check(CLI::IsMember({"datum", "graph", "air", "air-simplified", "schedule", "loops",
                             "program", "c", "dot", "json"}));
  app.add_option("--target", options.target, "the C dialect: c99, or gnu with OpenMP pragmas")
      ->check(CLI::IsMember({"c99", "gnu"}))
      ->capture_default_str();
  app.add_option("--entry", options.entry, "only the entry with this Lisp name");
  app.add_option("--prefix", options.prefix, "text before every C name");
  app.add_option("--weights", options.weights,
                 "parameters in the C file, in a .safetensors file beside it, or from the caller")
      ->check(CLI::IsMember({"embed", "file", "caller"}))
      ->capture_default_str();
  app.add_flag("--emit-main", options.emit_main,
               "also a main program that takes .npy files and prints what comes out");
  app.add_option("--cc", options.cc,
                 "the compiler for -o NAME.o, .so or .a (default: the first found)")
      ->check(CLI::IsMember({"gcc", "clang", "tcc"}));
  app.add_flag("--list-passes", options.list_passes, "print the pipeline");
  app.add_flag("--list-rules", options.list_rules, "print the rewrite rules");
  app.add_flag("--explain-fusion", options.explain_fusion,
               "why each value became a kernel's store");
  app.add_flag("--memory", options.memory, "the arena: what is where, and how small it could be");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace caten::driver;
  Options options;
  CLI::App app{"catenc - a deep-learning compiler whose input is Lisp", "catenc"};
  app.set_version_flag("--version", "catenc " CATEN_VERSION);
  app.footer("A file that is named like a subcommand is written ./NAME.");
  add_common(app, options);
  add_compile(app, options);
  add_startup(app, options);
  int (*action)(Session&) = nullptr;
  auto subcommand = [&](const char* name, const char* about,
                        int (*driver)(caten::driver::Session&)) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->callback([&action, driver] { action = driver; });
    add_common(*sub, options);
    return sub;
  };
  CLI::App* run_app = subcommand("run", "load and evaluate a file", run);
  run_app->add_option("FILE", options.file, "the Lisp program; - is standard input");
  run_app->add_option("--eval,-e", options.expression, "evaluate this text after the file");
  run_app->add_option("ARGS", options.args, "the list *args* of the program");
  run_app->positionals_at_end()->prefix_command(false);
  add_startup(*subcommand("repl", "evaluate forms interactively", repl), options);
  subcommand("test", "run the deftest forms of files", test)
      ->add_option("FILE", options.files, "Lisp programs")
      ->required();
  subcommand("explain", "every stage of the pipeline, one after the other", explain)
      ->add_option("FILE", options.file, "the Lisp program")
      ->required();
  subcommand("explain-error", "what a code such as E0201 or W0101 means, with an example",
             explain_error)
      ->add_option("CODE", options.code, "the code; without one, all are listed");
  subcommand("doctor", "what this build and machine can do", doctor);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUsage;
  }
  if (const auto problem = caten::isa_problem(std::getenv("CATENC_ISA"))) {
    std::fprintf(stderr, "catenc: %s\n", problem->c_str());
    return kUsage;
  }
  if (action == nullptr && !options.file.empty() && !options.startup.empty()) {
    std::fputs("catenc: --load and --eval do not go with a FILE to compile\n", stderr);
    return kUsage;
  }
  if (action == nullptr) {
    bool listing = options.list_passes || options.list_rules;
    action = listing                   ? list
             : !options.file.empty()   ? compile
             : options.startup.empty() ? repl
                                       : evaluate;
  }
  return guarded(options, action);
}
