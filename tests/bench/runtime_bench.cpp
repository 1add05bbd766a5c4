// What the runtime itself costs: C text to callable code, and the overhead of one run.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "runtime/executor.h"
#include "runtime/thread_pool.h"

namespace caten::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Microseconds of the best and the median of `repeats` calls.
template <typename Body>
void report(const std::string& what, int repeats, Body body) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    auto start = Clock::now();
    body();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  fmt::print("{:<44} best {:>9.2f} us   median {:>9.2f} us\n", what, times.front(),
             times[times.size() / 2]);
}

/// y(n) = sin(sin(x + 1.5)), in `kernels` copies of which the first is called.
Program program_of(int kernels) {
  Program program;
  program.name = "bench";
  program.symbols = {"n"};
  SizeExpr n{{{SizeExpr::Op::Symbol, 0}}};
  program.buffers = {{.name = "x", .kind = BufferKind::Input, .shape = {n}},
                     {.name = "y", .kind = BufferKind::Output, .shape = {n}}};
  program.inputs = {0};
  program.outputs = {1};
  program.arena_bytes = SizeExpr::number(0);
  program.source = "float sinf(float x);\n";
  for (int i = 0; i < kernels; ++i) {
    std::string name = fmt::format("k{}", i);
    program.source += fmt::format(
        "int {}(void *const *b, const long *s, long *d) {{\n"
        "  const float *x = (const float *)b[0];\n  float *y = (float *)b[1];\n  long i;\n"
        "  for (i = 0; i < s[0]; i++) {{\n    float t0 = x[i];\n    float t1 = t0 + 1.5f;\n"
        "    float t2 = sinf(t1);\n    y[i] = sinf(t2);\n  }}\n  return 0;\n}}\n",
        name);
    program.kernels.push_back({name, 2});
  }
  program.calls = {{0, {0, 1}}};
  return program;
}

void compile_latency() {
  for (int kernels : {1, 10, 100}) {
    Program program = program_of(kernels);
    report(fmt::format("load_tcc, {} kernels", kernels), 300, [&] { load_tcc(program); });
  }
}

void run_overhead() {
  auto program = std::make_shared<Program>(program_of(1));
  Executor executor(program, load_tcc(*program));
  RunArguments empty{.inputs = {Storage::allocate(DType::Float32, {0})}};
  RunResult result;
  report("1000 x run_into, 0 elements, outputs reused", 200, [&] {
    for (int i = 0; i < 1000; ++i) {
      executor.run_into(empty, result);
    }
  });
  report("1000 x run, 0 elements, new outputs", 200, [&] {
    for (int i = 0; i < 1000; ++i) {
      executor.run(empty);
    }
  });
}

void fork_and_join() {
  ThreadPool pool(default_thread_count());
  report(fmt::format("1000 x empty parallel_for, {} threads", pool.threads()), 100, [&] {
    for (int i = 0; i < 1000; ++i) {
      pool.parallel_for(
          8, 1, [](void*, int64_t, int64_t) {}, nullptr);
    }
  });
}

}  // namespace
}  // namespace caten::runtime

int main() {
  caten::runtime::compile_latency();
  caten::runtime::run_overhead();
  caten::runtime::fork_and_join();
  return 0;
}
