// Runs one golden or error test: `golden_runner CATENC FILE`.
//
// Golden (tests/golden/STAGE/*): the program, a line `;;; expect`, then the whole text that catenc
// prints for it; STAGE is the --emit stage, or `eval` for `catenc run`. A line `;;; args: …` in the
// program adds arguments. CATEN_BLESS=1 rewrites the expected part.
//
// Error (tests/error/*): a program with `;; error: TEXT` at the end of the offending line. catenc
// must exit with 1 and print `FILE:LINE:COLUMN: error: … TEXT …` for it, with the code of the
// diagnostic that the file is named after, and write no output file. `;; warning: TEXT` is the same
// for a warning; catenc must exit with 0 then. `;;; file-error: TEXT` in the first line stands for
// a message without a place. Further lines `;;; note: TEXT` must occur in the output too.
//
// Explanations (stdlib/errors/*.md): in every section `## CODE`, the program below `Wrong:` must
// produce that code, and the one below `Right:` none.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr const char* kExpect = ";;; expect\n";
constexpr const char* kError = ";; error: ";
constexpr const char* kWarning = ";; warning: ";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct Result {
  int exit_code;
  std::string text;
};

Result run(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) {
    return {-1, "cannot run " + command};
  }
  std::string text;
  char chunk[4096];
  for (size_t n = 0; (n = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;) {
    text.append(chunk, n);
  }
  int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text};
}

/// The rest of the first line that starts with `key`, or "".
std::string header_value(const std::string& text, const std::string& key) {
  size_t at = text.rfind(key, 0) == 0 ? 0 : text.find("\n" + key);
  if (at == std::string::npos) {
    return "";
  }
  at = text.find(key, at) + key.size();
  return text.substr(at, text.find('\n', at) - at);
}

/// A directory that goes away with the object.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (fs::temp_directory_path() / "caten-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) != nullptr ? fs::path(name) : fs::path();
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

int report(const fs::path& file, const std::string& why, const Result& result) {
  std::printf("FAILED %s: %s\nexit code %d, output:\n%s\n", file.c_str(), why.c_str(),
              result.exit_code, result.text.c_str());
  return 1;
}

/// The first line in which the texts differ, for a quick look.
std::string first_difference(const std::string& expected, const std::string& got) {
  int line = 1;
  for (size_t i = 0; i < expected.size() && i < got.size() && expected[i] == got[i]; ++i) {
    line += expected[i] == '\n' ? 1 : 0;
  }
  return "differs from the expected text in its line " + std::to_string(line);
}

int golden(const std::string& catenc, const fs::path& file) {
  std::string text = read_file(file);
  size_t split = text.find(kExpect);
  std::string program = text.substr(0, split);
  std::string expected =
      split == std::string::npos ? "" : text.substr(split + std::string(kExpect).size());
  ScratchDirectory scratch;
  write_file(scratch.path() / file.filename(), program);
  std::string stage = file.parent_path().filename().string();
  std::string action = stage == "eval" ? "run" : "--emit=" + stage;
  Result result =
      run("cd '" + scratch.path().string() + "' && '" + catenc + "' " + action + " " +
          header_value(program, ";;; args: ") + " '" + file.filename().string() + "' 2>&1");
  if (std::getenv("CATEN_BLESS") != nullptr) {
    write_file(file, program + kExpect + result.text);
    return 0;
  }
  if (result.exit_code != 0) {
    return report(file, "catenc failed", result);
  }
  return result.text == expected ? 0
                                 : report(file, first_difference(expected, result.text), result);
}

/// The code of the diagnostic with the longest name that a file's name starts with: the rows of
/// ir/support/diagnostics.def are `CATEN_DIAG(201, Name, "name", ...)`.
std::string code_of(const fs::path& file) {
  std::ifstream rows(file.parent_path() / "../../ir/support/diagnostics.def");
  std::string stem = file.stem().string();
  std::string code;
  size_t best = 0;
  for (std::string row; std::getline(rows, row);) {
    bool warning = row.rfind("CATEN_WARNING(", 0) == 0;
    size_t from = row.find('"') + 1;
    std::string name = row.substr(from, row.find('"', from) - from);
    if ((warning || row.rfind("CATEN_DIAG(", 0) == 0) && stem.rfind(name, 0) == 0 &&
        name.size() > best) {
      best = name.size();
      code = (warning ? "[W0" : "[E0") + row.substr(row.find('(') + 1, 3) + "]";
    }
  }
  return code;
}

