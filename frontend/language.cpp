// Installs the language: see language.h.
#include "frontend/language.h"

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/clos/tables.h"

namespace caten {

void install_language(lisp::Interpreter& interp) {
  lisp::install_library(interp);
  lisp::install_objects(interp);
  lisp::install_tensors(interp);
  interp.cl_package().locked = true;
}

}  // namespace caten
