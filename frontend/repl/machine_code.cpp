// See machine_code.h.
#include "frontend/repl/machine_code.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "frontend/tensor/session.h"
#include "runtime/backend.h"

namespace caten::repl {
namespace {

/// A file that is gone with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> bytes) {
    const char* folder = std::getenv("TMPDIR");
    path_ = fmt::format("{}/catenc-code-XXXXXX", folder == nullptr ? "/tmp" : folder);
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) {
      fail_file(path_, "cannot be made");
    }
    const bool written =
        ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    ::close(fd);
    if (!written) {
      ::unlink(path_.c_str());
      fail_file(path_, "cannot be written");
    }
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

#if defined(__x86_64__)
constexpr const char* kMachine = "i386:x86-64 -M intel";
#elif defined(__aarch64__)
constexpr const char* kMachine = "aarch64";
#else
constexpr const char* kMachine = nullptr;
#endif

/// What a command prints; "" when it cannot be run.
std::string output_of(const std::string& command) {
  const auto close = [](std::FILE* file) { ::pclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(command.c_str(), "r"), close);
  std::string out;
  char buffer[4096];
  while (pipe != nullptr) {
    const size_t n = std::fread(buffer, 1, sizeof buffer, pipe.get());
    if (n == 0) {
      break;
    }
    out.append(buffer, n);
  }
  return out;
}

std::string disassemble(std::span<const std::byte> code) {
  const TemporaryFile file(code);
  const std::string listing = output_of(fmt::format(
      "objdump -D -b binary -m {} --no-show-raw-insn {} 2>/dev/null", kMachine, file.path()));
  // The listing proper follows the line that names the section.
  const size_t section = listing.find("<.data>:");
  return section == std::string::npos ? "" : listing.substr(listing.find('\n', section) + 1);
}

}  // namespace

std::string machine_code_text(lisp::Interpreter& interp, const Expression& expression) {
  if (kMachine == nullptr || output_of("objdump --version 2>/dev/null").empty()) {
    fail(Diag::Unsupported, {}, "machine code needs `objdump` (Debian's package binutils)");
  }
  const codegen::Compilation compiled = codegen::compile(expression.entry.graph, expression.c_name,
                                                         tensor::session(interp).compiler.context);
  const std::unique_ptr<runtime::Executable> executable = runtime::load_tcc(compiled.program);
  std::string out;
  for (const runtime::MachineCode& kernel : executable->machine_code()) {
    out += fmt::format("{}: {} bytes\n{}", kernel.kernel, kernel.bytes.size(),
                       disassemble(kernel.bytes));
  }
  return out;
}

}  // namespace caten::repl
