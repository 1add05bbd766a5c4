// The executor checks what arrives, infers sizes, reuses memory, and lets runs overlap.
#include "runtime/executor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <thread>

namespace caten::runtime {
namespace {

using Op = SizeExpr::Op;

/// An executable made of a function.
class Native final : public Executable {
 public:
  using Body = std::function<void(std::span<const int64_t>, std::span<void* const>)>;
  explicit Native(Body body) : body_(std::move(body)) {}
  void run(std::span<const int64_t> sizes, std::span<void* const> buffers) const override {
    body_(sizes, buffers);
  }

 private:
  Body body_;
};

SizeExpr symbol(int index) {
  return {{{Op::Symbol, index}}};
}

/// z(n, m+1) = x(n, m+1) + y(m+1), by way of a temporary.
std::shared_ptr<Program> sum_program() {
  auto program = std::make_shared<Program>();
  program->name = "sum";
  program->symbols = {"n", "m"};
  SizeExpr m1{{{Op::Symbol, 1}, {Op::Const, 1}, {Op::Add, 0}}};
  SizeExpr bytes{{{Op::Symbol, 1}, {Op::Const, 1}, {Op::Add, 0}, {Op::Const, 64}, {Op::Mul, 0}}};
  program->buffers = {
      {.name = "x", .kind = BufferKind::Input, .shape = {symbol(0), m1}},
      {.name = "y", .kind = BufferKind::Input, .shape = {m1}},
      {.name = "z", .kind = BufferKind::Output, .shape = {symbol(0), m1}},
      {.kind = BufferKind::Temporary, .shape = {m1}, .arena_offset = SizeExpr::number(0)},
  };
  program->inputs = {0, 1};
  program->outputs = {2};
  program->arena_bytes = bytes;
  return program;
}

std::shared_ptr<Executable> sum_executable() {
  return std::make_shared<Native>(
      [](std::span<const int64_t> sizes, std::span<void* const> buffers) {
        auto* x = static_cast<const float*>(buffers[0]);
        auto* y = static_cast<const float*>(buffers[1]);
        auto* z = static_cast<float*>(buffers[2]);
        auto* t = static_cast<float*>(buffers[3]);
        int64_t width = sizes[1] + 1;
        std::memcpy(t, y, static_cast<size_t>(width) * sizeof(float));
        for (int64_t i = 0; i < sizes[0] * width; ++i) {
          z[i] = x[i] + t[i % width];
        }
      });
}

StoragePtr filled(std::vector<int64_t> shape, double value, DType dtype = DType::Float32) {
  StoragePtr storage = Storage::allocate(dtype, std::move(shape));
  for (int64_t i = 0; i < storage->elements(); ++i) {
    storage->set(i, Scalar::of_double(DType::Float64, value));
  }
  return storage;
}

std::string error_of(const Executor& executor, const RunArguments& arguments) {
  try {
    executor.run(arguments);
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Executor, InfersSizesAndReturnsRealShapes) {
  Executor sum(sum_program(), sum_executable());
  RunResult result = sum.run({.inputs = {filled({2, 4}, 1.5), filled({4}, 2.0)}});
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs[0]->shape(), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(result.sizes, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(result.outputs[0]->at(7).as_double(), 3.5);
}

TEST(Executor, TakesInputsByNameInAnyOrder) {
  Executor sum(sum_program(), sum_executable());
  RunResult result = sum.run({.named = {{"y", filled({1}, 2.0)}, {"x", filled({3, 1}, 1.0)}}});
  EXPECT_EQ(result.outputs[0]->shape(), (std::vector<int64_t>{3, 1}));
  result = sum.run({.inputs = {filled({3, 1}, 1.0)}, .named = {{"y", filled({1}, 2.0)}}});
  EXPECT_EQ(result.outputs[0]->at(2).as_double(), 3.0);
}

TEST(Executor, NamesWhatIsWrong) {
  Executor sum(sum_program(), sum_executable());
  StoragePtr x = filled({2, 4}, 1);
  StoragePtr y = filled({4}, 1);
  EXPECT_EQ(error_of(sum, {.inputs = {x}}),
            "`sum`: input `y` is missing, expected float32 ((+ m 1))");
  EXPECT_EQ(error_of(sum, {.inputs = {x, y, y}}), "`sum`: got 3 inputs, expected 2");
  EXPECT_EQ(error_of(sum, {.inputs = {x, y}, .named = {{"x", x}}}),
            "`sum`: input `x` is given twice");
  EXPECT_EQ(error_of(sum, {.inputs = {x}, .named = {{"why", y}}}),
            "`sum`: no input is named `why`; the inputs are `x`, `y`");
  EXPECT_EQ(error_of(sum, {.inputs = {x, filled({4}, 1, DType::Int64)}}),
            "`sum`: input `y` has the wrong dtype; got int64 (4), expected float32 ((+ m 1))");
  EXPECT_EQ(error_of(sum, {.inputs = {x, filled({4, 1}, 1)}}),
            "`sum`: input `y` has rank 2, expected 1; got float32 (4 1), expected float32 "
            "((+ m 1))");
  EXPECT_EQ(error_of(sum, {.inputs = {x, filled({5}, 1)}}),
            "`sum`: axis 0 of input `y` is 5, expected (+ m 1) = 4; got float32 (5), expected "
            "float32 ((+ m 1))");
  EXPECT_EQ(error_of(sum, {.inputs = {x, y}, .sizes = {{"n", 3}}}),
            "`sum`: axis 0 of input `x` is 2, expected n = 3; got float32 (2 4), expected float32 "
            "(n (+ m 1))");
  EXPECT_EQ(error_of(sum, {.inputs = {x, y}, .sizes = {{"k", 3}}}),
            "`sum`: no size is named `k`; the sizes are `n`, `m`");
  EXPECT_EQ(error_of(sum, {.inputs = {x, y}, .sizes = {{"n", -1}}}),
            "`sum`: size `n` is -1, expected 0 or more");
  EXPECT_EQ(error_of(sum, {.inputs = {x, y}, .sizes = {{"n", 2}, {"n", 3}}}),
            "`sum`: size `n` is given as 2 and as 3");
  // m = -1 solves 0 = m + 1, but sizes are not negative.
  EXPECT_EQ(error_of(sum, {.inputs = {filled({2, 0}, 1), filled({0}, 1)}}),
            "`sum`: size `m` is not given and does not follow from the shapes of the inputs");
}

TEST(Executor, SizeRelationsAreCheckedAtEntry) {
  auto program = sum_program();
  program->checks = {{symbol(0), symbol(1), "axis 0 of `x` is {left}, `m` is {right}", {}}};
  Executor sum(program, sum_executable(), {}, {.entry = "(add x y)"});
  EXPECT_EQ(error_of(sum, {.inputs = {filled({2, 4}, 1), filled({4}, 1)}}),
            "`(add x y)`: axis 0 of `x` is 2, `m` is 3");
  EXPECT_EQ(error_of(sum, {.inputs = {filled({3, 4}, 1), filled({4}, 1)}}), "no error");
}

TEST(Executor, OverflowingSizesAreErrorsBeforeAllocation) {
  auto program = std::make_shared<Program>();
  program->name = "big";
  program->symbols = {"n"};
  SizeExpr square{{{Op::Symbol, 0}, {Op::Symbol, 0}, {Op::Mul, 0}}};
  SizeExpr less{{{Op::Symbol, 0}, {Op::Const, 5}, {Op::Sub, 0}}};
  program->buffers = {{.name = "z", .kind = BufferKind::Output, .shape = {square}},
                      {.name = "w", .kind = BufferKind::Output, .shape = {less}}};
  program->outputs = {0, 1};
  program->arena_bytes = SizeExpr::number(0);
  Executor big(program, std::make_shared<Native>([](auto, auto) {}));
  EXPECT_EQ(error_of(big, {.sizes = {{"n", int64_t{1} << 40}}}),
            "`big`: a size of `z` is beyond int64: (* n n)");
  EXPECT_EQ(error_of(big, {.sizes = {{"n", 3}}}), "`big`: a size of `w` is negative: (- n 5)");
  EXPECT_EQ(error_of(big, {.sizes = {{"n", int64_t{5} << 29}}}),
            "`big`: an array of float32 (7205759403792793600) is too large");
}

TEST(Executor, ParamsAreCheckedAndReturnedAsTheyAre) {
  auto program = std::make_shared<Program>();
  program->name = "step";
  program->buffers = {{.name = "w",
                       .kind = BufferKind::Param,
                       .shape = {SizeExpr::number(2)},
                       .storage = 1,
                       .written = true}};
  program->outputs = {0, 0};
  program->arena_bytes = SizeExpr::number(0);
  auto body = std::make_shared<Native>(
      [](auto, std::span<void* const> buffers) { static_cast<float*>(buffers[0])[1] += 1; });
  StoragePtr w = filled({2}, 1);
  Executor step(program, body, {nullptr, w});
  step.run({});
  RunResult result = step.run({});
  EXPECT_EQ(result.outputs[0], w);
  EXPECT_EQ(result.outputs[1], w);
  EXPECT_EQ(w->at(1).as_double(), 3.0);
  Executor wrong(program, body, {nullptr, filled({3}, 1)});
  EXPECT_EQ(error_of(wrong, {}),
            "`step`: axis 0 of parameter `w` is 3, expected 2; got float32 (3), expected float32 "
            "(2)");
}

TEST(Executor, ReusesArenaAndOutputs) {
  auto counter = std::make_shared<ByteCounter>();
  Executor sum(sum_program(), sum_executable(), {}, {.counter = counter});
  RunArguments arguments{.inputs = {filled({2, 4}, 1), filled({4}, 1)}};
  RunResult result;
  sum.run_into(arguments, result);
  Storage* first = result.outputs[0].get();
  int64_t live = counter->live();
  sum.run_into(arguments, result);
  EXPECT_EQ(result.outputs[0].get(), first);
  EXPECT_EQ(counter->live(), live);
  StoragePtr kept = result.outputs[0];
  sum.run_into(arguments, result);
  EXPECT_NE(result.outputs[0].get(), first);
}

TEST(Executor, OverlappingRunsDoNotShareMemory) {
  Executor sum(sum_program(), sum_executable());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        int64_t width = 1 + (i * 7 + t) % 50;
        RunResult result = sum.run({.inputs = {filled({3, width}, t), filled({width}, i)}});
        for (int64_t e = 0; e < 3 * width; ++e) {
          wrong += result.outputs[0]->at(e).as_double() != t + i;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace caten::runtime
