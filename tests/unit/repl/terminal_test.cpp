// The session at a pseudo-terminal: what keys do, what interrupts do, what is kept.
#include "unit/repl/terminal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

namespace caten::repl {
namespace {

constexpr const char* kCtrlC = "\003";
constexpr const char* kCtrlD = "\004";

TEST(TerminalTest, EvaluatesAndEnds) {
  Terminal terminal;
  EXPECT_EQ(terminal.screen().row_text(0), "catenc>");
  EXPECT_EQ(terminal.enter("(+ 1 2)"), "3\n");
  EXPECT_EQ(terminal.enter("(values 1 2)"), "1\n2\n");
  EXPECT_EQ(terminal.enter("(list * ** /)"), "(1 3 (1 2))\n");
  EXPECT_EQ(terminal.enter("+"), "(LIST * ** /)\n");
  EXPECT_EQ(terminal.enter("(list ++ -)"), "((LIST * ** /) (LIST ++ -))\n");
  EXPECT_EQ(terminal.enter("(format t \"no newline\")"), "no newline\nNIL\n");
  terminal.send(kCtrlD);
  EXPECT_EQ(terminal.wait_for_exit(), 0);
  EXPECT_FALSE(terminal.screen().has_unknown()) << terminal.screen().unknown();
}

TEST(TerminalTest, ReadsSeveralLinesAndIndentsThem) {
  Terminal terminal;
  terminal.send("(defun f (x)\r");
  terminal.wait_until(
      [&] { return terminal.screen().row() == 1 && terminal.screen().column() == 10; },
      "the body's indentation");
  terminal.send("(* x\r");
  terminal.wait_until([&] { return terminal.screen().column() == 13; }, "alignment with x");
  EXPECT_EQ(terminal.enter("2))"), "F\n");
  EXPECT_EQ(terminal.enter("(f 21)"), "42\n");
  EXPECT_EQ(terminal.screen().row_text(1), "          (* x");
}

TEST(TerminalTest, StringsAndCommentsKeepTheFormOpen) {
  Terminal terminal;
  terminal.send("(list \"a ) b\r");
  terminal.wait_until([&] { return terminal.screen().row() == 1; }, "a line in the string");
  EXPECT_EQ(terminal.enter("c\" #\\) 1)"), "(\"a ) b\nc\" #\\) 1)\n");
  terminal.send("(list #| ( |# 1\r");
  terminal.wait_until([&] { return terminal.screen().column() > 8; }, "a continuation");
  EXPECT_EQ(terminal.enter(")"), "(1)\n");
}

TEST(TerminalTest, ControlCAtThePromptGivesTheInputUp) {
  Terminal terminal;
  terminal.send("(this is wrong");
  terminal.wait_for("wrong");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  EXPECT_EQ(terminal.enter("(+ 2 2)"), "4\n");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  EXPECT_EQ(terminal.enter("5"), "5\n");
}

TEST(TerminalTest, ControlCStopsAFormAndRunsItsCleanups) {
  Terminal terminal;
  terminal.enter("(defvar *cleaned* nil)");
  terminal.send("(unwind-protect (progn (format t \"go~%\") (loop)) (setq *cleaned* t))\r");
  terminal.wait_for("\ngo");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  terminal.wait_for("; interrupted");
  EXPECT_EQ(terminal.enter("*cleaned*"), "T\n");
  terminal.send("(progn (format t \"nap~%\") (sleep 1000))\r");
  terminal.wait_for("\nnap");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  terminal.send("(ignore-errors (format t \"deep~%\") (labels ((f (n) (f (1+ n)))) (f 0)))\r");
  terminal.wait_for("\ndeep");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  EXPECT_EQ(terminal.enter("(* 6 7)"), "42\n");
}

TEST(TerminalTest, ControlCStopsALoopOfKernels) {
  Terminal terminal;
  terminal.enter("(defvar rt (caten (!sin (rand '(64 64)))))");
  terminal.send("(progn (format t \"train~%\") (dotimes (i 1000000000) (forward rt)))\r");
  terminal.wait_for("\ntrain");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  terminal.wait_for("; interrupted");
  EXPECT_EQ(terminal.enter("(shape (forward rt))"), "(64 64)\n");
}

TEST(TerminalTest, ControlCStopsALongKernel) {
  Terminal terminal;
  terminal.enter("(defvar *x* (rand '(200000 1)))");
  terminal.send("(progn (format t \"long~%\") (proceed (!sum (!sin (!+ *x* (!t *x*))))))\r");
  terminal.wait_for("\nlong");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  terminal.wait_for("; interrupted");
  EXPECT_EQ(terminal.enter("(item (proceed (!sum (make-tensor '(2) :initial-element 2.0))))"),
            "4.0\n");
}

TEST(TerminalTest, ControlCStopsALoopWithoutOthersInside) {
  Terminal terminal;
  terminal.enter("(defun flat (n) (!sum (!sin (!cast (!index-components (list n)) :float32))))");
  terminal.send("(progn (format t \"flat~%\") (proceed (flat 90000000000)))\r");
  terminal.wait_for("\nflat");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  terminal.wait_for("; interrupted");
  EXPECT_EQ(terminal.enter("(* 6 7)"), "42\n");
}

TEST(TerminalTest, WarnsAtTheEndOfAnInput) {
  Terminal terminal;
  std::string shown = terminal.enter("(defun caller (x y) (nowhere x))");
  EXPECT_NE(shown.find("variable `y` is never used [W0101]"), std::string::npos) << shown;
  EXPECT_NE(shown.find("function `nowhere` is not defined anywhere [W0102]"), std::string::npos)
      << shown;
  shown = terminal.enter("(nowhere 5)");
  EXPECT_NE(shown.find("function `nowhere` is not defined [E0201]"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("W0102"), std::string::npos) << "the error says it: " << shown;
  terminal.enter(":abort");
  EXPECT_EQ(terminal.enter("(defun nowhere (x) (* 2 x))"), "NOWHERE\n");
  EXPECT_EQ(terminal.enter("(caller 4 5)"), "8\n");
}

TEST(TerminalTest, ErrorsOpenLevelsAndControlDLeavesThem) {
  Terminal terminal;
  terminal.enter("(defvar *kept* 1)");
  const std::string shown = terminal.enter("(let ((*kept* 2)) (car 5))");
  EXPECT_NE(shown.find("error: "), std::string::npos) << shown;
  EXPECT_NE(shown.find("0: [RETRY] Try (let ((*kept* 2)) (car 5)) again.\n  1: [ABORT] Return to "
                       "the top level."),
            std::string::npos)
      << shown;
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "[1] catenc>");
  EXPECT_EQ(terminal.enter("*kept*"), "2\n") << "inside of what failed";
  terminal.enter("(cdr 6)");
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "[2] catenc>");
  terminal.send(kCtrlD);
  terminal.wait_for_prompt();
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "[1] catenc>");
  terminal.send(kCtrlD);
  terminal.wait_for_prompt();
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "catenc>");
  EXPECT_EQ(terminal.enter("*kept*"), "1\n");
}

