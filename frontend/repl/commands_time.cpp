// :time and :bench.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "frontend/builtins/builtins.h"
#include "frontend/reader/reader.h"
#include "frontend/repl/commands.h"
#include "frontend/repl/expression.h"
#include "frontend/tensor/runtime.h"
#include "frontend/tensor/session.h"

namespace caten::repl {

using lisp::Interpreter;
using lisp::Value;
using tensor::Tensor;
using Seconds = std::chrono::duration<double>;

namespace {

std::string duration_text(double seconds) {
  if (seconds < 1e-6) {
    return fmt::format("{:.0f} ns", seconds * 1e9);
  }
  if (seconds < 1e-3) {
    return fmt::format("{:.1f} us", seconds * 1e6);
  }
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.3f} s", seconds);
}

template <typename F>
double seconds_of(F&& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

/// Runs `action` for about a third of a second; the times of the runs, sorted.
template <typename F>
std::vector<double> sample(F&& action) {
  constexpr double kEnough = 0.3;
  constexpr size_t kMost = 100000;
  std::vector<double> times;
  double total = 0;
  while (times.size() < 3 || (total < kEnough && times.size() < kMost)) {
    times.push_back(seconds_of(action));
    total += times.back();
  }
  std::sort(times.begin(), times.end());
  return times;
}

std::string samples_text(const std::vector<double>& times) {
  return fmt::format("median {}, least {}, {} runs", duration_text(times[times.size() / 2]),
                     duration_text(times.front()), times.size());
}

void computable_tensors(Interpreter& interp, Value primary, RootedVector<Tensor*>& into) {
  RootedVector<Value> values(interp.heap(), interp.values_after(primary));
  for (const Value value : values) {
    if (auto* tensor = value.try_as<Tensor>(); tensor != nullptr && is_computable(*tensor)) {
      into.push_back(tensor);
    }
  }
}

tensor::Runtime* timed_compile(Interpreter& interp, std::span<Tensor* const> tensors,
                               double* seconds) {
  tensor::Runtime* runtime = nullptr;
  *seconds = seconds_of([&] { runtime = tensor::make_runtime(interp, tensors); });
  return runtime;
}

std::string kernels_text(const tensor::Runtime& runtime) {
  const size_t kernels = runtime.forward.executor->program().calls.size();
  return fmt::format("{} kernel{}", kernels, kernels == 1 ? "" : "s");
}

}  // namespace

void command_time(Repl& repl, std::string_view rest) {
  Interpreter& interp = repl.interp();
  Value primary;
  const size_t before = interp.heap().stats().collections;
  const double evaluation = seconds_of([&] { primary = repl.evaluate_one(rest); });
  RootedVector<Tensor*> tensors(interp.heap());
  RootedVector<Value> values(interp.heap(), interp.values_after(primary));
  for (const Value value : values) {
    if (auto* tensor = value.try_as<Tensor>(); tensor != nullptr && is_computable(*tensor)) {
      tensors.push_back(tensor);
    }
  }
  if (tensors.empty()) {
    for (const Value value : values) {
      repl.print(interp.print(value) + "\n");
    }
    repl.print(fmt::format("evaluation {}, {} collections\n", duration_text(evaluation),
                           interp.heap().stats().collections - before));
    return;
  }
  double compilation = 0;
  tensor::Runtime* runtime = timed_compile(interp, tensors.span(), &compilation);
  RootedVector<Tensor*> results(interp.heap());
  const double run = seconds_of([&] { tensor::run_forward(interp, *runtime, {}, results); });
  for (Tensor* result : results) {
    repl.print(interp.print(Value::object(result)) + "\n");
  }
  repl.print(fmt::format("graph {}, compilation {}, run {} ({})\n", duration_text(evaluation),
                         duration_text(compilation), duration_text(run), kernels_text(*runtime)));
}

void command_bench(Repl& repl, std::string_view rest) {
  Interpreter& interp = repl.interp();
  const std::string text(rest);
  const Value primary = repl.evaluate_one(text);
  RootedVector<Tensor*> tensors(interp.heap());
  computable_tensors(interp, primary, tensors);
  if (!tensors.empty()) {
    double compilation = 0;
    tensor::Runtime* runtime = timed_compile(interp, tensors.span(), &compilation);
    const std::vector<double> times = sample([&] {
      RootedVector<Tensor*> results(interp.heap());
      tensor::run_forward(interp, *runtime, {}, results);
    });
    repl.print(fmt::format("{}, compiled in {}; {}\n", kernels_text(*runtime),
                           duration_text(compilation), samples_text(times)));
    return;
  }
  size_t offset = 0;
  const Value form = interp.read(text, &offset);
  const Value function = interp.eval(interp.list({interp.cl("LAMBDA"), Value::nil(), form}));
  const std::vector<double> times = sample([&] { interp.call(function, {}); });
  repl.print(samples_text(times) + "\n");
}

}  // namespace caten::repl
