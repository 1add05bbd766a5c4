// Files, time and the environment.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/stream.h"
#include "runtime/interrupt.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

std::string path_of(Interpreter& interp, Value v) {
  if (const Stream* stream = v.try_as<Stream>()) {
    return stream->path;
  }
  return expect_string(interp, v, "file name").utf8();
}

[[noreturn]] void file_failed(const std::string& path, std::string_view what, int error) {
  fail_file(path, fmt::format("{}: {}", what, std::strerror(error)));
}

std::string read_whole(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    file_failed(path, "cannot open the file", errno);
  }
  std::string text;
  char buffer[65536];
  size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
    text.append(buffer, n);
  }
  const int error = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (error != 0) {
    file_failed(path, "cannot read the file", error);
  }
  return text;
}

bool is_binary_type(Interpreter& interp, Value type) {
  const Value head = type.is_cons() ? car(type) : type;
  return head == interp.cl("UNSIGNED-BYTE") || head == interp.cl("SIGNED-BYTE");
}

Value open_input(Interpreter& interp, const std::string& path, const KeywordArgs& keys,
                 bool binary) {
  const Value missing = keys.get("IF-DOES-NOT-EXIST", interp.keyword("ERROR"));
  if (missing.is_nil() && ::access(path.c_str(), F_OK) != 0) {
    return Value::nil();
  }
  const Value made = make_string_input_stream(interp, read_whole(path));
  made.as<Stream>()->path = path;
  made.as<Stream>()->is_binary = binary;
  return made;
}

Value open_output(Interpreter& interp, const std::string& path, const KeywordArgs& keys,
                  bool binary) {
  const bool exists = ::access(path.c_str(), F_OK) == 0;
  const Value if_exists = keys.get("IF-EXISTS", interp.keyword("ERROR"));
  const bool append = if_exists == interp.keyword("APPEND");
  bool replace = false;
  for (const char* name :
       {"SUPERSEDE", "OVERWRITE", "NEW-VERSION", "RENAME", "RENAME-AND-DELETE"}) {
    replace = replace || if_exists == interp.keyword(name);
  }
  if (exists && if_exists.is_nil()) {
    return Value::nil();
  }
  if (exists && !append && !replace) {
    fail_file(path, "the file exists; expected a new name or `:if-exists :supersede`");
  }
  const Value missing = keys.get("IF-DOES-NOT-EXIST", interp.keyword("CREATE"));
  if (!exists && missing == interp.keyword("ERROR")) {
    file_failed(path, "cannot open the file", ENOENT);
  }
  if (!exists && missing.is_nil()) {
    return Value::nil();
  }
  // A file being replaced keeps its old contents until the stream is closed.
  struct stat info {};
  const bool regular = exists && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  const std::string temporary =
      !append && (regular || !exists) ? fmt::format("{}.{}.tmp", path, ::getpid()) : "";
  std::FILE* const file =
      std::fopen(temporary.empty() ? path.c_str() : temporary.c_str(), append ? "ab" : "wb");
  if (file == nullptr) {
    file_failed(path, "cannot write the file", errno);
  }
  Stream* const stream = interp.heap().make<Stream>(Stream::Direction::Output);
  stream->file = file;
  stream->owns_file = true;
  stream->path = path;
  stream->temporary = temporary;
  stream->is_binary = binary;
  return Value::object(stream);
}

Value file_open(Interpreter& interp, Args args) {
  const std::string path = path_of(interp, args[0]);
  const KeywordArgs keys(
      interp, args, 1,
      {"DIRECTION", "ELEMENT-TYPE", "IF-EXISTS", "IF-DOES-NOT-EXIST", "EXTERNAL-FORMAT"});
  const bool binary = is_binary_type(interp, keys.get("ELEMENT-TYPE"));
  const Value direction = keys.get("DIRECTION", interp.keyword("INPUT"));
  if (direction == interp.keyword("INPUT")) {
    return open_input(interp, path, keys, binary);
  }
  if (direction == interp.keyword("OUTPUT")) {
    return open_output(interp, path, keys, binary);
  }
  if (direction == interp.keyword("PROBE")) {
    return ::access(path.c_str(), F_OK) == 0 ? make_string_input_stream(interp, "") : Value::nil();
  }
  if (direction == interp.keyword("IO")) {
    fail(Diag::Unsupported, interp.current_span(), "streams of direction `:io` are not supported");
  }
  wrong_type(interp, direction, "direction", "`:input` or `:output`");
}

