// The tcc backend: a Program's C text to machine code in this process, in well under a
// millisecond. Opens no file, needs no header, library or compiler on the machine. The only file
// that includes libtcc.h. See Note [living with libtcc].
#include <fmt/core.h>
#include <libtcc.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string_view>

#include "ir/support/check.h"
#include "ir/support/heap.h"
#include "runtime/backend.h"
#include "runtime/code_cache.h"
#include "runtime/code_memory.h"
#include "runtime/intrinsics/symbols.h"
#include "runtime/kernel_executable.h"
#include "runtime/tcc_libc.h"

namespace caten::runtime {
namespace {

/// Where routines in machine code may begin.
constexpr size_t kRoutineAlignment = 64;

constexpr const char* kEndMarker = "void ct_code_end(void) {}";

/// One compilation's data, plain because libtcc may leave by longjmp.
struct Job {
  const char* source = nullptr;
  const std::string* functions = nullptr;  // vector routines to bind
  size_t function_count = 0;
  const MachineRoutine* routines = nullptr;  // and what is machine code already
  size_t routine_count = 0;
  void* routine_image = nullptr;
  TCCState* state = nullptr;
  int size = 0;           // bytes of code, after compile()
  void* image = nullptr;  // where relocate() writes them
  bool ok = false;
  std::array<char, 2048> messages{};
  size_t message_length = 0;
};

void append_message(void* opaque, const char* text) {
  Job& job = *static_cast<Job*>(opaque);
  size_t room = job.messages.size() - job.message_length;
  int written = std::snprintf(job.messages.data() + job.message_length, room, "%s\n", text);
  job.message_length += std::min(static_cast<size_t>(std::max(written, 0)), room - 1);
}

/// Bytes that a routine takes, up to where the next one may be placed.
size_t padded_size(const MachineRoutine& routine) {
  return (routine.code.size() + kRoutineAlignment - 1) / kRoutineAlignment * kRoutineAlignment;
}

/// C text to relocatable code; sets job.size.
void compile(void* context) {
  Job& job = *static_cast<Job*>(context);
  job.state = tcc_new();
  if (job.state == nullptr) {
    return;
  }
  tcc_set_error_func(job.state, &job, append_message);
  // Before tcc_set_output_type, which would otherwise look for directories and start-up files.
  tcc_set_options(job.state, "-nostdlib -nostdinc -Werror");
  tcc_set_output_type(job.state, TCC_OUTPUT_MEMORY);
  for (const Symbol& symbol : kernel_symbols()) {
    tcc_add_symbol(job.state, symbol.name, symbol.address);
  }
  for (size_t i = 0; i < job.function_count; ++i) {
    tcc_add_symbol(job.state, job.functions[i].c_str(), strip_function(job.functions[i]));
  }
  size_t offset = 0;
  for (size_t i = 0; i < job.routine_count; ++i) {
    tcc_add_symbol(job.state, job.routines[i].name.c_str(),
                   static_cast<char*>(job.routine_image) + offset);
    offset += padded_size(job.routines[i]);
  }
  // Functions are laid out in the order of the text: the last one marks the end of the others.
  if (tcc_compile_string(job.state, job.source) != 0 ||
      tcc_compile_string(job.state, kEndMarker) != 0) {
    return;
  }
  job.size = tcc_relocate(job.state, nullptr);
  job.ok = job.size >= 0;
}

void relocate(void* context) {
  Job& job = *static_cast<Job*>(context);
  job.ok = tcc_relocate(job.state, job.image) == 0;
}

void discard(void* context) {
  tcc_delete(static_cast<Job*>(context)->state);
}

/// The source line that a message `<string>:12: ...` names and the one before it, where the
/// parser often still was; "" when no line is named.
std::string_view quoted_lines(std::string_view source, std::string_view message) {
  constexpr std::string_view kPlace = "<string>:";
  size_t at = message.find(kPlace);
  if (at == std::string_view::npos) {
    return "";
  }
  int line = std::atoi(message.data() + at + kPlace.size());
  for (; line > 2 && !source.empty(); --line) {
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  }
  return source.substr(0, source.find('\n', source.find('\n') + 1));
}

/// What is to be compiled: some kernels of a program, and the text with them.
struct Order {
  const Program& program;
  std::vector<size_t> kernels;
  std::string source;
};

/// Where the instructions of kernels are, and of routines that were machine code already.
struct Instructions {
  CodeMemory kernels;
  CodeMemory routines;
};

/// The routines that are machine code already, one after the other.
CodeMemory place_routines(const Program& program) {
  size_t bytes = 0;
  for (const MachineRoutine& routine : program.routines) {
    bytes += padded_size(routine);
  }
  if (bytes == 0) {
    return {};
  }
  CodeMemory memory(bytes);
  auto* at = static_cast<std::byte*>(memory.address());
  for (const MachineRoutine& routine : program.routines) {
    std::memcpy(at, routine.code.data(), routine.code.size());
    at += padded_size(routine);
  }
  memory.make_executable();
  return memory;
}

/// Does all the work, with the lock held and enough stack. One per kernel of the order.
std::vector<CompiledKernel> compile_and_link(const Order& order) {
  const Program& program = order.program;
  Job job;
  job.source = order.source.c_str();
  job.functions = program.vector_functions.data();
  job.function_count = program.vector_functions.size();
  for (const std::string& name : program.vector_functions) {
    CATEN_CHECK(strip_function(name) != nullptr, "program `{}` calls `{}`, which does not exist",
                program.name, name);
  }
  auto memory = std::make_shared<Instructions>();
  memory->routines = place_routines(program);
  job.routines = program.routines.data();
  job.routine_count = program.routines.size();
  job.routine_image = memory->routines.address();
  auto step = [&](void (*body)(void*)) {
    job.ok = false;
    bool returned = run_guarded(body, &job);
    if (returned && job.ok) {
      return;
    }
    if (returned && job.state != nullptr) {
      run_guarded(discard, &job);
    }
    std::string_view text(job.messages.data(), job.message_length);
    internal_error(
        __FILE__, __LINE__, "tinycc accepts the kernels",
        fmt::format("program `{}`: {}\n{}", program.name, text, quoted_lines(order.source, text)));
  };
  step(compile);
  memory->kernels = CodeMemory(static_cast<size_t>(job.size));
  job.image = memory->kernels.address();
  step(relocate);
  std::vector<CompiledKernel> out;
  std::vector<const std::byte*> starts;
  for (size_t kernel : order.kernels) {
    const std::string& name = program.kernels[kernel].name;
    void* function = tcc_get_symbol(job.state, name.c_str());
    if (function == nullptr) {
      run_guarded(discard, &job);
      CATEN_UNREACHABLE("program `{}` defines no kernel `{}`", program.name, name);
    }
    starts.push_back(static_cast<const std::byte*>(function));
    out.push_back({reinterpret_cast<KernelFunction>(function), {}, memory});
  }
  // Each ends where the next begins.
  starts.push_back(static_cast<const std::byte*>(tcc_get_symbol(job.state, "ct_code_end")));
  std::sort(starts.begin(), starts.end());
  for (CompiledKernel& kernel : out) {
    const auto* begin = reinterpret_cast<const std::byte*>(kernel.function);
    kernel.instructions = {begin, *std::upper_bound(starts.begin(), starts.end(), begin)};
  }
  run_guarded(discard, &job);
  memory->kernels.make_executable();
  return out;
}

/// Bytes of stack left in this thread, at most what thread_stack_bounds() tells.
size_t stack_left() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const StackBounds stack = thread_stack_bounds();
  return here > stack.low && here <= stack.high ? here - stack.low : 0;
}

/// What crosses into the thread with the large stack and back.
struct Errand {
  const Order& order;
  std::vector<CompiledKernel> kernels;
  std::exception_ptr error;
};

void* run_errand(void* context) {
  Errand& errand = *static_cast<Errand*>(context);
  try {
    errand.kernels = compile_and_link(errand.order);
  } catch (const std::exception&) {
    errand.error = std::current_exception();  // for the caller's thread, not handled here
  }
  return nullptr;
}

std::vector<CompiledKernel> compile_with_enough_stack(const Order& order) {
  constexpr size_t kNeeded = size_t{1} << 20;
  if (stack_left() >= kNeeded) {
    return compile_and_link(order);
  }
  Errand errand{order, {}, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 8 * kNeeded);
  pthread_t thread{};
  int error = pthread_create(&thread, &attributes, run_errand, &errand);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    throw RuntimeError(fmt::format("cannot start a thread to compile `{}`: {}", order.program.name,
                                   std::strerror(error)));
  }
  pthread_join(thread, nullptr);
  if (errand.error) {
    std::rethrow_exception(errand.error);
  }
  return std::move(errand.kernels);
}

