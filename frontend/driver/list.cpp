// --list-passes and --list-rules.
#include <cstdio>

#include "codegen/pipeline.h"
#include "frontend/driver/driver.h"

namespace caten::driver {

int list(Session& session) {
  if (session.options().list_passes) {
    for (const codegen::PassRow& row : codegen::list_passes()) {
      fmt::print("{:<9} {:<22} {:<9} {}\n", row.stage, row.name, row.required ? "required" : "",
                 row.why);
    }
  }
  return kOk;
}

}  // namespace caten::driver