TEST(TerminalTest, RestartsGoOn) {
  Terminal terminal;
  terminal.enter(
      "(list 1 (restart-case (error \"which?\") (use-value (v) v) (skip () :report \"Skip it.\" "
      "0)))");
  EXPECT_EQ(terminal.enter("1"), "(1 0)\n");
  terminal.enter("(list 1 (restart-case (error \"which?\") (use-value (v) v) (skip () 0)))");
  terminal.enter("0");
  terminal.wait_for("value:");
  EXPECT_EQ(terminal.enter("(+ 3 4)").substr(0, 6), "(1 7)\n");
  // Defined at the level of the error, then tried again.
  terminal.enter("(+ 1 (not-yet 5))");
  terminal.enter("(defun not-yet (x) (* x 10))");
  EXPECT_EQ(terminal.enter(":restart 0"), "51\n");
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "catenc>");
  terminal.enter("(break \"here ~a\" 1)");
  EXPECT_EQ(terminal.enter(":continue"), "NIL\n");
}

TEST(TerminalTest, TopAndAbortLeaveLevels) {
  Terminal terminal;
  terminal.enter("(car 1)");
  terminal.enter("(car 2)");
  terminal.enter("(car 3)");
  terminal.enter(":abort");
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "[2] catenc>");
  terminal.enter(":top");
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "catenc>");
  terminal.enter("(car 1)");
  terminal.enter("(invoke-restart 'abort)");
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "[1] catenc>") << "the innermost";
  terminal.enter("1");
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "catenc>");
}

TEST(TerminalTest, BacktracesShowCallsWithArguments) {
  Terminal terminal;
  terminal.enter("(defun inner (x &key (depth 1)) (declare (ignorable depth)) (car x))");
  terminal.enter("(defun outer (n) (list (inner n :depth 4)))");
  terminal.enter("(outer 7)");
  const std::string shown = terminal.enter(":backtrace");
  EXPECT_NE(shown.find("0: (INNER 7 :DEPTH 4)  <repl:1>:1:"), std::string::npos) << shown;
  EXPECT_NE(shown.find("1: (OUTER 7)  <repl:2>:1:"), std::string::npos) << shown;
}

