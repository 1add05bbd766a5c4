// Restarts: the objects that restart-case establishes. The dynamic variable %*RESTARTS* holds the
// active ones, innermost first.
#pragma once

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

struct Restart : HeapObject {
  Value name = Value::nil();
  Value function;                    // does the non-local exit
  Value report = Value::nil();       // a string, a function of a stream, or NIL
  Value test = Value::nil();         // a function of a condition, or NIL
  Value interactive = Value::nil();  // a function that gives a list of arguments, or NIL
  static const ObjectType kType;
};

/// What (princ restart) shows.
std::string restart_report(Interpreter& interp, const Restart& restart);
void install_restarts(Interpreter& interp);

}  // namespace caten::lisp
