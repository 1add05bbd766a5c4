// See language.h.
#include "frontend/language.h"

#include "frontend/builtins/builtins.h"

namespace caten {

void install_language([[maybe_unused]] lisp::Interpreter& interp) {
}

void load_stdlib([[maybe_unused]] lisp::Interpreter& interp) {
}

}  // namespace caten
