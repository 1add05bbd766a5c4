// `catenc doctor`: what this build and machine can do.
#include <sys/utsname.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "frontend/driver/driver.h"
#include "generated/version.h"
#include "ir/support/isa.h"
#include "runtime/native_backend.h"

namespace caten::driver {

int doctor(Session& session) {
  utsname machine{};
  ::uname(&machine);
  std::printf("catenc %s on %s %s, %u CPUs\n", CATEN_VERSION, machine.sysname, machine.machine,
              std::thread::hardware_concurrency());
  std::printf("instruction set of kernels: %s (the machine has %s)\n", name(isa()).data(),
              name(machine_isa()).data());
  // The whole way once, on each backend: reading, graph, kernels, a compiler, a number.
  const char* probe =
      "(let ((x (make-tensor '(4) :initial-element 2.0))) (item (proceed (!sum (!* x x)))))";
  lisp::Interpreter& interp = session.interpreter();
  const std::optional<std::string> compiler = runtime::native_compiler();
  std::printf("C compiler of the backends cc and auto: %s\n",
              compiler ? compiler->c_str() : "none in PATH");
  for (const char* backend : {"INTERP", "TCC", "CC"}) {
    if (std::string_view(backend) == "CC" && !compiler) {
      continue;
    }
    interp.set_symbol_value(interp.caten("*BACKEND*"), interp.keyword(backend));
    lisp::Value value = interp.eval_text(probe);
    bool ok = interp.print(value) == "16.0";
    std::printf("backend %s: %s\n", backend, ok ? "ok" : "WRONG");
    if (!ok) {
      return kInternal;
    }
  }
  return kOk;
}

}  // namespace caten::driver