int error(const std::string& catenc, const fs::path& file) {
  std::string text = read_file(file);
  ScratchDirectory scratch;
  std::string name = file.filename().string();
  write_file(scratch.path() / name, text);
  std::string args = header_value(text, ";;; args: ");
  Result result = run("cd '" + scratch.path().string() + "' && '" + catenc + "' " +
                      (args.empty() ? "run" : args) + " '" + name + "' 2>&1");
  bool warns = text.find(kError) == std::string::npos && text.find(kWarning) != std::string::npos;
  if (result.exit_code != (warns ? 0 : 1)) {
    return report(file, warns ? "exit code 0 expected" : "exit code 1 expected", result);
  }
  std::vector<std::string> wanted{code_of(file)};
  std::string file_error = header_value(text, ";;; file-error: ");
  if (!file_error.empty()) {
    wanted.push_back(file_error);
  } else {
    const std::string key = warns ? kWarning : kError;
    size_t mark = text.find(key);
    if (mark == std::string::npos) {
      return report(file, "no line is marked with `;; error: `", result);
    }
    long line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(mark), '\n');
    size_t from = mark + key.size();
    wanted.push_back(name + ":" + std::to_string(line) + ":");
    wanted.push_back(warns ? "warning: " : "error: ");
    wanted.push_back(text.substr(from, text.find('\n', from) - from));
  }
  for (size_t at = 0; (at = text.find("\n;;; note: ", at)) != std::string::npos; ++at) {
    size_t from = at + std::string("\n;;; note: ").size();
    wanted.push_back(text.substr(from, text.find('\n', from) - from));
  }
  for (const std::string& part : wanted) {
    if (result.text.find(part) == std::string::npos) {
      return report(file, "the output lacks `" + part + "`", result);
    }
  }
  for (const auto& left : fs::directory_iterator(scratch.path())) {
    if (left.path().filename() != name) {
      return report(file, "left behind " + left.path().filename().string(), result);
    }
  }
  return 0;
}

/// The program below a line such as `Wrong:`: the lines that are indented by four.
std::string example(const std::string& section, const std::string& label) {
  size_t at = section.find("\n" + label + "\n");
  std::string program;
  if (at == std::string::npos) {
    return program;
  }
  std::istringstream lines(section.substr(at + label.size() + 2));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("    ", 0) == 0) {
      program += line.substr(4) + "\n";
    } else if (!line.empty()) {
      break;
    } else if (!program.empty()) {
      program += "\n";
    }
  }
  return program;
}

int explanation(const std::string& catenc, const fs::path& file, const std::string& section) {
  std::string code = section.substr(0, section.find('\n'));
  ScratchDirectory scratch;
  int failures = 0;
  for (const char* label : {"Wrong:", "Right:"}) {
    std::string program = example(section, label);
    write_file(scratch.path() / "model.lisp", program);
    std::string args = header_value(program, ";;; args: ");
    Result result = run("cd '" + scratch.path().string() + "' && '" + catenc + "' " +
                        (args.empty() ? "run" : args) + " model.lisp 2>&1");
    bool wrong = label[0] == 'W';
    bool shown = result.text.find("[" + code + "]") != std::string::npos;
    int expected = wrong && code[0] == 'E' ? 1 : 0;
    bool clean = result.text.find("error:") == std::string::npos &&
                 result.text.find("warning:") == std::string::npos;
    if (program.empty() || result.exit_code != expected || (wrong ? !shown : !clean)) {
      failures += report(file, code + " " + label, result);
    }
  }
  return failures;
}

int explanations(const std::string& catenc, const fs::path& file) {
  std::string text = read_file(file) + "\n## ";
  int failures = 0;
  int sections = 0;
  for (size_t at = text.find("\n## "); at + 4 < text.size(); ++sections) {
    size_t from = at + 4;
    at = text.find("\n## ", from);
    failures += explanation(catenc, file, text.substr(from, at - from) + "\n");
  }
  return failures == 0 && sections > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: golden_runner CATENC FILE\n");
    return 2;
  }
  fs::path file = fs::absolute(argv[2]);
  if (file.extension() == ".md") {
    return explanations(argv[1], file);
  }
  bool is_error = file.parent_path().filename() == "error";
  return is_error ? error(argv[1], file) : golden(argv[1], file);
}
