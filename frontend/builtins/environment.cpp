// What a program can ask about the implementation, the machine and its own process.
#include <glob.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>

#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/stream.h"
#include "generated/version.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

Value implementation_type(Interpreter& interp, Args /*args*/) {
  return interp.string("catenc");
}
Value implementation_version(Interpreter& interp, Args /*args*/) {
  return interp.string(CATEN_VERSION);
}

template <auto Field>
Value system_name(Interpreter& interp, Args /*args*/) {
  utsname names{};
  return uname(&names) == 0 ? interp.string(std::string_view(names.*Field)) : Value::nil();
}

Value unknown(Interpreter& /*interp*/, Args /*args*/) {
  return Value::nil();
}

/// As file names end that name directories.
Value home_directory(Interpreter& interp, Args /*args*/) {
  const char* home = std::getenv("HOME");
  return home == nullptr ? Value::nil() : interp.string(std::string(home) + "/");
}

/// (directory "dir/*.lisp"): the files whose names match, sorted.
Value matching_files(Interpreter& interp, Args args) {
  const std::string pattern = expect_string_designator(interp, args[0], "file name");
  glob_t found{};
  ListCollector out(interp);
  if (glob(pattern.c_str(), GLOB_MARK, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      out.add(interp.string(std::string_view(found.gl_pathv[i])));
    }
  }
  globfree(&found);
  return out.finish();
}

/// (room): what the heap holds.
Value room(Interpreter& interp, Args /*args*/) {
  const Heap::Stats stats = interp.heap().stats();
  output_stream(interp, Value::nil())
      .write(fmt::format("{} bytes in the heap, {} of tensors, {} collections\n",
                         stats.reserved_bytes, interp.heap().external_bytes(), stats.collections));
  return interp.set_values({});
}

Value rehash_size(Interpreter& /*interp*/, Args /*args*/) {
  return Value::single(2.0F);
}
Value rehash_threshold(Interpreter& /*interp*/, Args /*args*/) {
  return Value::single(0.5F);
}
Value external_format(Interpreter& interp, Args args) {
  expect_object<Stream>(interp, args[0], "stream");
  return interp.keyword("UTF-8");
}

// clang-format off
constexpr Builtin kEnvironmentBuiltins[] = {
    // name                        package min max  doc                                                function
    {"LISP-IMPLEMENTATION-TYPE",    "CL",  0,  0,   "the name of this Lisp",                           implementation_type},
    {"LISP-IMPLEMENTATION-VERSION", "CL",  0,  0,   "the version of this Lisp",                        implementation_version},
    {"MACHINE-TYPE",                "CL",  0,  0,   "the kind of processor",                           system_name<&utsname::machine>},
    {"MACHINE-VERSION",             "CL",  0,  0,   "NIL: not known",                                  unknown},
    {"MACHINE-INSTANCE",            "CL",  0,  0,   "the name of the machine",                         system_name<&utsname::nodename>},
    {"SOFTWARE-TYPE",               "CL",  0,  0,   "the operating system",                            system_name<&utsname::sysname>},
    {"SOFTWARE-VERSION",            "CL",  0,  0,   "the release of the operating system",             system_name<&utsname::release>},
    {"SHORT-SITE-NAME",             "CL",  0,  0,   "NIL: not known",                                  unknown},
    {"LONG-SITE-NAME",              "CL",  0,  0,   "NIL: not known",                                  unknown},
    {"USER-HOMEDIR-PATHNAME",       "CL",  0,  1,   "the user's directory",                            home_directory},
    {"DIRECTORY",                   "CL",  1,  1,   "the names of the files that match a pattern such as \"dir/*.lisp\"", matching_files},
    {"ROOM",                        "CL",  0,  1,   "prints what the heap holds",                      room},
    {"HASH-TABLE-REHASH-SIZE",      "CL",  1,  1,   "by what factor a full table grows",               rehash_size},
    {"HASH-TABLE-REHASH-THRESHOLD", "CL",  1,  1,   "how full a table is when it grows",               rehash_threshold},
    {"STREAM-EXTERNAL-FORMAT",      "CL",  1,  1,   ":UTF-8",                                          external_format},
};
// clang-format on

}  // namespace

std::span<const Builtin> environment_builtins() {
  return kEnvironmentBuiltins;
}

}  // namespace caten::lisp
