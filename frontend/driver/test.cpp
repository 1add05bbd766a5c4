// `catenc test FILE…`: loads each file, runs its `deftest` forms and reports; 1 when any failed.
#include "frontend/driver/driver.h"
#include "frontend/driver/output.h"

namespace caten::driver {

int test(Session& session) {
  lisp::Interpreter& interp = session.interpreter();
  for (const std::string& file : session.options().files) {
    interp.load_text(file, read_input(file));
  }
  lisp::Value ok = interp.call(interp.caten("RUN-TESTS"), {});
  return ok.is_nil() ? kUserError : kOk;
}

}  // namespace caten::driver
