// See session.h.
#include "frontend/driver/session.h"

#include "frontend/language.h"

namespace caten::driver {

lisp::Interpreter& Session::interpreter() {
  if (interpreter_ == nullptr) {
    interpreter_ = std::make_unique<lisp::Interpreter>();
    install_language(*interpreter_);
    load_stdlib(*interpreter_);
  }
  return *interpreter_;
}

const SourceMap* Session::sources() const {
  return interpreter_ == nullptr ? nullptr : &interpreter_->sources();
}

}  // namespace caten::driver