Value file_probe(Interpreter& interp, Args args) {
  const std::string path = path_of(interp, args[0]);
  std::error_code error;
  const std::filesystem::path full = std::filesystem::canonical(path, error);
  return error ? Value::nil() : interp.string(full.string());
}

Value file_delete(Interpreter& interp, Args args) {
  const std::string path = path_of(interp, args[0]);
  if (::unlink(path.c_str()) != 0) {
    file_failed(path, "cannot delete the file", errno);
  }
  return Value::t();
}

Value file_rename(Interpreter& interp, Args args) {
  const std::string from = path_of(interp, args[0]);
  const std::string to = path_of(interp, args[1]);
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    file_failed(from, "cannot rename the file", errno);
  }
  return interp.string(to);
}

Value file_ensure_directories(Interpreter& interp, Args args) {
  const std::string path = path_of(interp, args[0]);
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  const bool made = !directory.empty() && std::filesystem::create_directories(directory, error);
  if (error) {
    fail_file(path, fmt::format("cannot make its directory: {}", error.message()));
  }
  return interp.set_values({args[0], Value::boolean(made)});
}

Value file_length(Interpreter& interp, Args args) {
  const Stream& stream = expect_object<Stream>(interp, args[0], "stream");
  if (stream.direction == Stream::Direction::Input) {
    return interp.integer(static_cast<int64_t>(stream.text.size()));
  }
  const long at = stream.file != nullptr ? std::ftell(stream.file) : -1;
  return at < 0 ? Value::nil() : interp.integer(at);
}

Value file_position(Interpreter& interp, Args args) {
  Stream& stream = expect_object<Stream>(interp, args[0], "stream");
  if (args.size() == 1) {
    return stream.direction == Stream::Direction::Input
               ? interp.integer(static_cast<int64_t>(stream.position))
               : file_length(interp, args);
  }
  if (stream.direction != Stream::Direction::Input) {
    return Value::nil();
  }
  const int64_t wanted = args[1] == interp.keyword("START") ? 0
                         : args[1] == interp.keyword("END")
                             ? static_cast<int64_t>(stream.text.size())
                             : expect_index(interp, args[1], "position");
  if (wanted > static_cast<int64_t>(stream.text.size())) {
    return Value::nil();
  }
  stream.position = static_cast<size_t>(wanted);
  return Value::t();
}

// --- names of files: a path is a string -------------------------------------------------------

Value text_or_nil(Interpreter& interp, const std::string& text) {
  return text.empty() ? Value::nil() : interp.string(text);
}

Value path_namestring(Interpreter& interp, Args args) {
  return interp.string(path_of(interp, args[0]));
}
Value path_truename(Interpreter& interp, Args args) {
  const Value found = file_probe(interp, args);
  if (found.is_nil()) {
    file_failed(path_of(interp, args[0]), "cannot find the file", ENOENT);
  }
  return found;
}
Value path_name(Interpreter& interp, Args args) {
  return text_or_nil(interp, std::filesystem::path(path_of(interp, args[0])).stem().string());
}
Value path_type(Interpreter& interp, Args args) {
  const std::string extension =
      std::filesystem::path(path_of(interp, args[0])).extension().string();
  return extension.size() < 2 ? Value::nil() : interp.string(extension.substr(1));
}
Value path_file(Interpreter& interp, Args args) {
  return interp.string(std::filesystem::path(path_of(interp, args[0])).filename().string());
}
Value path_directory(Interpreter& interp, Args args) {
  const std::string directory =
      std::filesystem::path(path_of(interp, args[0])).parent_path().string();
  return interp.string(directory.empty() || directory.back() == '/' ? directory : directory + '/');
}
/// (merge-pathnames path [directory]): the path seen from the directory of another.
Value path_merge(Interpreter& interp, Args args) {
  const std::string path = path_of(interp, args[0]);
  if (args.size() < 2) {
    return interp.string(path);
  }
  const std::string base = path_of(interp, args[1]);
  return interp.string((std::filesystem::path(base).parent_path() / path).string());
}

