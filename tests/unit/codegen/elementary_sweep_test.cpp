// Elementary functions over all exponents, against MPFR: at most 2 units in the last place on every
// target. The greatest error per function and target is printed.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>

#include "codegen/pipeline.h"
#include "ir/air/builder.h"
#include "tests/support/c_compiler.h"
#include "tests/support/random_source.h"
#include "tests/support/run_graph.h"

namespace caten {
namespace {

using air::Op;

constexpr double kMostUlps = 2;
constexpr mpfr_prec_t kPrecision = 200;

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

class Number {
 public:
  Number() { mpfr_init2(value_, kPrecision); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// The distance of a float result from the exact one, in units of the last place of the exact one.
template <typename T>
double ulps(mpfr_ptr exact, T given) {
  using Limits = std::numeric_limits<T>;
  if (mpfr_nan_p(exact) != 0 || std::isnan(given)) {
    return (mpfr_nan_p(exact) != 0) == std::isnan(given) ? 0 : HUGE_VAL;
  }
  // Beyond the greatest number, infinity stands for the next power of two.
  Number value;
  if (std::isinf(given)) {
    mpfr_set_ui_2exp(value.get(), 1, Limits::max_exponent, MPFR_RNDN);
    mpfr_setsign(value.get(), value.get(), given < 0 ? 1 : 0, MPFR_RNDN);
    if (mpfr_cmpabs(exact, value.get()) >= 0) {
      return (mpfr_signbit(exact) != 0) == (given < 0) ? 0 : HUGE_VAL;
    }
  } else {
    mpfr_set_d(value.get(), static_cast<double>(given), MPFR_RNDN);
  }
  if (mpfr_inf_p(exact) != 0) {
    return HUGE_VAL;
  }
  constexpr mpfr_exp_t kSmallest = Limits::min_exponent - Limits::digits;
  const mpfr_exp_t unit = mpfr_zero_p(exact) != 0
                              ? kSmallest
                              : std::max(mpfr_get_exp(exact) - Limits::digits, kSmallest);
  mpfr_sub(value.get(), value.get(), exact, MPFR_RNDN);
  mpfr_mul_2si(value.get(), value.get(), -unit, MPFR_RNDN);
  return std::abs(mpfr_get_d(value.get(), MPFR_RNDN));
}

/// Every exponent with both signs: the power of two, the last number before the next one and some
/// between; subnormals, infinities and NaN among them.
template <typename T, typename Bits>
air::Array sweep(DType dtype, int between) {
  constexpr int kFraction = std::numeric_limits<T>::digits - 1;
  const Bits exponents = static_cast<Bits>(1) << (sizeof(Bits) * 8 - 1 - kFraction);
  const Bits fractions = static_cast<Bits>(1) << kFraction;
  testing::RandomSource random(1);
  std::vector<Bits> bits;
  for (Bits exponent = 0; exponent < exponents; ++exponent) {
    for (int k = 0; k < between + 2; ++k) {
      const Bits fraction = k == 0   ? 0
                            : k == 1 ? fractions - 1
                                     : static_cast<Bits>(random.bits()) & (fractions - 1);
      for (Bits sign = 0; sign < 2; ++sign) {
        bits.push_back((sign * exponents + exponent) << kFraction | fraction);
      }
    }
  }
  air::Array out = air::Array::zeros(dtype, {static_cast<int64_t>(bits.size())});
  std::memcpy(out.data.data(), bits.data(), bits.size() * sizeof(Bits));
  return out;
}

template <typename T>
double worst(const Function& function, const air::Array& xs, const air::Array& ys,
             std::string& where) {
  double most = 0;
  Number x;
  Number exact;
  for (int64_t i = 0; i < xs.elements(); ++i) {
    const auto at = static_cast<T>(xs.at(i).as_double());
    const auto given = static_cast<T>(ys.at(i).as_double());
    mpfr_set_d(x.get(), static_cast<double>(at), MPFR_RNDN);
    function.reference(exact.get(), x.get(), MPFR_RNDN);
    const double error = ulps<T>(exact.get(), given);
    if (error > most) {
      most = error;
      where = fmt::format("at {} it gives {}", at, given);
    }
  }
  return most;
}

template <typename T>
void check(DType dtype, const air::Array& xs) {
  air::Graph graph;
  air::Builder builder(graph);
  const air::NodeId x = builder.input("x", dtype, {Dim::symbol("n")});
  for (const Function& function : kFunctions) {
    graph.outputs.push_back({std::string(air::name(function.op)), builder.unary(function.op, x)});
  }
  air::Environment env;
  env.symbols["n"] = xs.elements();
  env.inputs["x"] = xs;
  codegen::PassContext context;
  const codegen::Compilation compilation = codegen::compile(graph, "sweep", context);
  struct Target {
    const char* name;
    std::vector<air::Array> results;
  };
  std::vector<Target> targets;
  targets.push_back({"interp", air::evaluate(graph, env)});
  const auto executable = runtime::load_tcc(compilation.program);
  targets.push_back({"tcc", testing::run(compilation, *executable, env)});
  if (testing::has_compiler("gcc")) {
    const testing::CLibrary library({&compilation}, {"gcc", "-O2"});
    targets.push_back({"gcc", library.run(0, env)});
  }
  for (size_t i = 0; i < std::size(kFunctions); ++i) {
    std::string line = fmt::format("  {:8} {:8}", name(dtype), air::name(kFunctions[i].op));
    for (const Target& target : targets) {
      std::string where;
      const double most = worst<T>(kFunctions[i], xs, target.results[i], where);
      EXPECT_LE(most, kMostUlps) << air::name(kFunctions[i].op) << " of " << name(dtype) << ", "
                                 << target.name << ": " << where;
      line += fmt::format("  {} {:.3f}", target.name, most);
    }
    fmt::print("{}\n", line);
  }
}

TEST(ElementaryFunctions, Float32WithinTwoUlps) {
  check<float>(DType::Float32, sweep<float, uint32_t>(DType::Float32, 10));
}

TEST(ElementaryFunctions, Float64WithinTwoUlps) {
  check<double>(DType::Float64, sweep<double, uint64_t>(DType::Float64, 0));
}

}  // namespace
}  // namespace caten
