// See language.h.
#include "frontend/language.h"

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/clos/tables.h"
#include "frontend/stdlib_texts.h"

namespace caten {

void install_language(lisp::Interpreter& interp) {
  lisp::install_library(interp);
  lisp::install_objects(interp);
  lisp::install_tensors(interp);
}

void load_stdlib(lisp::Interpreter& interp) {
  for (const LibraryText& file : stdlib_texts()) {
    interp.load_library(std::string(file.name), std::string(file.text));
  }
}

}  // namespace caten
