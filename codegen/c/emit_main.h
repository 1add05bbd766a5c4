// The example program of a library: runs its functions on .npy files and prints what they return.
// One function per entry comes from EntryPrinter::main_function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/c/emit_entry.h"

namespace caten::c {

/// Whether the main program defines a function or type of this name itself.
bool is_name_of_main(std::string_view identifier);

/// A function of the library and the one of the program that runs it.
struct MainRow {
  std::string c_name;
  std::string runner;
};

/// The whole text around `functions`, which are EntryText::main.
std::string main_text(std::string_view header_name, const LibraryState& library,
                      const std::string& functions, const std::vector<MainRow>& rows);

}  // namespace caten::c
