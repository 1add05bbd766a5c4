// `catenc explain-error CODE`: the section of stdlib/errors about a code, with a wrong and a right
// example; without a code, one line for each.
#include <algorithm>
#include <cctype>

#include "frontend/driver/driver.h"
#include "frontend/library_text.h"

namespace caten::driver {
namespace {

/// The section below `## CODE`, up to the next heading, without blank lines around it.
std::string_view section_of(std::string_view code) {
  const std::string heading = fmt::format("\n## {}\n", code);
  for (const LibraryText& file : error_texts()) {
    size_t at = file.text.find(heading);
    if (at == std::string_view::npos) {
      continue;
    }
    std::string_view section = file.text.substr(at + heading.size());
    section = section.substr(0, section.find("\n## "));
    section.remove_prefix(std::min(section.find_first_not_of('\n'), section.size()));
    return section.substr(0, section.find_last_not_of('\n') + 1);
  }
  return {};
}

}  // namespace

int explain_error(Session& session) {
  std::string code = session.options().code;
  std::transform(code.begin(), code.end(), code.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const DiagInfo& info : diagnostics()) {
    if (code.empty()) {
      fmt::print("{}  {}\n", info.code, info.title);
    } else if (info.code == code) {
      fmt::print("{}: {}\n\n{}\n", info.code, info.title, section_of(code));
      return kOk;
    }
  }
  if (!code.empty()) {
    fail(Diag::BadOption, {}, "there is no diagnostic `{}`; `catenc explain-error` lists all",
         code);
  }
  return kOk;
}

}  // namespace caten::driver
