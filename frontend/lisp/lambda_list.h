// Lambda lists: of functions (parsed into slots and default forms) and of macros (destructuring,
// rewritten as a let*).
#pragma once

#include "frontend/lisp/analyze.h"

namespace caten::lisp {

/// Parses the lambda list of the analyzer's current function into its scope; the environment with
/// the parameters bound. `declared`: what the body declares.
const Environment* parse_lambda_list(Analyzer& analyzer, Value lambda_list,
                                     const Analyzer::Declarations& declared,
                                     const Environment* env);

/// A form that evaluates `body` (a list of forms, declarations first) with the variables of a
/// destructuring lambda list bound to parts of the value of `source` (a form). `context` names the
/// construct in errors ("macro `foo`"). With `environment` a form, &environment is allowed and
/// bound to its value.
Value expand_destructuring(Interpreter& interp, Value lambda_list, Value source,
                           std::string_view context, Value body, Value environment = Value());

/// The expander of a macro as a form, a function of form and environment. `definition` is
/// (lambda-list . body).
Value macro_lambda(Interpreter& interp, Value name, Value definition);

}  // namespace caten::lisp
