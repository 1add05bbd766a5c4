// Runs kernels for kernels.py: reads lines "NAME" from standard input, answers each with
// nanoseconds of the fastest of a few runs, compiled for tcc: processor time on one thread, elapsed
// time where its argument names more. A name is an expression of the table below and its sizes:
// "softmax 1024 1024".
#include <fmt/core.h>

#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "codegen/pipeline.h"
#include "runtime/backend.h"
#include "runtime/workers.h"
#include "tests/unit/codegen/graphs.h"

namespace caten {
namespace {

using air::NodeId;
using air::Op;
using testing::GraphMaker;
using Sizes = std::vector<int64_t>;

Shape shape(std::initializer_list<int64_t> dims) {
  Shape out;
  for (int64_t dim : dims) {
    out.emplace_back(dim);
  }
  return out;
}

/// A chain of cheap operations on two arrays.
NodeId chain(GraphMaker& g, int operations, int64_t n) {
  const NodeId x = g.input("x", shape({n}));
  const NodeId y = g.input("y", shape({n}));
  NodeId value = x;
  for (int i = 0; i < operations; ++i) {
    value = i % 4 == 0   ? g.add(value, y)
            : i % 4 == 1 ? g.mul(value, x)
            : i % 4 == 2 ? g.sub(value, y)
                         : g.op(Op::Max, value, g.number(0.25));
  }
  return value;
}

NodeId elementary(GraphMaker& g, Op op, int64_t n) {
  return g.op(op, g.input("x", shape({n})));
}

NodeId product(GraphMaker& g, int64_t n) {
  return g.matmul(g.input("x", shape({n, n})), g.input("y", shape({n, n})));
}

using Maker = std::function<NodeId(GraphMaker&, const Sizes&)>;

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all = {
      {"chain2", [](auto& g, const Sizes& s) { return chain(g, 2, s[0]); }},
      {"chain4", [](auto& g, const Sizes& s) { return chain(g, 4, s[0]); }},
      {"chain12", [](auto& g, const Sizes& s) { return chain(g, 12, s[0]); }},
      {"exp", [](auto& g, const Sizes& s) { return elementary(g, Op::Exp, s[0]); }},
      {"log", [](auto& g, const Sizes& s) { return elementary(g, Op::Log, s[0]); }},
      {"sin", [](auto& g, const Sizes& s) { return elementary(g, Op::Sin, s[0]); }},
      {"tanh", [](auto& g, const Sizes& s) { return elementary(g, Op::Tanh, s[0]); }},
      {"erf", [](auto& g, const Sizes& s) { return elementary(g, Op::Erf, s[0]); }},
      {"silu",
       [](auto& g, const Sizes& s) {
         const NodeId x = g.input("x", shape({s[0]}));
         return g.div(x, g.add(g.number(1), g.exp(g.op(Op::Neg, x))));
       }},
      {"gelu", [](auto& g, const Sizes& s) { return g.gelu(g.input("x", shape({s[0]}))); }},
      {"softmax",
       [](auto& g, const Sizes& s) {
         return g.softmax(g.input("x", shape({s[0], s[1]})), -1);
       }},
      {"layer-norm",
       [](auto& g, const Sizes& s) {
         return g.layer_norm(g.input("x", shape({s[0], s[1]})), g.input("scale", shape({s[1]})),
                             g.input("shift", shape({s[1]})));
       }},
      {"sum-rows",
       [](auto& g, const Sizes& s) {
         return g.sum(g.input("x", shape({s[0], s[1]})), 1);
       }},
      {"sum-columns",
       [](auto& g, const Sizes& s) {
         return g.sum(g.input("x", shape({s[0], s[1]})), 0);
       }},
      {"transpose",
       [](auto& g, const Sizes& s) {
         return g.permute(g.input("x", shape({s[0], s[1]})), {1, 0});
       }},
      {"matmul", [](auto& g, const Sizes& s) { return product(g, s[0]); }},
      {"matmul-bias-gelu",
       [](auto& g, const Sizes& s) {
         return g.gelu(g.add(product(g, s[0]), g.input("bias", shape({s[0]}))));
       }},
  };
  return all;
}

double nanoseconds(int threads) {
  timespec t{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// A compiled expression with its arrays.
class Row {
 public:
  Row(const std::string& line, std::shared_ptr<runtime::Workers> workers)
      : threads_(workers->threads()) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    Sizes sizes;
    for (int64_t size = 0; words >> size;) {
      sizes.push_back(size);
    }
    GraphMaker g;
    g.output("out", makers().at(name)(g, sizes));
    codegen::PassContext context;
    const codegen::Compilation compilation = codegen::compile(g.graph, "bench", context);
    const runtime::Program& program = compilation.program;
    executable_ = runtime::load_tcc(program, std::move(workers));
    const auto arena = static_cast<size_t>(program.arena_bytes.evaluate({}).value());
    std::byte* temporaries = allocate(arena);
    for (const runtime::Buffer& buffer : program.buffers) {
      if (buffer.kind == runtime::BufferKind::Temporary) {
        pointers_.push_back(temporaries + buffer.arena_offset.evaluate({}).value());
        continue;
      }
      auto bytes = static_cast<size_t>(size_of(buffer.dtype));
      for (const runtime::SizeExpr& size : buffer.shape) {
        bytes *= static_cast<size_t>(size.evaluate({}).value());
      }
      std::byte* place = allocate(bytes);
      auto* numbers = reinterpret_cast<float*>(place);
      for (size_t i = 0; i < bytes / sizeof(float); ++i) {
        numbers[i] = static_cast<float>(i * 7919 % 1000) / 500.0F - 0.9F;
      }
      pointers_.push_back(place);
    }
    executable_->run({}, pointers_);
  }

  double least_nanoseconds() const {
    constexpr double kTime = 1.5e7;
    double least = 1e18;
    double total = 0;
    for (int i = 0; i < 3 || total < kTime; ++i) {
      const double start = nanoseconds(threads_);
      executable_->run({}, pointers_);
      const double time = nanoseconds(threads_) - start;
      least = std::min(least, time);
      total += time;
    }
    return least;
  }

 private:
  std::byte* allocate(size_t bytes) {
    constexpr size_t kAlignment = 64;
    memory_.emplace_back(bytes + kAlignment);
    auto address = reinterpret_cast<uintptr_t>(memory_.back().data());
    return memory_.back().data() + (kAlignment - address % kAlignment) % kAlignment;
  }

  int threads_;
  std::unique_ptr<runtime::Executable> executable_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<void*> pointers_;
};

void serve(int threads) {
  const auto workers = std::make_shared<runtime::Workers>(threads);
  std::map<std::string, Row> rows;
  for (std::string line; std::getline(std::cin, line);) {
    auto found = rows.find(line);
    if (found == rows.end()) {
      found = rows.emplace(std::piecewise_construct, std::forward_as_tuple(line),
                           std::forward_as_tuple(line, workers))
                  .first;
    }
    fmt::print("{}\n", found->second.least_nanoseconds());
    std::cout.flush();
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace caten

int main(int argc, char** argv) {
  caten::serve(argc > 1 ? std::atoi(argv[1]) : 1);
}
