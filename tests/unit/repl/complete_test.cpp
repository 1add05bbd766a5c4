// Completion and argument lists.
#include "frontend/repl/complete.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "frontend/language.h"
#include "unit/repl/terminal.h"

namespace caten::repl {
namespace {

class CompleteTest : public testing::Test {
 protected:
  CompleteTest() {
    install_language(interp);
    interp.set_current_package(interp.user_package());
    interp.eval_text(
        "(defun frobnicate (first &key colour (size 3)) (list first colour size))"
        "(defclass widget () ((weight :initarg :weight) (height-mm :initarg :height-mm)))"
        "(defvar *frob* (make-instance 'widget))"
        "(defpackage :toolbox (:use :cl) (:export :hammer))"
        "(defun toolbox::hammer () 1) (defun toolbox::hidden () 2)");
  }

  std::vector<std::string> words(const std::string& text) {
    return complete_text(interp, text).words;
  }
  bool offers(const std::string& text, const std::string& word) {
    const std::vector<std::string> found = words(text);
    return std::find(found.begin(), found.end(), word) != found.end();
  }
  /// The text with its only completion put in.
  std::string completed(const std::string& text) {
    const Completions found = complete_text(interp, text);
    return found.words.size() == 1 ? text.substr(0, found.begin) + found.words[0] : "not one";
  }

  lisp::Interpreter interp;
};

TEST_F(CompleteTest, Symbols) {
  EXPECT_EQ(completed("(frobn"), "(frobnicate");
  EXPECT_TRUE(offers("(list *fr", "*frob*"));
  EXPECT_TRUE(offers("(multiple-value-b", "multiple-value-bind"));
  EXPECT_TRUE(offers("#'frob", "frobnicate"));
  EXPECT_TRUE(words("(zzzz-no-such").empty());
  EXPECT_TRUE(words("(").empty()) << "everything would be too much";
}

TEST_F(CompleteTest, PackagesAndTheirSymbols) {
  EXPECT_TRUE(offers("(toolb", "toolbox:"));
  EXPECT_EQ(words("(toolbox:h"), std::vector<std::string>{"toolbox:hammer"});
  EXPECT_TRUE(offers("(toolbox::hi", "toolbox::hidden"));
  EXPECT_FALSE(offers("(toolbox:hi", "toolbox:hidden"));
}

TEST_F(CompleteTest, KeywordArgumentsOfTheCall) {
  EXPECT_EQ(words("(frobnicate 1 :"), (std::vector<std::string>{":colour", ":size"}));
  EXPECT_EQ(completed("(frobnicate 1 :si"), "(frobnicate 1 :size");
  EXPECT_EQ(words("(make-instance 'widget :"), (std::vector<std::string>{":height-mm", ":weight"}));
}

TEST_F(CompleteTest, Slots) {
  EXPECT_EQ(words("(slot-value *frob* '"), (std::vector<std::string>{"height-mm", "weight"}));
  EXPECT_TRUE(offers("(slot-value x 'hei", "height-mm"));
  EXPECT_TRUE(offers("(with-slots (wei", "weight"));
}

TEST_F(CompleteTest, Files) {
  const ScratchFolder folder;
  write_text(folder.path() + "/model.lisp", "");
  write_text(folder.path() + "/.hidden", "");
  std::filesystem::create_directory(folder.path() + "/models");
  EXPECT_EQ(words("(load \"" + folder.path() + "/mod"),
            (std::vector<std::string>{folder.path() + "/model.lisp", folder.path() + "/models/"}));
  EXPECT_EQ(words(":load " + folder.path() + "/model."),
            std::vector<std::string>{folder.path() + "/model.lisp"});
  EXPECT_FALSE(offers("\"" + folder.path() + "/", folder.path() + "/.hidden"));
}

TEST_F(CompleteTest, Commands) {
  EXPECT_EQ(words(":sch"), std::vector<std::string>{"schedule"});
  EXPECT_EQ(words(",backt"), std::vector<std::string>{"backtrace"});
  EXPECT_TRUE(offers(":help di", "disassemble"));
}

TEST_F(CompleteTest, NothingInComments) {
  EXPECT_TRUE(words("(list #| frobn").empty());
}

TEST_F(CompleteTest, ArgumentLists) {
  EXPECT_EQ(call_arguments(interp, "(frobnicate "), "(frobnicate first &key colour (size 3))");
  EXPECT_EQ(call_arguments(interp, "(list (frobnicate (+ 1 2) "),
            "(frobnicate first &key colour (size 3))");
  EXPECT_EQ(call_arguments(interp, "(unknown-thing "), "");
  EXPECT_EQ(call_arguments(interp, "(let ((a "), "(let ...)");
  EXPECT_EQ(call_arguments(interp, "(car "), "(car arg1)");
}

}  // namespace
}  // namespace caten::repl
