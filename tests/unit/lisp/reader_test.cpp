// The reader: syntax, spans, errors, and inputs of extreme size or depth.
#include "frontend/reader/reader.h"

#include "tests/unit/lisp/lisp_test.h"

namespace caten::lisp {
namespace {

std::string quoted(Lisp& lisp, const std::string& text) {
  return lisp.eval("'" + text);
}

TEST(Reader, Atoms) {
  Lisp lisp;
  EXPECT_EQ(quoted(lisp, "foo"), "FOO");
  EXPECT_EQ(quoted(lisp, "|foo Bar|"), "|foo Bar|");
  EXPECT_EQ(quoted(lisp, "f\\oo"), "|FoO|");
  EXPECT_EQ(quoted(lisp, ":key"), ":KEY");
  EXPECT_EQ(quoted(lisp, "cl:car"), "CAR");
  EXPECT_EQ(quoted(lisp, "-42"), "-42");
  EXPECT_EQ(quoted(lisp, "+7"), "7");
  EXPECT_EQ(quoted(lisp, "10."), "10");
  EXPECT_EQ(quoted(lisp, "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(quoted(lisp, "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(quoted(lisp, "6/4"), "3/2");
  EXPECT_EQ(quoted(lisp, "1+"), "1+");
  EXPECT_EQ(quoted(lisp, "+"), "+");
}

TEST(Reader, Floats) {
  Lisp lisp;
  EXPECT_EQ(quoted(lisp, "1.5"), "1.5");
  EXPECT_EQ(quoted(lisp, ".5"), "0.5");
  EXPECT_EQ(quoted(lisp, "-.5e1"), "-5.0");
  EXPECT_EQ(quoted(lisp, "1e-5"), "1.0e-5");
  EXPECT_EQ(quoted(lisp, "1d0"), "1.0d0");
  EXPECT_EQ(quoted(lisp, "2.5D-3"), "0.0025d0");
  EXPECT_EQ(quoted(lisp, "1f0"), "1.0");
  EXPECT_EQ(lisp.eval("(eql 0.1 0.1d0)"), "NIL");
  EXPECT_EQ(lisp.error("1e99"), "1:1: `1e99` is out of the range of a single-float");
}

TEST(Reader, RadixCharactersStrings) {
  Lisp lisp;
  EXPECT_EQ(quoted(lisp, "#b101"), "5");
  EXPECT_EQ(quoted(lisp, "#o-17"), "-15");
  EXPECT_EQ(quoted(lisp, "#xFf"), "255");
  EXPECT_EQ(quoted(lisp, "#3r12"), "5");
  EXPECT_EQ(lisp.eval("(eql #\\A #\\u+41)"), "T");
  EXPECT_EQ(lisp.eval("(eql #\\( (char \"(\" 0))"), "T");
  EXPECT_EQ(quoted(lisp, "#\\Space"), "#\\ ");
  EXPECT_EQ(quoted(lisp, "\"a\\\"b\\\\c\""), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(lisp.eval("(length \"\xC3\xA9\xE2\x82\xAC\")"), "2");
}

TEST(Reader, Structure) {
  Lisp lisp;
  EXPECT_EQ(quoted(lisp, "(a . b)"), "(A . B)");
  EXPECT_EQ(quoted(lisp, "(a b . (c d))"), "(A B C D)");
  EXPECT_EQ(quoted(lisp, "#(1 (2) #(3))"), "#(1 (2) #(3))");
  EXPECT_EQ(quoted(lisp, "#2A((1 2) (3 4))"), "#2A((1 2) (3 4))");
  EXPECT_EQ(quoted(lisp, "(a #| b #| c |# d |# e ; f\n g)"), "(A E G)");
  EXPECT_EQ(quoted(lisp, "(#+catenc yes #-catenc no #+sbcl no #+(or sbcl (not sbcl)) both)"),
            "(YES BOTH)");
  EXPECT_EQ(quoted(lisp, "(1 #+sbcl unknown-package:x #+sbcl #+sbcl 2 3 4)"), "(1 4)");
}

TEST(Reader, SpansCoverForms) {
  Interpreter interp;
  std::string text = "(first (second third) fourth)";
  uint32_t file = interp.sources().add("test", text);
  Reader reader(interp, file);
  Value form = reader.read(text);
  auto snippet = [&](Value v) { return interp.sources().snippet(span_of(v)); };
  EXPECT_EQ(snippet(form), text);
  EXPECT_EQ(snippet(cadr(form)), "(second third)");
  EXPECT_EQ(snippet(cdr(cadr(form))), "third") << "a cell after the first has its element's span";
  EXPECT_EQ(snippet(cddr(form)), "fourth");
}

TEST(Reader, InPackageTakesEffectBetweenForms) {
  Lisp lisp;
  EXPECT_EQ(lisp.eval("(defpackage :p (:use :cl)) (in-package :p) "
                      "(prog1 (package-name (symbol-package 'x)) (in-package :caten-user))"),
            "\"P\"");
}

TEST(Reader, SpellingOfSymbolsIsKept) {
  Lisp lisp;
  Value symbol = lisp.interp().eval_text("'SinCos");
  EXPECT_EQ(symbol_label(*symbol.as<Symbol>()), "SinCos");
  EXPECT_EQ(symbol_label(*lisp.interp().eval_text("'plain-name").as<Symbol>()), "plain-name");
}

TEST(Reader, Errors) {
  Lisp lisp;
  EXPECT_EQ(lisp.error("(a\n  (b (c)\n"), "2:3: this opening parenthesis is never closed");
  EXPECT_EQ(lisp.error("1 )"), "1:3: closing parenthesis without an opening one");
  EXPECT_EQ(lisp.error("(a . )"), "1:6: a datum is missing after the dot");
  EXPECT_EQ(lisp.error("( . a)"), "1:3: misplaced dot in a list");
  EXPECT_EQ(lisp.error("(a . b c)"), "1:8: more than one datum after the dot of a list");
  EXPECT_EQ(lisp.error("'x \"abc"), "1:4: end of text inside this string");
  EXPECT_EQ(lisp.error("#| a"), "1:1: end of text inside this `#|` comment");
  EXPECT_EQ(lisp.error("(quote #.(+ 1 2))"), "1:8: `#.` (evaluation while reading) is refused");
  EXPECT_EQ(lisp.error("99999999999999999999"),
            "1:1: integer `99999999999999999999` does not fit 64 bits; bignums are not supported");
  EXPECT_EQ(lisp.error("'nope:x"), "1:2: no package is named `nope`");
  EXPECT_EQ(lisp.error("'cl:no-such-symbol"),
            "1:2: symbol `NO-SUCH-SYMBOL` does not exist in package COMMON-LISP");
  EXPECT_EQ(lisp.error("(quote ')"), "1:8: a datum is missing before the parenthesis");
}

TEST(Reader, DeepNestingIsReadOrRefused) {
  Lisp lisp;
  std::string open(10000, '(');
  std::string close(10000, ')');
  EXPECT_EQ(lisp.eval("(length '" + open + close + ")"), "1");
  EXPECT_NE(lisp.error(open + close), "no error");
  EXPECT_EQ(lisp.error(std::string(200000, '(')),
            "1:100001: data nested more than 100000 levels deep");
  EXPECT_NE(lisp.error(std::string(50000, '\'')), "no error");
  EXPECT_NE(lisp.error(std::string(100000, '`') + "x"), "no error");
  std::string comments;
  for (int i = 0; i < 50000; ++i) {
    comments += "#|";
  }
  EXPECT_NE(lisp.error(comments), "no error");
}

TEST(Reader, LongListsAndFiles) {
  Lisp lisp;
  std::string list = "(";
  for (int i = 0; i < 100000; ++i) {
    list += "x ";
  }
  EXPECT_EQ(lisp.eval("(length '" + list + "))"), "100000");
  std::string nested;
  for (int i = 0; i < 90000; ++i) {
    nested += "(x ";
  }
  EXPECT_EQ(lisp.eval("(length '" + nested + std::string(90000, ')') + ")"), "2");
  std::string file;
  while (file.size() < 10000000) {
    file += "(quote (a b c \"d\" 1.5)) ; comment\n";
  }
  EXPECT_EQ(lisp.error(file), "no error");
}

}  // namespace
}  // namespace caten::lisp
