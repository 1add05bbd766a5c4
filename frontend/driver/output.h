// Output files: written beside their target and renamed, so that a failed or interrupted run never
// leaves half a file. "-" and files that are not regular (/dev/stdout) are written directly.
#pragma once

#include <string>
#include <vector>

namespace caten::driver {

struct OutputFile {
  std::string path;
  std::string text;
  bool executable = false;
};

/// "-", or a file that is there and neither regular nor a directory: what is written has no name
/// beside which others could lie.
bool is_device(const std::string& path);

/// Writes all of the files or none: every temporary is complete before the first rename. Throws
/// CompileError (FileError, `path: error: …`).
void write_outputs(const std::vector<OutputFile>& files);

/// The whole of a file, or of standard input for "-". Throws CompileError (FileError).
std::string read_input(const std::string& path);

}  // namespace caten::driver
