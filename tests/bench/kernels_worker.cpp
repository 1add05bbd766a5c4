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
#include <optional>
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

/// "elementary-NAME-DTYPE": the functions that specifications promise.
std::optional<NodeId> specified(GraphMaker& g, const std::string& name, int64_t n) {
  constexpr std::string_view kPrefix = "elementary-";
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const size_t end = name.rfind('-');
  const std::string function = name.substr(kPrefix.size(), end - kPrefix.size());
  const DType dtype = name.substr(end + 1) == "f64" ? DType::Float64 : DType::Float32;
  const NodeId x = g.input("x", shape({n}), dtype);
  const auto number = [&](double value) { return g.number(value, dtype); };
  if (function == "sigmoid") {
    return g.div(number(1), g.add(number(1), g.exp(g.op(Op::Neg, x))));
  }
  if (function == "gelu") {
    return g.mul(g.mul(number(0.5), x), g.op(Op::Erfc, g.mul(x, number(-0.70710678118654752))));
  }
  if (function == "pow") {
    return g.op(Op::Pow, x, g.input("y", shape({n}), dtype));
  }
  const std::map<std::string, Op> ops = {
      {"exp", Op::Exp}, {"exp2", Op::Exp2}, {"log", Op::Log},   {"log2", Op::Log2},
      {"sin", Op::Sin}, {"cos", Op::Cos},   {"tanh", Op::Tanh}, {"erf", Op::Erf},
  };
  return g.op(ops.at(function), x);
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
      {"rms-norm",
       [](auto& g, const Sizes& s) {
         return g.rms_norm(g.input("x", shape({s[0], s[1]})), g.input("scale", shape({s[1]})));
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
    const std::optional<NodeId> function = specified(g, name, sizes[0]);
    g.output("out", function ? *function : makers().at(name)(g, sizes));
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
      // Elementary functions get positive numbers up to 4.
      const float scale = function ? 0.004F : 0.002F;
      const float least = function ? 0.002F : -0.9F;
      const auto fill = [&](auto* numbers) {
        for (size_t i = 0; i < bytes / sizeof *numbers; ++i) {
          numbers[i] = static_cast<float>(i * 7919 % 1000) * scale + least;
        }
      };
      if (buffer.dtype == DType::Float64) {
        fill(reinterpret_cast<double*>(place));
      } else {
        fill(reinterpret_cast<float*>(place));
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
      if (time > 0) {  // the clock of a thread stands still at times when it changes processors
        least = std::min(least, time);
        total += time;
      }
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
