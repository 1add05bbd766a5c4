// Every command of the table does what its help says. In pipe mode, where its output is all there
// is; those of levels and of the terminal are in terminal_test.cpp and the transcripts.
#include "frontend/repl/commands.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "frontend/language.h"
#include "frontend/lisp/stream.h"
#include "unit/repl/terminal.h"

namespace caten::repl {
namespace {

class CommandsTest : public testing::Test {
 protected:
  CommandsTest() {
    make();
    Host host;
    host.interpreter = [this]() -> lisp::Interpreter& { return *interp; };
    host.reset = [this] { make(); };
    host.report = [](const CompileError&) {};
    repl = std::make_unique<Repl>(std::move(host));
  }

  void make() {
    ++interpreters;
    interp = std::make_unique<lisp::Interpreter>();
    install_language(*interp);
    load_stdlib(*interp);
    interp->set_current_package(interp->user_package());
  }

  /// What the text prints; an error is "error: …".
  std::string run(const std::string& text) {
    const lisp::Value stream = lisp::make_string_output_stream(*interp);
    for (const char* name : {"*TERMINAL-IO*", "*STANDARD-OUTPUT*", "*TRACE-OUTPUT*"}) {
      interp->set_symbol_value(interp->cl(name), stream);
    }
    interp->permanent().push_back(stream);
    const int made = interpreters;
    try {
      repl->run_text(text);
    } catch (const CompileError& error) {
      return "error: " + error.message;
    }
    if (interpreters != made) {
      return "";  // the stream went with the interpreter
    }
    return lisp::take_output(*stream.as<lisp::Stream>());
  }