/// Seconds since 1900-01-01 00:00 UTC at the epoch of Unix.
constexpr int64_t kUniversalEpoch = 2208988800;

Value file_write_date(Interpreter& interp, Args args) {
  const std::string path = path_of(interp, args[0]);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    file_failed(path, "cannot look at the file", errno);
  }
  return interp.integer(static_cast<int64_t>(info.st_mtime) + kUniversalEpoch);
}

Value time_universal(Interpreter& interp, Args) {
  return interp.integer(static_cast<int64_t>(std::time(nullptr)) + kUniversalEpoch);
}

Value time_decode(Interpreter& interp, int64_t universal, Value zone) {
  struct tm t {};
  const double west = zone.is_nil() ? 0 : expect_real(interp, zone, "zone");
  const auto seconds = static_cast<std::time_t>(universal - kUniversalEpoch) -
                       static_cast<std::time_t>(std::lround(west * 3600));
  if ((zone.is_nil() ? ::localtime_r(&seconds, &t) : ::gmtime_r(&seconds, &t)) == nullptr) {
    wrong_type(interp, interp.integer(universal), "time", "a universal time");
  }
  const auto n = [](int64_t v) { return Value::fixnum(v); };
  return interp.set_values({n(t.tm_sec), n(t.tm_min), n(t.tm_hour), n(t.tm_mday), n(t.tm_mon + 1),
                            n(t.tm_year + 1900), n((t.tm_wday + 6) % 7),
                            Value::boolean(t.tm_isdst > 0),
                            zone.is_nil() ? n(-t.tm_gmtoff / 3600) : zone});
}

Value time_decode_universal(Interpreter& interp, Args args) {
  return time_decode(interp, expect_int(interp, args[0], "time"), arg_or(args, 1));
}
/// (encode-universal-time second minute hour date month year [zone]), zone in hours west.
Value time_encode(Interpreter& interp, Args args) {
  int parts[6];
  for (size_t i = 0; i < 6; ++i) {
    const int64_t part = expect_index(interp, args[i], "part of the time");
    if (part > 1'000'000) {
      wrong_type(interp, args[i], "part of the time", "a calendar number");
    }
    parts[i] = static_cast<int>(part);
  }
  struct tm t {};
  t.tm_sec = parts[0];
  t.tm_min = parts[1];
  t.tm_hour = parts[2];
  t.tm_mday = parts[3];
  t.tm_mon = parts[4] - 1;
  t.tm_year = parts[5] - 1900;
  t.tm_isdst = -1;
  const Value zone = arg_or(args, 6);
  const std::time_t seconds =
      zone.is_nil()
          ? std::mktime(&t)
          : ::timegm(&t) +
                static_cast<std::time_t>(std::lround(expect_real(interp, zone, "zone") * 3600));
  return interp.integer(static_cast<int64_t>(seconds) + kUniversalEpoch);
}

Value time_decoded(Interpreter& interp, Args) {
  return time_decode(interp, static_cast<int64_t>(std::time(nullptr)) + kUniversalEpoch,
                     Value::nil());
}

/// Microseconds: INTERNAL-TIME-UNITS-PER-SECOND is 1000000.
Value time_real(Interpreter& interp, Args) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return interp.integer(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}
Value time_run(Interpreter& interp, Args) {
  struct timespec t {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return interp.integer(int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000);
}

Value time_sleep(Interpreter& interp, Args args) {
  const double seconds = expect_real(interp, args[0], "seconds");
  if (!(seconds >= 0) || seconds > 1e9) {
    wrong_type(interp, args[0], "seconds", "a non-negative real");
  }
  std::fflush(stdout);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    runtime::poll_interrupt();
    constexpr std::chrono::milliseconds kPart{20};
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(kPart, end - Clock::now()));
  }
  return Value::nil();
}

/// (ctx:getenv :name [default]): an environment variable; an integer if it is spelled like one.
Value context_getenv(Interpreter& interp, Args args) {
  const std::string name = expect_string_designator(interp, args[0], "name");
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) {
    return arg_or(args, 1);
  }
  char* end = nullptr;
  errno = 0;
  const long long n = std::strtoll(value, &end, 10);
  if (*value != 0 && *end == 0 && errno == 0) {
    return interp.integer(n);
  }
  return interp.string(value);
}

