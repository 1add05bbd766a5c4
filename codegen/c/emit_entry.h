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
  const codegen::LibraryOptions* options = nullptr;
  LocalNames function_names;
  std::unordered_map<std::string, std::string> kernels;  // text without names -> function
  bool reads_weights = false;                            // there is a NAME_params_from_file
  Uses main_uses;                                        // of the main program
};

struct EntryText {
  std::string header;
  std::string source;
  std::string main;  // the function of the main program that runs the entry, when that is wanted
};

/// `runner` names the function of the main program, if there is one.
EntryText emit_entry(const codegen::LibraryEntry& entry, LibraryState& library,
                     const std::string& runner);

}  // namespace caten::c
