// One entry of the emitted library: its functions, and what the header says about them.
#pragma once

#include <string>
#include <unordered_map>

#include "codegen/c/names.h"
#include "codegen/c/spelling.h"
#include "codegen/pipeline.h"

namespace caten::c {

/// What the entries of one library share.
struct LibraryState {
  Uses uses;
  std::string status_prefix;  // "KERNELS"
  const SourceMap* sources = nullptr;
  LocalNames function_names;
  std::unordered_map<std::string, std::string> kernels;  // text without names -> function
};

struct EntryText {
  std::string header;
  std::string source;
};

EntryText emit_entry(const codegen::LibraryEntry& entry, LibraryState& library);

}  // namespace caten::c