Value uiop_getenv(Interpreter& interp, Args args) {
  const char* const value = std::getenv(expect_string(interp, args[0], "name").utf8().c_str());
  return value == nullptr ? Value::nil() : interp.string(value);
}

Value uiop_read_file_string(Interpreter& interp, Args args) {
  return interp.string(read_whole(path_of(interp, args[0])));
}

Value uiop_read_file_lines(Interpreter& interp, Args args) {
  const Value stream = make_string_input_stream(interp, read_whole(path_of(interp, args[0])));
  std::vector<Value> lines;
  bool newline = false;
  while (const std::optional<std::string> line = stream.as<Stream>()->read_line(&newline)) {
    lines.push_back(interp.string(*line));
  }
  return interp.list(lines);
}

// clang-format off
constexpr Builtin kFileBuiltins[] = {
    // name                      package  min max  doc                                                          function
    {"OPEN",                     "CL",    1,  -1,  "(open path &key direction element-type if-exists if-does-not-exist)", file_open},
    {"PROBE-FILE",               "CL",    1,  1,   "the full name of a file, or NIL if there is none",          file_probe},
    {"DELETE-FILE",              "CL",    1,  1,   "deletes a file",                                            file_delete},
    {"RENAME-FILE",              "CL",    2,  2,   "renames a file",                                            file_rename},
    {"ENSURE-DIRECTORIES-EXIST", "CL",    1,  -1,  "makes the directories that lead to a file",                 file_ensure_directories},
    {"FILE-LENGTH",              "CL",    1,  1,   "the length of an open file in bytes",                       file_length},
    {"FILE-POSITION",            "CL",    1,  2,   "the position in an open file; sets it with a second argument", file_position},
    {"FILE-WRITE-DATE",          "CL",    1,  1,   "the universal time a file was written",                     file_write_date},
    {"GET-UNIVERSAL-TIME",       "CL",    0,  0,   "seconds since 1900",                                        time_universal},
    {"GET-DECODED-TIME",         "CL",    0,  0,   "second, minute, hour, date, month, year, day, dst, zone",   time_decoded},
    {"DECODE-UNIVERSAL-TIME",    "CL",    1,  2,   "a universal time as nine values",                           time_decode_universal},
    {"ENCODE-UNIVERSAL-TIME",    "CL",    6,  7,   "a universal time from second, minute, hour, date, month, year", time_encode},
    {"NAMESTRING",               "CL",    1,  1,   "the name of a file",                                        path_namestring},
    {"PATHNAME",                 "CL",    1,  1,   "the name of a file",                                        path_namestring},
    {"TRUENAME",                 "CL",    1,  1,   "the full name of a file that exists",                       path_truename},
    {"PATHNAME-NAME",            "CL",    1,  1,   "the file name without directory and extension",             path_name},
    {"PATHNAME-TYPE",            "CL",    1,  1,   "the extension of a file name",                              path_type},
    {"FILE-NAMESTRING",          "CL",    1,  1,   "the file name without directory",                           path_file},
    {"DIRECTORY-NAMESTRING",     "CL",    1,  1,   "the directory of a file name",                              path_directory},
    {"MERGE-PATHNAMES",          "CL",    1,  2,   "a file name seen from the directory of another",            path_merge},
    {"GET-INTERNAL-REAL-TIME",   "CL",    0,  0,   "elapsed time in internal time units",                       time_real},
    {"GET-INTERNAL-RUN-TIME",    "CL",    0,  0,   "processor time in internal time units",                     time_run},
    {"SLEEP",                    "CL",    1,  1,   "waits for a number of seconds",                             time_sleep},
    {"%ENVIRONMENT-VALUE",       "CATEN", 1,  2,   "an environment variable, as an integer where it is one",    context_getenv},
    {"GETENV",                   "UIOP",  1,  1,   "an environment variable as a string, or NIL",               uiop_getenv},
    {"READ-FILE-STRING",         "UIOP",  1,  1,   "the text of a file",                                        uiop_read_file_string},
    {"READ-FILE-LINES",          "UIOP",  1,  1,   "the lines of a file",                                       uiop_read_file_lines},
};
// clang-format on

}  // namespace

std::span<const Builtin> file_builtins() {
  return kFileBuiltins;
}

}  // namespace caten::lisp
