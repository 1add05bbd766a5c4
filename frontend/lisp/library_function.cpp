// See library_function.h.
#include "frontend/lisp/library_function.h"

#include <unordered_map>

namespace caten::lisp {

namespace {

struct LibraryFunctions {
  explicit LibraryFunctions(Interpreter&) {}
  std::unordered_map<const char*, Value> compiled;  // the functions are permanent
};

}  // namespace

Value library_function(Interpreter& interp, const char* lambda_text) {
  Value& function = interp.state<LibraryFunctions>("library-functions").compiled[lambda_text];
  if (function.is_none()) {
    Interpreter::Binding package(interp, interp.cl("*PACKAGE*"),
                                 Value::object(&interp.caten_package()));
    size_t offset = 0;
    Value lambda = interp.read(lambda_text, &offset);
    Value made = interp.eval(interp.list({interp.cl("FUNCTION"), lambda}));
    interp.permanent().push_back(made);
    interp.state<LibraryFunctions>("library-functions").compiled[lambda_text] = made;
    return made;
  }
  return function;
}

}  // namespace caten::lisp