/// The text of a kernel with all mentions of its name taken out (what it is called does not matter)
/// and the machine code that it calls.
std::string anonymous(const Program& program, const Kernel& kernel) {
  std::string text =
      program.source.substr(kernel.source_begin, kernel.source_end - kernel.source_begin);
  for (size_t at = 0; (at = text.find(kernel.name, at)) != std::string::npos; ++at) {
    text.replace(at, kernel.name.size(), "$");
  }
  for (const MachineRoutine& routine : program.routines) {
    if (text.find(routine.name) != std::string::npos) {
      text.append(routine.code.begin(), routine.code.end());
    }
  }
  return text;
}

class TccExecutable final : public KernelExecutable {
 public:
  TccExecutable(const Program& program, std::vector<CompiledKernel> code,
                std::shared_ptr<Workers> workers)
      : KernelExecutable(program, functions_of(code), nullptr, std::move(workers)),
        kernels_(program.kernels),
        code_(std::move(code)) {}

  std::vector<MachineCode> machine_code() const override {
    std::vector<MachineCode> out;
    for (size_t i = 0; i < kernels_.size(); ++i) {
      out.push_back({kernels_[i].name, code_[i].instructions});
    }
    return out;
  }

 private:
  static std::vector<KernelFunction> functions_of(const std::vector<CompiledKernel>& code) {
    std::vector<KernelFunction> out;
    for (const CompiledKernel& kernel : code) {
      out.push_back(kernel.function);
    }
    return out;
  }

