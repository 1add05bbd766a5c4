// Build step: compiles the library written in Lisp and writes its code image as a C++ file.
//   compile_stdlib OUTPUT.cpp
#include <fmt/core.h>

#include <cstdio>
#include <cstring>

#include "frontend/language.h"
#include "frontend/lisp/image.h"
#include "frontend/stdlib_data.h"
#include "ir/support/diagnostics.h"

namespace caten {
namespace {

// The bytes as 64-bit words of this machine's order: a compiler reads few large numbers faster
// than many small ones.
std::string image_source(std::vector<uint8_t> image) {
  size_t size = image.size();
  image.resize((size + 7) / 8 * 8, 0);
  std::string out =
      "// The library's code image: generated from stdlib/ by compile_stdlib.\n"
      "#include \"frontend/stdlib_data.h\"\n\nnamespace caten {\nnamespace {\n"
      "constexpr uint64_t kImage[] = {\n";
  for (size_t at = 0; at < image.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, &image[at], 8);
    out += fmt::format("{:#x}ULL,{}", word, at % 32 == 24 ? "\n" : " ");
  }
  out += fmt::format(
      "}};\n}}  // namespace\n\nstd::span<const uint8_t> stdlib_image() {{\n"
      "  return {{reinterpret_cast<const uint8_t*>(kImage), {}}};\n}}\n\n}}  // namespace caten\n",
      size);
  return out;
}

int write_image(const char* path) {
  lisp::Interpreter interp;
  install_language(interp);
  std::string text;
  try {
    text = image_source(lisp::make_image(interp, stdlib_texts()));
  } catch (const CompileError& error) {
    fmt::print(stderr, "{}", render(error, interp.sources(), false));
    return 1;
  }
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
      std::fclose(file) != 0) {
    fmt::print(stderr, "{}: cannot be written\n", path);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace caten

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: compile_stdlib OUTPUT.cpp\n");
    return 1;
  }
  return caten::write_image(argv[1]);
}
