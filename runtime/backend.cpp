#include "runtime/backend.h"

#include <fmt/core.h>

#include "ir/support/check.h"

namespace caten::runtime {

void throw_status(const Program& program, const Call& call, int32_t status,
                  std::span<const int64_t, 2> detail) {
  const std::string& kernel = program.kernels[static_cast<size_t>(call.kernel)].name;
  switch (static_cast<Status>(status)) {
    case Status::IndexOutOfRange:
      throw RuntimeError(
          fmt::format("`{}`: index {} is out of range for an axis of size {} (in kernel `{}`)",
                      program.name, detail[0], detail[1], kernel));
    case Status::BadSize:
      throw RuntimeError(fmt::format("`{}`: a size is negative or overflows (in kernel `{}`)",
                                     program.name, kernel));
    case Status::SizeRelation:
      throw RuntimeError(
          fmt::format("`{}`: sizes do not fit together (in kernel `{}`)", program.name, kernel));
    case Status::Ok:
      break;
  }
  CATEN_UNREACHABLE("kernel `{}` of `{}` returned status {}", kernel, program.name, status);
}

}  // namespace caten::runtime
