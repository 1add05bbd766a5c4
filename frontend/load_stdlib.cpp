// Loads the library's code image: see language.h.
#include "frontend/language.h"
#include "frontend/lisp/image.h"
#include "frontend/stdlib_data.h"

namespace caten {

void load_stdlib(lisp::Interpreter& interp) {
  lisp::load_image(interp, stdlib_image(), stdlib_texts());
  interp.cl_package().locked = true;
}

}  // namespace caten
