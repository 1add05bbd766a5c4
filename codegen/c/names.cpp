// Name mangling. See Note [name mangling].
#include "codegen/c/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace caten::c {
namespace {

constexpr std::array kReserved = std::to_array<std::string_view>({
#include "codegen/c/reserved_names.def"
});
static_assert(std::is_sorted(kReserved.begin(), kReserved.end()));

constexpr size_t kMaxLength = 100;
constexpr size_t kKeptLength = 60;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The capital that stands for a character after an underscore; 0 for none.
char letter_of(char c) {
  constexpr std::string_view kFrom = "*+/=<>?!%&.~:@$^";
  constexpr std::string_view kTo = "SPVELGQBRADTKMOW";
  const size_t at = kFrom.find(c);
  return at == std::string_view::npos ? '\0' : kTo[at];
}

uint64_t hash_text(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

std::string escape(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool after_line = i > 0 && (name[i - 1] == '-' || name[i - 1] == '_');
    if (is_lower(c) || is_digit(c)) {
      out += c;
    } else if (c == '-' && !after_line && i > 0 && i + 1 < name.size()) {
      out += '_';
    } else if (c == '-') {
      out += "_H";
    } else if (c == '_') {
      out += "__";
    } else if (is_upper(c)) {
      out += "_C";
      out += c;
    } else if (const char letter = letter_of(c)) {
      out += '_';
      out += letter;
    } else {
      out += fmt::format("_X{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (out.empty() || !is_lower(out.front())) {
    out.insert(0, "N");
  }
  return out;
}

}  // namespace

bool is_reserved(std::string_view identifier) {
  return std::binary_search(kReserved.begin(), kReserved.end(), identifier);
}

std::string c_identifier(std::string_view name) {
  std::string out = escape(name);
  if (out.size() > kMaxLength) {
    out = fmt::format("{}_Z{:016x}", out.substr(0, kKeptLength), hash_text(name));
  }
  if (is_reserved(out)) {
    out += '_';
  }
  return out;
}

bool LocalNames::is_taken(const std::string& name) const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [&](const std::set<std::string>& scope) { return scope.contains(name); });
}

std::string LocalNames::declare(std::string_view wanted) {
  constexpr std::string_view kReduction = "-reduction";  // of class names: the maximum of a row
  if (wanted.ends_with(kReduction) || wanted.ends_with("_reduction")) {
    wanted.remove_suffix(kReduction.size());
  }
  std::string base;
  for (char c : wanted.substr(0, kKeptLength)) {
    if (is_lower(c) || is_digit(c)) {
      base += c;
    } else if (is_upper(c)) {
      base += static_cast<char>(c - 'A' + 'a');
    } else if (!base.empty() && base.back() != '_') {
      base += '_';
    }
  }
  while (!base.empty() && base.back() == '_') {
    base.pop_back();
  }
  if (base.empty() || is_digit(base.front())) {
    base.insert(0, "v");
  }
  if (is_reserved(base)) {
    base += '_';
  }
  std::string name = base;
  if (is_taken(name)) {
    int& number = next_.try_emplace(base, 2).first->second;
    do {
      name = fmt::format("{}{}{}", base, base.back() == '_' ? "" : "_", number++);
    } while (is_taken(name));
  }
  scopes_.back().insert(name);
  return name;
}

// Note [name mangling]
// Lower-case letters and digits stand for themselves, `-` becomes `_`, `_` becomes `__`. Everything
// else is an underscore and a capital, which nothing else produces: `*` is `_S`, `+` is `_P`, a
// capital F is `_CF`, other bytes are `_X` and two hexadecimal digits. A `-` at either end or
// right after another `-` or `_` is `_H`, so that a run of underscores can be read in one way only.
// An identifier that would not begin with a lower-case letter gets the prefix `N`. A reserved name
// gets a trailing underscore, which no other rule leaves there. Very long names keep their
// beginning and end in `_Z` and a 64-bit hash of the whole.

}  // namespace caten::c