  std::vector<Kernel> kernels_;
  std::vector<CompiledKernel> code_;  // keeps the instructions
};

}  // namespace

std::unique_ptr<Executable> load_tcc(const Program& program, std::shared_ptr<Workers> workers,
                                     CodeCache* cache) {
  std::vector<CompiledKernel> code(program.kernels.size());
  Order order{program, {}, {}};
  std::vector<std::string> texts(program.kernels.size());
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const Kernel& kernel = program.kernels[i];
    if (cache != nullptr) {
      texts[i] = anonymous(program, kernel);
      if (std::optional<CompiledKernel> known = cache->find(texts[i])) {
        code[i] = std::move(*known);
        continue;
      }
    }
    order.kernels.push_back(i);
  }
  if (order.kernels.size() == program.kernels.size()) {
    order.source = program.source;
  } else if (!order.kernels.empty()) {
    order.source = program.source.substr(0, program.kernels.front().source_begin);
    for (size_t i : order.kernels) {
      const Kernel& kernel = program.kernels[i];
      order.source.append(program.source, kernel.source_begin,
                          kernel.source_end - kernel.source_begin);
    }
  }
  if (!order.kernels.empty()) {
    static std::mutex one_at_a_time;  // libtcc keeps its state in globals
    std::lock_guard lock(one_at_a_time);
    std::vector<CompiledKernel> compiled = compile_with_enough_stack(order);
    for (size_t i = 0; i < compiled.size(); ++i) {
      if (cache != nullptr) {
        cache->add(std::move(texts[order.kernels[i]]), compiled[i]);
      }
      code[order.kernels[i]] = std::move(compiled[i]);
    }
  }
  return std::make_unique<TccExecutable>(program, std::move(code), std::move(workers));
}

// Note [living with libtcc]
// - It calls exit() on unknown options and when memory is out: run_guarded() turns that into a
//   return. What libtcc had allocated is lost then; the failure is an InternalError.
// - Its TCC_RELOCATE_AUTO leaves pages writable and executable, so the image goes to pages of
//   ours, which become read-only and executable when everything is written. Kernels therefore
//   have no writable statics.
// - It wants up to a megabyte of stack for nested expressions: a thread with less hands the work
//   to one with more.
// - Undefined names are errors (tcc_libc.cpp has no dlsym), undeclared functions too (-Werror).
}  // namespace caten::runtime