TEST(TerminalTest, Stepping) {
  Terminal terminal;
  terminal.enter("(defun leaf (n) (* n 2))");
  terminal.enter("(defun tree (n) (+ (leaf n) (leaf (1+ n))))");
  std::string shown = terminal.enter(":step (tree 3)");
  EXPECT_NE(shown.find("; (TREE 3)"), std::string::npos) << shown;
  shown = terminal.enter(":into");
  EXPECT_NE(shown.find("; (LEAF 3)"), std::string::npos) << shown;
  EXPECT_EQ(terminal.enter("(+ 1 1)"), "2\n") << "a level to evaluate in";
  shown = terminal.enter(":next");
  EXPECT_NE(shown.find("; (LEAF 3) => 6\n; (LEAF 4)"), std::string::npos) << shown;
  EXPECT_EQ(terminal.enter(":continue"), "14\n");
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "catenc>");
  shown = terminal.enter("(step (tree 1))");
  EXPECT_NE(shown.find("; (TREE 1)"), std::string::npos) << shown;
  EXPECT_EQ(terminal.enter(":out"), "; (TREE 1) => 6\n6\n");
  terminal.enter("(defun both (n) (values n (list n)))");
  terminal.enter(":step (multiple-value-list (both 1))");
  EXPECT_EQ(terminal.enter(":next"), "; (BOTH 1) => 1, (1)\n(1 (1))\n");
}

TEST(TerminalTest, RunawayRecursionLeavesTheSessionWhole) {
  Terminal terminal;
  terminal.enter("(defun forever (n) (1+ (forever n)))");
  const std::string shown = terminal.enter("(forever 1)");
  EXPECT_NE(shown.find("stack exhausted"), std::string::npos) << shown;
  EXPECT_EQ(terminal.enter("(+ 1 1)"), "2\n");
}

TEST(TerminalTest, CompletesWithTab) {
  Terminal terminal;
  terminal.send("(multiple-value-b\t");
  terminal.wait_for("(multiple-value-bind");
  terminal.send(kCtrlC);
  terminal.wait_for_prompt();
  terminal.send("(string-\t");
  terminal.wait_for("string-upcase");
  terminal.wait_until(
      [&] { return terminal.screen().row_text(terminal.screen().row()) == "catenc> (string-"; },
      "the prompt again");
  terminal.send("up\t");
  terminal.wait_for("(string-upcase");
  EXPECT_EQ(terminal.enter("\"abc\")"), "\"ABC\"\n");
}

TEST(TerminalTest, ShowsArgumentLists) {
  Terminal terminal;
  terminal.enter("(defun mix (red green &key blue) (list red green blue))");
  terminal.send("(mix 1 \033a");
  terminal.wait_for("(mix red green &key blue)");
  EXPECT_EQ(terminal.enter("2)"), "(1 2 NIL)\n");
  terminal.send("(mix 1 \t");  // nothing to complete
  terminal.wait_until(
      [&] {
        const std::string text = terminal.screen().text();
        return text.find("(mix red") != text.rfind("(mix red");
      },
      "the list again");
}

TEST(TerminalTest, FlashesTheOpenParenthesis) {
  Terminal terminal;
  terminal.send("(list (+ 1 2)");
  terminal.wait_until([&] { return terminal.screen().column() == 14; },
                      "the cursor on its partner");
  terminal.wait_until([&] { return terminal.screen().column() == 21; }, "the cursor back");
  EXPECT_EQ(terminal.enter(")"), "(3)\n");
}

TEST(TerminalTest, TakesSeveralFormsAtOnce) {
  Terminal terminal;
  terminal.send("(defun a () 1)\r(defun b () 2)\r(list (a)\r  (b))\r");
  terminal.wait_for("(1 2)");
  terminal.wait_for_prompt();
  terminal.send("\033[200~(list 1\r2)\r(list 3)\r:type 4\r\033[201~");
  terminal.wait_for(":type 4");
  terminal.send("\r");
  terminal.wait_for("(1 2)\n(3)\n");
}

TEST(TerminalTest, AnErrorStopsTheRestOfAnInput) {
  Terminal terminal;
  terminal.send("\033[200~(car 1) (print 'never)\033[201~\r");
  terminal.wait_for_prompt();
  terminal.send(kCtrlD);
  terminal.wait_for("; the rest of the input was not evaluated");
  EXPECT_EQ(terminal.screen().text().find("\nNEVER"), std::string::npos);
}

