// Elementary functions over all exponents, against MPFR: at most 2 units in the last place on every
// target. The greatest error per function and target is printed.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstring>

#include "codegen/pipeline.h"
#include "ir/air/builder.h"
#include "ir/support/isa.h"
#include "tests/support/c_compiler.h"
#include "tests/support/random_source.h"
#include "tests/support/run_graph.h"
#include "tests/support/ulps.h"

namespace caten {
namespace {

using air::Op;
using testing::Exact;
using testing::sweep;
using testing::ulps;

constexpr double kMostUlps = 2;

struct Function {
  Op op;
  int (*reference)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};

int reciprocal(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t mode) {
  return mpfr_ui_div(out, 1, x, mode);
}

constexpr Function kFunctions[] = {
    {Op::Sin, mpfr_sin},   {Op::Cos, mpfr_cos},   {Op::Tan, mpfr_tan},     {Op::Asin, mpfr_asin},
    {Op::Acos, mpfr_acos}, {Op::Atan, mpfr_atan}, {Op::Sinh, mpfr_sinh},   {Op::Cosh, mpfr_cosh},
    {Op::Tanh, mpfr_tanh}, {Op::Exp, mpfr_exp},   {Op::Exp2, mpfr_exp2},   {Op::Expm1, mpfr_expm1},
    {Op::Log, mpfr_log},   {Op::Log2, mpfr_log2}, {Op::Log1p, mpfr_log1p}, {Op::Erf, mpfr_erf},
    {Op::Erfc, mpfr_erfc}, {Op::Sqrt, mpfr_sqrt}, {Op::Recip, reciprocal},
};

template <typename T>
air::Array array_of(DType dtype, const std::vector<T>& numbers) {
  air::Array out = air::Array::zeros(dtype, {static_cast<int64_t>(numbers.size())});
  std::memcpy(out.data.data(), numbers.data(), numbers.size() * sizeof(T));
  return out;
}

/// The greatest error of `ys`, whose exact values `reference` gives by index.
template <typename T, typename Reference>
double worst(const air::Array& ys, Reference reference, int64_t& where) {
  double most = 0;
  Exact exact;
  for (int64_t i = 0; i < ys.elements(); ++i) {
    reference(exact.get(), i);
    const double error = ulps<T>(exact.get(), static_cast<T>(ys.at(i).as_double()));
    if (error > most) {
      most = error;
      where = i;
    }
  }
  return most;
}

struct Target {
  const char* name;
  std::vector<air::Array> results;
};

std::vector<Target> on_every_target(const air::Graph& graph, air::Environment env) {
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(graph, "sweep", context);
  std::vector<Target> targets;
  targets.push_back({"interp", air::evaluate(graph, env)});
  const auto executable = runtime::load_tcc(compilation.program);
  targets.push_back({"tcc", testing::run(compilation, *executable, env)});
  if (testing::has_compiler("gcc")) {
    const auto add = [&](const char* name, const testing::CCompiler& compiler) {
      targets.push_back({name, testing::CLibrary({&compilation}, compiler).run(0, env)});
    };
    add("gcc", {"gcc", "-O2"});
    add("gnu", {"gcc", "-O3", codegen::Target::Gnu});
#ifdef __x86_64__
    if (isa() >= Isa::Avx2) {  // with fused multiply-adds
      add("gnu, fused", {"gcc", "-O3 -march=x86-64-v3", codegen::Target::Gnu});
    }
#endif
  }
  return targets;
}

/// Checks result number `which` of every target and prints its greatest error.
template <typename T, typename Reference, typename Describe>
void check_targets(DType dtype, const char* function, const std::vector<Target>& targets,
                   size_t which, Reference reference, Describe describe) {
  std::string line = fmt::format("  {:8} {:8}", name(dtype), function);
  for (const Target& target : targets) {
    int64_t where = 0;
    const double most = worst<T>(target.results[which], reference, where);
    EXPECT_LE(most, kMostUlps) << function << " of " << name(dtype) << ", " << target.name
                               << ": at " << describe(where) << " it gives "
                               << target.results[which].at(where).as_double();
    line += fmt::format("  {} {:.3f}", target.name, most);
  }
  fmt::print("{}\n", line);
}

template <typename T>
void check(DType dtype, const std::vector<T>& xs) {
  air::Graph graph;
  air::Builder builder(graph);
  const air::NodeId x = builder.input("x", dtype, {Dim::symbol("n")});
  for (const Function& function : kFunctions) {
    graph.outputs.push_back({std::string(air::name(function.op)), builder.unary(function.op, x)});
  }
  air::Environment env;
  env.symbols["n"] = static_cast<int64_t>(xs.size());
  env.inputs["x"] = array_of(dtype, xs);
  const std::vector<Target> targets = on_every_target(graph, env);
  Exact argument;
  for (size_t i = 0; i < std::size(kFunctions); ++i) {
    check_targets<T>(
        dtype, std::string(air::name(kFunctions[i].op)).c_str(), targets, i,
        [&](mpfr_ptr out, int64_t k) {
          mpfr_set_d(argument.get(), static_cast<double>(xs[static_cast<size_t>(k)]), MPFR_RNDN);
          kFunctions[i].reference(out, argument.get(), MPFR_RNDN);
        },
        [&](int64_t k) { return fmt::format("{}", xs[static_cast<size_t>(k)]); });
  }
}

/// Bases of every exponent with exponents that give results over the whole range, and beyond it;
/// bases near 1 with large exponents; negative bases with integers; the special cases of C.
template <typename T>
void powers(std::vector<T> bases, std::vector<T>& xs, std::vector<T>& ys) {
  using Limits = std::numeric_limits<T>;
  testing::RandomSource random(2);
  const auto fraction = [&] { return static_cast<double>(random.bits() >> 11) * 0x1p-53; };
  for (int i = 0; i < 4000; ++i) {
    bases.push_back(static_cast<T>(1 + (fraction() - 0.5) * std::exp2(-10 * fraction())));
  }
  const double lowest = Limits::min_exponent - Limits::digits - 2;
  for (const T base : bases) {
    const double log = std::log2(std::abs(static_cast<double>(base)));
    const double y = (lowest + fraction() * (Limits::max_exponent + 2 - lowest)) / log;
    xs.push_back(base);
    ys.push_back(static_cast<T>(base < 0 ? std::round(y) : y));
  }
  constexpr T kInf = Limits::infinity();
  const T special[] = {0,
                       -T{0},
                       1,
                       -1,
                       2,
                       -2,
                       T{0.5},
                       3,
                       -3,
                       kInf,
                       -kInf,
                       Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       Limits::max()};
  for (const T x : special) {
    for (const T y : special) {
      xs.push_back(x);
      ys.push_back(y);
    }
  }
}

template <typename T>
void check_powers(DType dtype, const std::vector<T>& bases) {
  std::vector<T> xs;
  std::vector<T> ys;
  powers(bases, xs, ys);
  air::Graph graph;
  air::Builder builder(graph);
  const Shape shape = {Dim::symbol("n")};
  graph.outputs.push_back({"pow", builder.binary(Op::Pow, builder.input("x", dtype, shape),
                                                 builder.input("y", dtype, shape))});
  air::Environment env;
  env.symbols["n"] = static_cast<int64_t>(xs.size());
  env.inputs["x"] = array_of(dtype, xs);
  env.inputs["y"] = array_of(dtype, ys);
  Exact base;
  Exact exponent;
  check_targets<T>(
      dtype, "pow", on_every_target(graph, env), 0,
      [&](mpfr_ptr out, int64_t k) {
        mpfr_set_d(base.get(), static_cast<double>(xs[static_cast<size_t>(k)]), MPFR_RNDN);
        mpfr_set_d(exponent.get(), static_cast<double>(ys[static_cast<size_t>(k)]), MPFR_RNDN);
        mpfr_pow(out, base.get(), exponent.get(), MPFR_RNDN);
      },
      [&](int64_t k) {
        return fmt::format("{}, {}", xs[static_cast<size_t>(k)], ys[static_cast<size_t>(k)]);
      });
}

TEST(ElementaryFunctions, Float32WithinTwoUlps) {
  check(DType::Float32, sweep<float, uint32_t>(10));
}

TEST(ElementaryFunctions, Float64WithinTwoUlps) {
  check(DType::Float64, sweep<double, uint64_t>(0));
}

/// Where polynomials change and results pass from one exponent to the next.
TEST(ElementaryFunctions, Float64OfOrdinarySize) {
  testing::RandomSource random(3);
  std::vector<double> xs;
  for (int i = 0; i < 6000; ++i) {
    const double fraction = static_cast<double>(random.bits() >> 11) * 0x1p-53;
    xs.push_back((i % 2 == 0 ? 1 : -1) * std::exp2(12 * fraction - 6));
  }
  check(DType::Float64, xs);
}

TEST(ElementaryFunctions, PowersWithinTwoUlps) {
  check_powers(DType::Float32, sweep<float, uint32_t>(4));
  check_powers(DType::Float64, sweep<double, uint64_t>(0));
}

}  // namespace
}  // namespace caten
