// Compile latency of the tcc target: from an AIR graph to code that can be called, in milliseconds
// of processor time beside the budgets of the rows. Nothing is kept from one compilation to the
// next. `compile_bench ROW…` runs these rows only; `--passes` adds what each pass took.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "codegen/pipeline.h"
#include "ir/air/air.h"
#include "runtime/backend.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

using air::NodeId;
using testing::GraphMaker;

struct Row {
  std::string name;
  double budget;  // milliseconds; 0: none
  std::function<void(GraphMaker&)> make;
};

/// A padded 3x3 convolution as the library lowers it (`catenc --emit=air`).
constexpr std::string_view kConvolution = R"((symbols n)
%0 = (input float32 (n 16 32 32) x)
%1 = (input float32 (32 16 3 3) w)
%2 = (pad float32 (n 16 34 34) %0 ((0 0) (0 0) (1 1) (1 1)) 0.0)
%3 = (reshape float32 (n 16 1 34 34) %2)
%4 = (expand float32 (n 16 6 34 34) %3)
%5 = (reshape float32 (n 16 204 34) %4)
%6 = (slice float32 (n 16 105 34) %5 ((0 n 1) (0 16 1) (0 105 1) (0 34 1)))
%7 = (reshape float32 (n 16 3 35 34) %6)
%8 = (slice float32 (n 16 3 32 34) %7 ((0 n 1) (0 16 1) (0 3 1) (0 32 1) (0 34 1)))
%9 = (reshape float32 (n 16 3 32 1 34) %8)
%10 = (expand float32 (n 16 3 32 6 34) %9)
%11 = (reshape float32 (n 16 3 32 204) %10)
%12 = (slice float32 (n 16 3 32 105) %11 ((0 n 1) (0 16 1) (0 3 1) (0 32 1) (0 105 1)))
%13 = (reshape float32 (n 16 3 32 3 35) %12)
%14 = (slice float32 (n 16 3 32 3 32) %13 ((0 n 1) (0 16 1) (0 3 1) (0 32 1) (0 3 1) (0 32 1)))
%15 = (permute float32 (n 16 32 32 3 3) %14 (0 1 3 5 2 4))
%16 = (reshape float32 (n 1 1 16 32 32 3 3) %15)
%17 = (expand float32 (n 1 32 16 32 32 3 3) %16)
%18 = (reshape float32 (1 1 32 16 1 1 3 3) %1)
%19 = (expand float32 (n 1 32 16 32 32 3 3) %18)
%20 = (mul float32 (n 1 32 16 32 32 3 3) %17 %19)
%21 = (reduce float32 (n 1 32 1 32 32 1 1) %20 add (3 6 7))
%22 = (reshape float32 (n 32 32 32) %21)
(inputs %0 %1)
(outputs (out %22))
)";

void layers(GraphMaker& g, int count, int heads, int width) {
  const Dim n = Dim::symbol("n");
  NodeId x = g.input("x", {1, n, width});
  for (int layer = 0; layer < count; ++layer) {
    x = testing::transformer_block(g, x, 1, n, heads, width, layer * 100);
  }
  g.output("y", x);
}

std::vector<Row> rows() {
  const Dim n = Dim::symbol("n");
  const Dim m = Dim::symbol("m");
  std::vector<Row> out = {
      {"elementwise", 2,
       [=](GraphMaker& g) {
         g.output("y", g.op(air::Op::Sin, g.add(g.input("x", {n, m}), g.number(1))));
       }},
      {"softmax", 2,
       [=](GraphMaker& g) {
         g.output("y", g.softmax(g.input("x", {n, m}), -1));
       }},
      {"matmul", 2,
       [=](GraphMaker& g) {
         g.output("y", g.gelu(g.add(g.matmul(g.input("a", {n, 64}), g.input("b", {64, m})),
                                    g.input("c", {m}))));
       }},
      {"conv", 2, [](GraphMaker& g) { g.graph = air::parse(kConvolution, 0); }},
      {"block", 20, [](GraphMaker& g) { layers(g, 1, 12, 768); }},
      {"gpt2-small", 60, [](GraphMaker& g) { layers(g, 12, 12, 768); }},
  };
  for (const int count : {4, 16, 64}) {
    out.push_back(
        {fmt::format("{} layers", count), 0, [=](GraphMaker& g) { layers(g, count, 4, 64); }});
  }
  return out;
}

double processor_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void run(const Row& row, bool passes) {
  GraphMaker g;
  row.make(g);
  double compile = 1e9;
  double load = 1e9;
  int kernels = 0;
  std::vector<codegen::PassContext::Timing> timings;
  const double start = processor_milliseconds();
  for (int turn = 0; turn < 3 || processor_milliseconds() - start < 300; ++turn) {
    codegen::PassContext context;
    context.keep_texts = false;
    const double before = processor_milliseconds();
    const codegen::Compilation compilation = codegen::compile(g.graph, "bench", context);
    const double compiled = processor_milliseconds();
    const auto executable = runtime::load_tcc(compilation.program);
    const double loaded = processor_milliseconds();
    if (loaded - before < compile + load) {
      compile = compiled - before;
      load = loaded - compiled;
      timings = context.timings;
    }
    kernels = compilation.kernel_count;
  }
  fmt::print("{:<14} {:6} nodes {:4} kernels: {:8.2f} ms to C, {:7.2f} ms tcc, {:8.2f} ms{}\n",
             row.name, g.graph.size(), kernels, compile, load, compile + load,
             row.budget == 0                ? ""
             : compile + load <= row.budget ? fmt::format("  (budget {})", row.budget)
                                            : fmt::format("  (budget {}, missed)", row.budget));
  if (passes) {
    for (const codegen::PassContext::Timing& timing : timings) {
      fmt::print("    {:<18} {:8.3f}\n", timing.pass,
                 std::chrono::duration<double, std::milli>(timing.time).count());
    }
  }
}

}  // namespace
}  // namespace caten

int main(int argc, char** argv) {
  bool passes = false;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--passes") == 0) {
      passes = true;
    } else {
      wanted.emplace_back(argv[i]);
    }
  }
  for (const caten::Row& row : caten::rows()) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), row.name) != wanted.end()) {
      caten::run(row, passes);
    }
  }
  return 0;
}
