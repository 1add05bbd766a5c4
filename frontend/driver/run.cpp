// `catenc run FILE [ARGS…]`: loads and evaluates a file; its arguments are the list *args*.
#include "frontend/driver/driver.h"
#include "frontend/driver/output.h"

namespace caten::driver {

int run(Session& session) {
  const Options& options = session.options();
  if (options.file.empty() && options.expression.empty()) {
    std::fputs("catenc run: a FILE or --eval TEXT is needed\n", stderr);
    return kUsage;
  }
  lisp::Interpreter& interp = session.interpreter();
  RootedVector<lisp::Value> args(interp.heap());
  for (const std::string& arg : options.args) {
    args.push_back(interp.string(arg));
  }
  lisp::Value name = interp.caten("*ARGS*");
  interp.proclaim_special(name);
  interp.set_symbol_value(name,
                          interp.list(std::span<const lisp::Value>(args.begin(), args.end())));
  if (!options.file.empty()) {
    interp.load_text(options.file == "-" ? "<stdin>" : options.file, read_input(options.file));
  }
  if (!options.expression.empty()) {
    interp.load_text("<eval>", options.expression);
  }
  return kOk;
}

}  // namespace caten::driver
