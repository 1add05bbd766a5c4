// Elements for random programs: mostly tame numbers, with the awkward ones among them.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/random_graph.h"
#include "tests/support/random_source.h"

namespace caten::testing {
namespace {

Scalar random_float(RandomSource& random, DType dtype, bool wild) {
  static constexpr std::array kAwkward = {std::numeric_limits<double>::quiet_NaN(),
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          -0.0,
                                          1e-40,
                                          6e-8,
                                          65504.0,
                                          3.4e38,
                                          -1e300,
                                          300.5,
                                          -2147483649.0,
                                          1.8446744073709552e19};
  if (wild && random.chance(6)) {
    return Scalar::of_double(dtype, random.pick(std::span<const double>(kAwkward)));
  }
  if (random.chance(40)) {
    return Scalar::of_double(dtype, static_cast<double>(random.between(-8, 8)) / 2);
  }
  double unit = static_cast<double>(random.bits() >> 11U) * 0x1p-53;
  return Scalar::of_double(dtype,
                           std::ldexp(unit * 2 - 1, static_cast<int>(random.between(-3, 5))));
}

Scalar random_integer(RandomSource& random, DType dtype, bool wild) {
  if (wild && random.chance(10)) {
    unsigned width = static_cast<unsigned>(size_of(dtype)) * 8;
    uint64_t highest = uint64_t{1} << (width - 1);
    return Scalar::of_uint(dtype, random.pick({highest, highest - 1, ~uint64_t{0}, random.bits()}));
  }
  return Scalar::of_int(dtype, random.between(-9, 20));
}

}  // namespace

air::Array random_array(uint64_t seed, DType dtype, std::vector<int64_t> shape, bool wild_values) {
  RandomSource random(seed);
  air::Array array = air::Array::zeros(dtype, std::move(shape));
  for (int64_t i = 0; i < array.elements(); ++i) {
    if (dtype == DType::Bool) {
      array.set(i, Scalar::of_int(dtype, random.below(2)));
    } else {
      array.set(i, is_float(dtype) ? random_float(random, dtype, wild_values)
                                   : random_integer(random, dtype, wild_values));
    }
  }
  return array;
}

std::string describe(const RandomProgram& program) {
  std::string text = fmt::format("; seed {}\n{}", program.seed, air::print(program.graph));
  for (const auto& [symbol, value] : program.environment.symbols) {
    text += fmt::format("; {} = {}\n", symbol, value);
  }
  auto show = [&](const std::string& what, const air::Array& array) {
    text += fmt::format("; {} =", what);
    for (int64_t i = 0; i < std::min<int64_t>(array.elements(), 40); ++i) {
      text += " " + array.at(i).to_string();
    }
    text += array.elements() > 40 ? " ...\n" : "\n";
  };
  for (const auto& [name, array] : program.environment.inputs) {
    show(name, array);
  }
  for (const auto& [storage, array] : program.environment.params) {
    show(fmt::format("p{}", storage), array);
  }
  return text;
}

}  // namespace caten::testing
