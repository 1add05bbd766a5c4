// The C library of a file's entries as files: text, header, weights, the example program, and what
// a C compiler of this machine makes of them.
#pragma once

#include <string>
#include <vector>

#include "codegen/pipeline.h"
#include "frontend/driver/session.h"
#include "frontend/tensor/entries.h"

namespace caten::driver {

/// One entry on its way: what the user wrote and what the compiler made of it.
struct Unit {
  tensor::Entry entry;
  std::string c_name;
  codegen::Compilation compilation;
};

/// The text of the C file alone, its parameters as --weights says.
std::string library_source(Session& session, const std::vector<Unit>& units);

/// Writes what -o names and what belongs beside it: the header, the weights, the main program.
void write_library(Session& session, const std::vector<Unit>& units);

}  // namespace caten::driver