  int interpreters = 0;  // made so far
  std::unique_ptr<lisp::Interpreter> interp;
  std::unique_ptr<Repl> repl;
};

constexpr const char* kSinCos =
    "(defclass SinCos (Func) nil)"
    "(defmethod forward ((op SinCos) &rest xs) (st \"A[~] -> A[~]\" (xs)))"
    "(defmethod backward ((op SinCos) &optional dout)"
    "  (let ((x (car (func-variables op))))"
    "    (!* dout (!neg (!sin x)) (!cos (!cos x)))))"
    "(defmethod lower ((op SinCos) &rest inputs)"
    "  (with-context (a (%sin (%add (car inputs) (%fconst (/ pi 2))))) (b (%sin a))))"
    "(defun sincos (x) (forward (make-instance 'SinCos) x))"
    "(defvar x (make-tensor '(2 3) :initial-element 1.0))"
    ":quiet";  // a keyword: its value is the last thing printed

TEST_F(CommandsTest, TheTableIsSortedAndDocumented) {
  std::string_view last;
  for (const Command& command : commands()) {
    EXPECT_LT(last, command.name);
    EXPECT_FALSE(command.help.empty());
    last = command.name;
    EXPECT_NE(run(":help").find(std::string("  :") + std::string(command.name)), std::string::npos);
  }
  EXPECT_NE(run(":help type").find(":type FORM"), std::string::npos);
  EXPECT_EQ(run(":help nonsense"), "error: there is no command `:nonsense`; :help lists them");
  EXPECT_EQ(run(",tpye 1"), "error: there is no command `,tpye`; did you mean `,type`?");
  EXPECT_EQ(run(":type"), "error: `:type` wants something behind it: :type FORM");
  EXPECT_EQ(run(":env now"), "error: `:env` takes nothing behind it");
}

TEST_F(CommandsTest, Lisp) {
  run("(defun frob (a &key b) \"Frobs it.\" (list a b))");
  EXPECT_EQ(run(":doc frob"), "(frob a &key b)\n  Frobs it.\n");
  EXPECT_NE(run(":apropos frob").find("FROB (function)"), std::string::npos);
  EXPECT_NE(run(":describe frob").find("Frobs it."), std::string::npos);
  EXPECT_NE(run(":describe (list 1 2)").find("(1 2)"), std::string::npos);
  EXPECT_EQ(run(":type (values 1.5 \"a\")"), "SINGLE-FLOAT\n(SIMPLE-ARRAY CHARACTER (1))\n");
  const std::string code = run(":disassemble frob");
  EXPECT_NE(code.find("FROB: "), std::string::npos) << code;
  EXPECT_NE(code.find("Return"), std::string::npos) << code;
  EXPECT_EQ(run(":trace frob"), "(FROB)\n");
  EXPECT_NE(run("(frob 1)").find("0: (FROB 1)"), std::string::npos);
  run(":untrace frob");
  EXPECT_EQ(run("(frob 1)"), "(1 NIL)\n");
  EXPECT_EQ(run(":step (frob 2)"), "(2 NIL)\n");
}

TEST_F(CommandsTest, StagesOfTensors) {
  run(kSinCos);
  EXPECT_EQ(run(":shape (sincos x)"), "(2 3) float32\n");
  EXPECT_NE(run(":type (sincos x)").find("TENSOR float32 (2 3)"), std::string::npos);
  EXPECT_NE(run(":graph (sincos x)").find("SinCos("), std::string::npos)
      << run(":graph (sincos x)");
  EXPECT_NE(run(":air (sincos x)").find("sin"), std::string::npos);
  EXPECT_NE(run(":schedule (sincos x)").find("kernel"), std::string::npos)
      << run(":schedule (sincos x)");
  EXPECT_NE(run(":loops (sincos x)").find("(strip"), std::string::npos) << run(":loops (sincos x)");
  EXPECT_EQ(run(":fuse (sincos x)").rfind("1 kernel", 0), 0U);
  EXPECT_NE(run(":c (sincos x)").find("int sincos_("), std::string::npos) << run(":c (sincos x)");
  EXPECT_NE(run(":c (caten (sincos x))").find("int sincos_("), std::string::npos);
  EXPECT_EQ(run(":c (list 1)"),
            "error: the value is (1); expected a tensor, a runtime, an entry or an op class");
}

TEST_F(CommandsTest, EntriesAndClassesByName) {
  run(kSinCos);
  const std::string c = run(":c SinCos");
  EXPECT_NE(c.find("int sincos_(int64_t n"), std::string::npos) << c;
  EXPECT_NE(c.find("int sincos__backward(int64_t n"), std::string::npos) << c;
  run("(defentry twice ((v (n))) (!add v v))");
  EXPECT_NE(run(":c twice").find("int twice(int64_t n"), std::string::npos) << run(":c twice");
}

TEST_F(CommandsTest, Gradients) {
  run(kSinCos);
  EXPECT_NE(run(":grad (!sum (!* x x)) x").find("gradient of x: {Tensor[float32] :shape (2 3)"),
            std::string::npos)
      << run(":grad (!sum (!* x x)) x");
  EXPECT_NE(run(":grad (!sum (!* x x)) x").find("(2.0 2.0 2.0)"), std::string::npos);
  EXPECT_NE(run(":grad (!sum (!* x x))").find("no tensor in it asks for a gradient"),
            std::string::npos);
  run("(defvar w (make-tensor '(2) :initial-element 3.0 :requires-grad t))");
  EXPECT_NE(run(":grad (!sum (!* w w))").find("(6.0 6.0)"), std::string::npos);
}

TEST_F(CommandsTest, Times) {
  EXPECT_NE(run(":time (+ 1 2)").find("3\nevaluation "), std::string::npos);
  run("(defvar x (make-tensor '(2 3) :initial-element 1.0))");
  const std::string tensor = run(":time (!+ x x)");
  EXPECT_NE(tensor.find("(2.0 2.0 2.0)"), std::string::npos) << tensor;
  EXPECT_NE(tensor.find("(1 kernel)"), std::string::npos) << tensor;
  EXPECT_EQ(run(":bench (!+ x x)").rfind("1 kernel, compiled in ", 0), 0U);
  EXPECT_EQ(run(":bench (list 1 2)").rfind("median ", 0), 0U);
}

TEST_F(CommandsTest, MachineCode) {
  if (std::system("objdump --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no objdump";
  }
  run(kSinCos);
  const std::string code = run(":disassemble (sincos x)");
  EXPECT_NE(code.find(" bytes\n"), std::string::npos) << code;
  EXPECT_NE(code.find("ret"), std::string::npos) << code;
}

TEST_F(CommandsTest, Files) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/part.lisp";
  write_text(path, "(defvar *loads* 0) (incf *loads*)");
  run(":load " + path + "\n");
  EXPECT_EQ(run("*loads*"), "1\n");
  run(":reload");
  EXPECT_EQ(run("*loads*"), "2\n");
  run(":load \"" + path + "\"");
  EXPECT_EQ(run("*loads*"), "3\n");
  run("(defun kept () 5)");
  EXPECT_NE(run(":save " + folder.path() + "/saved.lisp").find("are in"), std::string::npos);
  EXPECT_NE(read_text(folder.path() + "/saved.lisp").find("(defun kept () 5)"), std::string::npos);
}

TEST_F(CommandsTest, Settings) {
  EXPECT_EQ(run(":set backend interp"), "  backend :INTERP\n");
  EXPECT_EQ(run(":set dtype float64"), "  dtype :FLOAT64\n");
  EXPECT_EQ(run(":shape (make-tensor '(2))"), "(2) float64\n");
  EXPECT_EQ(run(":set threads 3"), "  threads 3\n");
  EXPECT_NE(run(":set").find("backend  :INTERP"), std::string::npos);
  EXPECT_EQ(run(":set backend gpu"),
            "error: unknown backend `gpu`; there are tcc, cc, auto and interp");
  EXPECT_EQ(run(":set threads many"), "error: threads is `many`; expected a number from 1 to 1024");
  EXPECT_NE(run(":set colour red").find("there is no setting `colour`"), std::string::npos);
  EXPECT_NE(run(":env").find("package  CATEN-USER"), std::string::npos) << run(":env");
}

TEST_F(CommandsTest, ResetAndQuit) {
  run("(defvar gone 1)");
  EXPECT_EQ(run("(boundp 'gone)"), "T\n");
  run(":reset");
  EXPECT_EQ(run("(boundp 'gone)"), "NIL\n");
  EXPECT_THROW(repl->run_text(":quit 4"), lisp::ExitRequest);
}

TEST_F(CommandsTest, ThoseOfLevelsSayWhenThereIsNone) {
  EXPECT_EQ(run(":restart"), "no restarts\n");
  EXPECT_EQ(run(":backtrace"), "no calls are in progress\n");
  EXPECT_EQ(run(":continue"), "error: there is no restart CONTINUE here");
  for (const char* command : {":into", ":next", ":out"}) {
    EXPECT_EQ(run(command), "error: nothing is being stepped; :step FORM starts");
  }
  EXPECT_EQ(run(":abort"), "");
  EXPECT_EQ(run(":top"), "");
  EXPECT_EQ(run(":history"), "");
}

}  // namespace
}  // namespace caten::repl
