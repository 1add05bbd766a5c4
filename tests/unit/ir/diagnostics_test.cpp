// How the user's mistakes look: text and JSON, carets under tabs and wide characters, long lines,
// spans over several lines, notes.
#include "ir/support/diagnostics.h"

#include <gtest/gtest.h>

#include "ir/support/check.h"
#include "ir/support/utf8.h"

namespace caten {
namespace {

std::string rendered(const std::string& text, uint32_t begin, uint32_t end,
                     const std::string& message = "message") {
  SourceMap sources;
  const uint32_t file = sources.add("model.lisp", text);
  return render(CompileError(Diag::LispError, {file, begin, end}, message), sources, false);
}

TEST(Diagnostics, ShowTheLineAndACaretRange) {
  EXPECT_EQ(rendered("(a)\n  (foo bar)\n", 6, 15, "unknown function `foo`"),
            "model.lisp:2:3: error: unknown function `foo` [E0311]\n"
            "  2 |   (foo bar)\n"
            "    |   ^^^^^^^^^\n");
}

TEST(Diagnostics, CaretsFollowTabsAndWideCharacters) {
  EXPECT_EQ(rendered("\t(x)", 1, 4),
            "model.lisp:1:2: error: message [E0311]\n"
            "  1 |         (x)\n"
            "    |         ^^^\n");
  // Two ideographs of two columns each, then the form; the column counts code points.
  EXPECT_EQ(rendered("\u6F22\u5B57 (x)", 7, 10),
            "model.lisp:1:4: error: message [E0311]\n"
            "  1 | \u6F22\u5B57 (x)\n"
            "    |      ^^^\n");
  EXPECT_EQ(rendered("e\u0301 x", 4, 5),
            "model.lisp:1:4: error: message [E0311]\n"
            "  1 | e\u0301 x\n"
            "    |   ^\n");
}

TEST(Diagnostics, EmptyRangesAndTheEndOfTheTextGetOneCaret) {
  EXPECT_EQ(rendered("(foo", 4, 4),
            "model.lisp:1:5: error: message [E0311]\n"
            "  1 | (foo\n"
            "    |     ^\n");
  EXPECT_EQ(rendered("", 0, 0),
            "model.lisp:1:1: error: message [E0311]\n"
            "  1 | \n"
            "    | ^\n");
  EXPECT_EQ(rendered("ab", 100, 200),
            "model.lisp:1:3: error: message [E0311]\n"
            "  1 | ab\n"
            "    |   ^\n");
}

TEST(Diagnostics, SpansOverLinesShowTheFirstAndTheLast) {
  EXPECT_EQ(rendered("(defun f\n  (x)\n  y)\n", 0, 19),
            "model.lisp:1:1: error: message [E0311]\n"
            "  1 | (defun f\n"
            "    | ^^^^^^^^\n"
            "... |\n"
            "  3 |   y)\n"
            "    |   ^^\n");
}

TEST(Diagnostics, LongLinesShowAWindow) {
  const std::string text = std::string(5000, 'a') + "(bad)" + std::string(5000, 'b');
  const std::string shown = rendered(text, 5000, 5005);
  EXPECT_LT(shown.size(), 500U);
  EXPECT_NE(shown.find("(bad)"), std::string::npos);
  EXPECT_NE(shown.find("^^^^^"), std::string::npos);
  const size_t line = shown.find("(bad)") - shown.find("  1 | ");
  const size_t carets = shown.find("^^^^^") - shown.find("    | ", shown.find("(bad)"));
  EXPECT_EQ(line, carets);
}

TEST(Diagnostics, ControlAndMalformedBytesAreReplaced) {
  EXPECT_EQ(rendered("a\x1b[31m\xff b", 7, 8),
            "model.lisp:1:8: error: message [E0311]\n"
            "  1 | a\uFFFD[31m\uFFFD b\n"
            "    |        ^\n");
}

TEST(Diagnostics, NotesAndUnknownPlaces) {
  SourceMap sources;
  const uint32_t file = sources.add("<repl:3>", "(+ a b)");
  CompileError error(Diag::ShapeMismatch, {file, 0, 7}, "operands disagree");
  error.note({file, 3, 4}, "left is (3)").note({}, "see the documentation");
  EXPECT_EQ(render(error, sources, false),
            "<repl:3>:1:1: error: operands disagree [E0501]\n"
            "  1 | (+ a b)\n"
            "    | ^^^^^^^\n"
            "<repl:3>:1:4: note: left is (3)\n"
            "  1 | (+ a b)\n"
            "    |    ^\n"
            "note: see the documentation\n");
  EXPECT_NE(render(error, sources, true).find("\033[1;31merror:\033[0m"), std::string::npos);
}

TEST(Diagnostics, FileErrorsNameThePath) {
  try {
    fail_file("missing.lisp", "no such file");
  } catch (const CompileError& error) {
    EXPECT_EQ(error.kind, Diag::FileError);
    EXPECT_EQ(render(error, SourceMap(), false), "missing.lisp: error: no such file [E0701]\n");
    EXPECT_EQ(render(error, SourceMap(), false, ErrorFormat::Json),
              "{\"severity\":\"error\",\"code\":\"E0701\",\"kind\":\"file_error\",\"file\":"
              "\"missing.lisp\","
              "\"message\":\"no such file\",\"notes\":[],\"backtrace\":[]}\n");
  }
}

TEST(Diagnostics, JsonHasPlacesKindsAndEscapes) {
  SourceMap sources;
  const uint32_t file = sources.add("a\"b.lisp", "x\n(y z)");
  CompileError error(Diag::BadAxis, {file, 2, 7}, "say \"hi\"\n");
  error.note({file, 0, 1}, "here");
  EXPECT_EQ(render(error, sources, false, ErrorFormat::Json),
            "{\"severity\":\"error\",\"code\":\"E0505\",\"kind\":\"bad_axis\",\"file\":\"a\\\"b."
            "lisp\",\"line\":2,"
            "\"column\":1,\"end_line\":2,\"end_column\":6,\"message\":\"say \\\"hi\\\"\\u000a\","
            "\"notes\":[{\"file\":\"a\\\"b.lisp\",\"line\":1,\"column\":1,\"end_line\":1,"
            "\"end_column\":2,\"message\":\"here\"}],\"backtrace\":[]}\n");
}

TEST(Diagnostics, WarningsAreErrorsIfWanted) {
  SourceMap sources;
  const uint32_t file = sources.add("f.lisp", "(x)");
  const CompileError warning(Diag::UnusedVariable, {file, 1, 2}, "variable `x` is never used");
  EXPECT_EQ(render(warning, sources, false),
            "f.lisp:1:2: warning: variable `x` is never used [W0101]\n  1 | (x)\n    |  ^\n");
  EXPECT_TRUE(render_as_error(warning, sources, false).starts_with("f.lisp:1:2: error: "));
}

TEST(Diagnostics, PositionsAndSnippets) {
  SourceMap sources;
  const uint32_t file = sources.add("f", "ab\r\nc\n\nd");
  EXPECT_EQ(sources.position(file, 0).line, 1U);
  EXPECT_EQ(sources.position(file, 4).line, 2U);
  EXPECT_EQ(sources.position(file, 6).line, 3U);
  EXPECT_EQ(sources.position(file, 7).line, 4U);
  EXPECT_EQ(sources.position(file, 99).column, 2U);
  EXPECT_EQ(sources.snippet({file, 4, 5}), "c");
  EXPECT_EQ(sources.snippet({file, 7, 900}), "d");
  EXPECT_EQ(sources.snippet({}), "");
  EXPECT_THROW(sources.name(9), InternalError);
}

TEST(Utf8, DecodesWellFormedSequencesOnly) {
  const auto decode = [](std::string_view text) {
    const CodePoint point = decode_utf8(text, 0);
    return point.valid ? static_cast<uint32_t>(point.value) : 0xFFFFFFFFU;
  };
  EXPECT_EQ(decode("\x7F"), 0x7FU);
  EXPECT_EQ(decode("\xCE\xBB"), 0x3BBU);
  EXPECT_EQ(decode("\xEF\xBF\xBF"), 0xFFFFU);
  EXPECT_EQ(decode("\xF4\x8F\xBF\xBF"), 0x10FFFFU);
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\xF8\x88\x80\x80", "\xCE", "\xCE ", "\xFF"}) {
    EXPECT_EQ(decode(bad), 0xFFFFFFFFU);
  }
  for (const char32_t value : {U'a', U'\u03BB', U'\u6F22', U'\U0001F600'}) {
    std::string text;
    append_utf8(text, value);
    EXPECT_EQ(decode_utf8(text, 0).value, value);
    EXPECT_EQ(decode_utf8(text, 0).bytes, text.size());
  }
  EXPECT_EQ(display_width(U'\u0301'), 0);
  EXPECT_EQ(display_width(U'\U0001F600'), 2);
}

}  // namespace
}  // namespace caten
