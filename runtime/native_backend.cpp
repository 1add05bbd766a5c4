// See native_backend.h.
#include "runtime/native_backend.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "ir/support/check.h"
#include "runtime/intrinsics/symbols.h"
#include "runtime/kernel_executable.h"
#include "runtime/system_compiler.h"

namespace caten::runtime {
namespace {

namespace fs = std::filesystem;

// No contraction and nothing of -ffast-math (LANGUAGE §5); what is allowed lets loops become
// vectors: nobody reads errno or the exception flags. gcc 12 misaligns local arrays that it puts
// into the red zone of functions with AVX code (a fault at its `vmovapd`), so it gets none.
constexpr const char* kFlags[] = {"-O3",
                                  "-march=native",
#ifdef __x86_64__
                                  "-mno-red-zone",
#endif
                                  "-std=gnu99",
                                  "-fPIC",
                                  "-shared",
                                  "-w",
                                  "-ffp-contract=off",
                                  "-fno-math-errno",
                                  "-fno-trapping-math",
                                  "-fwrapv",
                                  "-fno-strict-aliasing"};

/// Two independent 64-bit hashes: the name of what the text becomes.
std::string digest(std::string_view text) {
  uint64_t a = 0xcbf29ce484222325U;
  uint64_t b = 0x9e3779b97f4a7c15U;
  for (const char c : text) {
    a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    b = (b + static_cast<unsigned char>(c)) * 0xff51afd7ed558ccdU;
    b ^= b >> 29;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

/// What makes one compiler another: replacing it changes size or time.
std::string identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return path;
  }
  return fmt::format("{} {} {}.{}", path, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

/// What -march=native looks at: a cache directory may be shared by different machines.
std::string machine() {
  std::ifstream in("/proc/cpuinfo");
  std::string model;
  std::string flags;
  for (std::string line; std::getline(in, line) && (model.empty() || flags.empty());) {
    if (line.starts_with("model name")) {
      model = line;
    } else if (line.starts_with("flags") || line.starts_with("Features")) {
      flags = line;
    }
  }
  return model + flags;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// A shared object that is open; closed with the last executable that uses it.
class SharedObject {
 public:
  explicit SharedObject(void* handle) : handle_(handle) {}
  ~SharedObject() { ::dlclose(handle_); }
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  void* symbol(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

 private:
  void* handle_;
};

std::shared_ptr<SharedObject> open(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : std::make_shared<SharedObject>(handle);
}

/// The entry of the cache if it is there and was made from exactly this text.
std::shared_ptr<SharedObject> cached(const std::string& stem, const std::string& key) {
  if (read_file(stem + ".c") != key) {
    return nullptr;
  }
  ::utimensat(AT_FDCWD, (stem + ".c").c_str(), nullptr, 0);  // used now; see prune()
  return open(stem + ".so");
}

/// Moves a finished file to where others look for it; whoever comes last wins, with equal contents.
bool publish(const std::string& from, const std::string& to) {
  // TMPDIR may be on another file system: copy beside the target first.
  std::error_code error;
  const std::string beside =
      fmt::format("{}.{}-{}", to, ::getpid(), fs::path(from).parent_path().filename().string());
  fs::copy_file(from, beside, error);
  if (!error) {
    fs::rename(beside, to, error);
  }
  if (error) {
    std::error_code ignored;
    fs::remove(beside, ignored);
  }
  return !error;
}

/// Removes what was not used for longest, but not the entry `kept`, until the files have at most
/// so many bytes. Several processes may do this at once, and others may look for what is removed.
void prune(const fs::path& directory, const std::string& kept, uintmax_t bytes) {
  struct Entry {
    fs::file_time_type used = fs::file_time_type::min();
    uintmax_t bytes = 0;
    std::vector<fs::path> files;  // in the order of their names: the text goes before the object
  };
  std::map<std::string, Entry> entries;
  uintmax_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // another process was faster
    const uintmax_t size = it->file_size(gone);
    const fs::file_time_type used = it->last_write_time(gone);
    if (gone) {
      continue;
    }
    const std::string name = it->path().filename().string();
    Entry& entry = entries[name.substr(0, name.find('.'))];
    entry.used = std::max(entry.used, used);
    entry.bytes += size;
    entry.files.push_back(it->path());
    total += size;
  }
  std::vector<Entry*> oldest;
  for (auto& [name, entry] : entries) {
    if (name != kept) {
      std::sort(entry.files.begin(), entry.files.end());
      oldest.push_back(&entry);
    }
  }
  std::sort(oldest.begin(), oldest.end(),
            [](const Entry* a, const Entry* b) { return a->used < b->used; });
  for (const Entry* entry : oldest) {
    if (total <= bytes) {
      return;
    }
    for (const fs::path& file : entry->files) {
      std::error_code ignored;
      fs::remove(file, ignored);
    }
    total -= entry->bytes;
  }
}

std::shared_ptr<SharedObject> compile(const Program& program, const std::string& compiler,
                                      const std::string& key, const std::string& stem,
                                      const NativeOptions& options) {
  const TemporaryDirectory directory;
  const std::string source = directory.file("kernels.c");
  const std::string object = directory.file("kernels.so");
  std::ofstream(source, std::ios::binary) << key;
  std::vector<std::string> command = {compiler};
  command.insert(command.end(), std::begin(kFlags), std::end(kFlags));
  command.insert(command.end(), {source, "-o", object, "-lm"});
  const ProgramResult result = run_program(command, options.cancelled);
  if (result.exit_code != 0) {
    throw RuntimeError(fmt::format("`{}`: {} failed with exit code {}:\n{}", program.name, compiler,
                                   result.exit_code, result.output));
  }
  if (!stem.empty()) {
    std::error_code ignored;  // a cache that cannot be written is no cache
    fs::create_directories(fs::path(stem).parent_path(), ignored);
    // The text goes last: who finds it finds the object too.
    if (publish(object, stem + ".so") && publish(source, stem + ".c")) {
      if (std::shared_ptr<SharedObject> kept = open(stem + ".so")) {
        prune(fs::path(stem).parent_path(), fs::path(stem).filename().string(),
              options.cache_bytes);
        return kept;
      }
    }
  }
  std::shared_ptr<SharedObject> opened = open(object);
  if (opened == nullptr) {
    const char* reason = ::dlerror();
    throw RuntimeError(fmt::format("`{}`: cannot load what {} made: {}", program.name, compiler,
                                   reason != nullptr ? reason : "unknown reason"));
  }
  return opened;
}

const void* address_of(const std::string& name) {
  if (const void* routine = strip_function(name)) {
    return routine;
  }
  for (const Symbol& symbol : kernel_symbols()) {
    if (symbol.name == name) {
      return symbol.address;
    }
  }
  CATEN_UNREACHABLE("kernels may not call `{}`", name);
}

}  // namespace

std::optional<std::string> native_compiler() {
  if (const char* chosen = std::getenv("CATENC_CC"); chosen != nullptr && *chosen != '\0') {
    return find_program(chosen);
  }
  for (const char* name : {"gcc", "clang"}) {
    if (std::optional<std::string> path = find_program(name)) {
      return path;
    }
  }
  return std::nullopt;
}

std::string cache_directory() {
  // XDG: what is not absolute is ignored.
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/catenc";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + "/.cache/catenc";
  }
  return "";
}

std::unique_ptr<Executable> load_native(const Program& program, const NativeSource& source,
                                        const NativeOptions& options) {
  const std::optional<std::string> compiler =
      options.compiler.empty() ? native_compiler() : find_program(options.compiler);
  if (!compiler) {
    throw RuntimeError(
        "the backend `cc` needs a C compiler: there is no gcc and no clang in PATH (CATENC_CC "
        "names another)");
  }
  std::string key = "/* " + identity(*compiler);
  for (const char* flag : kFlags) {
    key += fmt::format(" {}", flag);
  }
  key += "\n   " + machine() + " */\n" + source.text;
  const std::string directory = options.directory.empty() ? cache_directory() : options.directory;
  const std::string stem = directory.empty() ? "" : directory + "/" + digest(key);
  std::shared_ptr<SharedObject> object = stem.empty() ? nullptr : cached(stem, key);
  if (object == nullptr) {
    object = compile(program, *compiler, key, stem, options);
  }
  std::vector<const void*> addresses;
  for (const std::string& name : source.bound) {
    addresses.push_back(address_of(name));
  }
  auto* bind = reinterpret_cast<void (*)(const void* const*)>(object->symbol("ct_bind"));
  CATEN_CHECK(bind != nullptr, "program `{}` defines no ct_bind", program.name);
  bind(addresses.data());
  std::vector<KernelFunction> functions;
  for (const Kernel& kernel : program.kernels) {
    void* function = object->symbol(kernel.name);
    CATEN_CHECK(function != nullptr, "program `{}` defines no kernel `{}`", program.name,
                kernel.name);
    functions.push_back(reinterpret_cast<KernelFunction>(function));
  }
  return std::make_unique<KernelExecutable>(program, std::move(functions), std::move(object),
                                            options.workers);
}

// Note [cache of shared objects]
// An entry is DIGEST.c and DIGEST.so; the text starts with the compiler, its flags and the machine,
// so that none of them can be stale, and is compared as a whole, so that no two texts can be
// confused. Both files are written elsewhere and renamed; a process that finds the text finds an
// object made from it, whichever of several writers renamed last. An entry that is removed loses
// its text first; who has just read that finds no object and compiles; who has opened the object
// keeps it. dlopen() gives one handle for one file: ct_bind may run again while kernels run, but
// writes the addresses that are there.
}  // namespace caten::runtime