TEST(TerminalTest, KeepsItsHistory) {
  const ScratchFolder state;
  const Terminal::Setup setup = {.environment = {{"XDG_STATE_HOME", state.path()}}};
  {
    Terminal terminal(setup);
    terminal.enter("(list :first)");
    terminal.send("(list :second\r");
    terminal.wait_until([&] { return terminal.screen().column() > 10; }, "a continuation");
    terminal.enter(":third)");
    terminal.send(":quit\r");
    EXPECT_EQ(terminal.wait_for_exit(), 0);
  }
  Terminal terminal(setup);
  terminal.send("\033[A");
  terminal.wait_for(":quit");
  terminal.send("\033[A");
  terminal.wait_for(":third)");
  EXPECT_EQ(terminal.enter(""), "(:SECOND :THIRD)\n");
  const std::string shown = terminal.enter(":history 5");
  EXPECT_EQ(shown.rfind("(list :first)\n", 0), 0U) << shown;
}

TEST(TerminalTest, LivesWithoutAPlaceForItsHistory) {
  for (const char* home : {"", "/nonexistent/home", "/proc"}) {
    Terminal terminal({.environment = {{"HOME", home}}, .folder = "/"});
    EXPECT_EQ(terminal.enter("(+ 1 2)"), "3\n") << home;
    terminal.send(kCtrlD);
    EXPECT_EQ(terminal.wait_for_exit(), 0) << home;
  }
}

TEST(TerminalTest, Utf8) {
  Terminal terminal;
  EXPECT_EQ(terminal.enter("(length \"añ日本𝕏\")"), "5\n");
  EXPECT_EQ(terminal.enter("(defvar größe 3)"), "GRößE\n");
  terminal.send("\"日本x\177\177\177\177");  // erased again, whole characters
  terminal.wait_for("日");
  EXPECT_EQ(terminal.enter("7"), "7\n");
}

TEST(TerminalTest, LongLinesAndOutput) {
  Terminal terminal({.columns = 40});
  const std::string zeros(150, '0');
  EXPECT_EQ(terminal.enter("(length \"" + zeros + "\")"), "150\n");
  const std::string shown = terminal.enter("(dotimes (i 3000) (print i))");
  EXPECT_NE(shown.find("\n2999"), std::string::npos);
  EXPECT_EQ(terminal.enter("(+ 1 1)"), "2\n");
}

TEST(TerminalTest, FollowsTheWindow) {
  Terminal terminal({.columns = 100});
  terminal.send("(list 1 2");
  terminal.wait_for("(list 1 2");
  terminal.resize(45);
  EXPECT_EQ(terminal.enter(" 3)"), "(1 2 3)\n");
  terminal.send("(list 1000000000 2000000000 3000000000");
  terminal.wait_until([&] { return terminal.screen().row() == 3; }, "a second row");
  EXPECT_EQ(terminal.enter(")"), "(1000000000 2000000000 3000000000)\n");
}

TEST(TerminalTest, ColoursOnlyWhenWanted) {
  Terminal plain;
  plain.enter("(car 1)");
  EXPECT_EQ(plain.raw().find("\033[1m"), std::string::npos);
  Terminal coloured({.environment = {{"NO_COLOR", ""}}});
  coloured.enter("(car 1)");
  EXPECT_NE(coloured.raw().find("\033[1m"), std::string::npos);
}

TEST(TerminalTest, SignalsEndIt) {
  Terminal terminal;
  terminal.enter("(+ 1 2)");
  terminal.signal(SIGTERM);
  EXPECT_EQ(terminal.wait_for_exit(), 1);
}

TEST(TerminalTest, LoadsItsStartAndShowsItsErrors) {
  const ScratchFolder folder;
  write_text(folder.path() + "/start.lisp", "(defvar *start* 5)\n(car 3)\n");
  Terminal terminal({.arguments = {"repl", "--load", folder.path() + "/start.lisp"}});
  EXPECT_NE(terminal.screen().text().find("start.lisp:2:1: error"), std::string::npos)
      << terminal.screen().text();
  EXPECT_EQ(terminal.enter("*start*"), "5\n");
  const std::string shown = terminal.enter(":load " + folder.path() + "/start.lisp");
  EXPECT_NE(shown.find("start.lisp:2:1: error"), std::string::npos);
  EXPECT_EQ(terminal.screen().row_text(terminal.screen().row()), "[1] catenc>");
}

}  // namespace
}  // namespace caten::repl
