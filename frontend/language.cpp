// See language.h.
#include "frontend/language.h"

#include "frontend/builtins/builtins.h"
#include "frontend/stdlib_texts.h"

namespace caten {

void install_language([[maybe_unused]] lisp::Interpreter& interp) {
}

void load_stdlib(lisp::Interpreter& interp) {
  for (const LibraryText& file : stdlib_texts()) {
    interp.load_library(std::string(file.name), std::string(file.text));
  }
}

}  // namespace caten
