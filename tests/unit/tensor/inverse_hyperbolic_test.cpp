// The inverse hyperbolic functions, which the library composes of others, over all exponents
// against MPFR, through the library. The greatest error per function and backend is printed.
#include <fmt/core.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "runtime/formats/npy.h"
#include "tests/support/ulps.h"
#include "tests/unit/tensor/world.h"

namespace caten {
namespace {

using testing::Exact;
using testing::sweep;
using testing::ulps;

struct Function {
  const char* name;
  int (*reference)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};
constexpr Function kFunctions[] = {
    {"!asinh", mpfr_asinh}, {"!acosh", mpfr_acosh}, {"!atanh", mpfr_atanh}};

class InverseHyperbolic : public testing::World {
 protected:
  template <typename T>
  void check(DType dtype, std::vector<T> xs) {
    // Near the ends of their domains as well.
    for (int k = 1; k < std::numeric_limits<T>::digits; ++k) {
      const T d = std::ldexp(T{1}, -k);
      xs.insert(xs.end(), {1 - d, 1 + d, d - 1, 1 + 3 * d / 2});
    }
    const std::string path = (std::filesystem::temp_directory_path() /
                              fmt::format("catenc_sweep_{}_{}", getpid(), name(dtype)))
                                 .string();
    const runtime::StoragePtr data =
        runtime::Storage::allocate(dtype, {static_cast<int64_t>(xs.size())});
    std::memcpy(data->data(), xs.data(), data->bytes());
    runtime::save_npy(path + ".npy", *data);
    for (const Function& function : kFunctions) {
      std::string line = fmt::format("  {:8} {:8}", name(dtype), function.name);
      for (const char* backend : {"tcc", "interp"}) {
        eval(
            fmt::format("(setf *backend* :{}) (save-npy \"{}.out.npy\" ({} (load-npy \"{}.npy\")))",
                        backend, path, function.name, path));
        const runtime::StoragePtr result = runtime::load_npy(path + ".out.npy");
        double most = 0;
        T where = 0;
        Exact exact;
        for (int64_t i = 0; i < result->elements(); ++i) {
          const T x = xs[static_cast<size_t>(i)];
          mpfr_set_d(exact.get(), static_cast<double>(x), MPFR_RNDN);
          function.reference(exact.get(), exact.get(), MPFR_RNDN);
          const double error = ulps<T>(exact.get(), static_cast<T>(result->at(i).as_double()));
          if (error > most) {
            most = error;
            where = x;
          }
        }
        EXPECT_LE(most, 2) << function.name << " of " << where << " on " << backend;
        line += fmt::format("  {} {:.3f}", backend, most);
      }
      fmt::print("{}\n", line);
    }
    std::filesystem::remove(path + ".npy");
    std::filesystem::remove(path + ".out.npy");
  }
};

TEST_F(InverseHyperbolic, Float32WithinTwoUlps) {
  check(DType::Float32, sweep<float, uint32_t>(6));
}

TEST_F(InverseHyperbolic, Float64WithinTwoUlps) {
  check(DType::Float64, sweep<double, uint64_t>(0));
}

}  // namespace
}  // namespace caten
