// Breaks after the operator or comma that the fewest parentheses enclose.
#include "codegen/c/broken_line.h"

#include <algorithm>
#include <string_view>

namespace caten::c {

std::string broken_line(std::string line) {
  constexpr size_t kLineWidth = 100;
  std::string out;
  std::string indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
  line.erase(0, indent.size());
  const size_t more = indent.size() + 4;
  while (indent.size() + line.size() > kLineWidth) {
    // The last place that the fewest parentheses enclose, not in the first third of the line.
    size_t end = 0;
    int least = 0;
    int depth = 0;
    const size_t limit = kLineWidth - indent.size();
    for (size_t at = 0; at < limit; ++at) {
      depth += line[at] == '(' || line[at] == '[' ? 1 : line[at] == ')' || line[at] == ']' ? -1 : 0;
      for (const std::string_view mark :
           {", ", " + ", " * ", " && ", " || ", " ? ", " : ", " = "}) {
        const size_t after = at + mark.size();
        if (after <= limit && after > limit / 3 &&
            std::string_view(line).substr(at, mark.size()) == mark &&
            (end == 0 || depth <= least)) {
          end = after;
          least = depth;
        }
      }
    }
    if (end == 0) {
      break;
    }
    out += indent + line.substr(0, end - 1) + "\n";
    line.erase(0, end);
    indent.assign(more, ' ');
  }
  return out + indent + line + "\n";
}

}  // namespace caten::c
