// Lines of C within the width of a page.
#pragma once

#include <string>

namespace caten::c {

/// A line of C with its line feed, broken after operators and commas where it is too long.
std::string broken_line(std::string line);

}  // namespace caten::c
