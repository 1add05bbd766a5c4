// What the command line asked for: filled by catenc.cpp, read by the drivers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/support/diagnostics.h"

namespace caten::driver {

enum class Color : uint8_t { Auto, Always, Never };

struct Options {
  std::string file;                // the program; "-" is standard input
  std::vector<std::string> files;  // `test`: several programs
  std::vector<std::string> args;   // `run`: *args*
  std::string output;              // -o; "-" is standard output, "" is none
  std::string emit;                // --emit STAGE, "" is none
  std::string target = "c99";
  std::string backend = "tcc";
  std::string entry;   // --entry: only this one
  std::string prefix;  // --prefix: before every C name
  std::string weights = "embed";
  std::string cc;          // --cc: the compiler that makes .o, .so and .a files
  bool emit_main = false;  // --emit-main: a program beside the library
  std::string dtype;       // --dtype: the default float
  std::string expression;  // `run --eval`
  /// --load FILE and --eval FORM, in the order given.
  struct Startup {
    enum class Kind : uint8_t { Load, Eval };
    Kind kind;
    std::string text;
  };
  std::vector<Startup> startup;
  bool no_init = false;                                   // --no-init: leave ~/.catencrc alone
  std::vector<std::pair<std::string, int64_t>> bindings;  // -D n=128
  std::vector<std::string> disabled_passes;
  std::vector<std::string> dump_after;
  bool list_passes = false;
  bool list_rules = false;
  bool time_passes = false;
  bool profile = false;  // --profile: the time of every kernel
  bool explain_fusion = false;
  bool memory = false;  // --memory: the report
  bool poison = false;  // --poison: fill memory that holds nothing with NaN between kernels
  bool verify = false;
  bool no_warnings = false;
  bool werror = false;  // warnings are errors: shown as such, and the exit code is 1
  std::string code;     // `explain-error CODE`; "" lists all
  int threads = 0;      // 0: CATENC_THREADS or the number of CPUs
  Color color = Color::Auto;
  ErrorFormat error_format = ErrorFormat::Text;
};

/// Process exit codes.
enum Exit : int { kOk = 0, kUserError = 1, kUsage = 2, kInternal = 70 };

}  // namespace caten::driver
