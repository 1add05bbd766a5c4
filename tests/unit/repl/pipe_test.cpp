// Without a terminal: piped programs, --eval, --load, the init file, scripts, exit codes.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "unit/repl/terminal.h"

namespace caten::repl {
namespace {

struct Result {
  int code;
  std::string text;
};

class PipeTest : public testing::Test {
 protected:
  /// Runs a shell command with $CATENC, in a folder of its own that is also the home.
  Result run(const std::string& command) {
    const std::string all = "cd '" + folder.path() + "' && export HOME='" + folder.path() +
                            "' CATENC='" CATENC "' && (" + command + ") 2>&1";
    FILE* pipe = ::popen(all.c_str(), "r");
    std::string text;
    char buffer[4096];
    for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
      text.append(buffer, n);
    }
    const int status = ::pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
  }
  void file(const std::string& name, const std::string& text) {
    write_text(folder.path() + "/" + name, text);
  }

  ScratchFolder folder;
};

TEST_F(PipeTest, PrintsValuesWithoutPromptsAndColours) {
  const Result result = run("printf '(+ 1 2)\\n(values 1 2)\\n(values)\\n\"a\"' | $CATENC repl");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.text, "3\n1\n2\n\"a\"\n");
  EXPECT_EQ(run("echo '(list * **)' | $CATENC").text, "(NIL NIL)\n");
}

TEST_F(PipeTest, TheFirstErrorEndsIt) {
  const Result result = run("printf '(print 1)\\n(car 5)\\n(print 2)' | $CATENC repl");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.text.find("<stdin>:2:1: error: "), std::string::npos) << result.text;
  EXPECT_EQ(result.text.find("\033["), std::string::npos) << "no colours";
  EXPECT_EQ(result.text.find("\n2"), std::string::npos) << "nothing after the error";
  EXPECT_EQ(run("echo '(foo' | $CATENC").code, 1);
  EXPECT_EQ(run("echo '(exit 7)' | $CATENC").code, 7);
}

TEST_F(PipeTest, CommandsWorkToo) {
  EXPECT_EQ(run("printf ':type (list 1\\n 2)\\n(+ 1\\n1)\\n,type 1.5\\n' | $CATENC").text,
            "CONS\n2\nSINGLE-FLOAT\n");
  EXPECT_EQ(run("echo :no-command | $CATENC").text, ":NO-COMMAND\n") << "a keyword";
  EXPECT_EQ(run("echo ,no-command | $CATENC").code, 1);
  EXPECT_EQ(run("printf '(setq a 1)\\n:reset\\n(boundp (quote a))' | $CATENC").text,
            "1\n; everything is forgotten\nNIL\n");
}

TEST_F(PipeTest, WarningsWaitForTheEnd) {
  EXPECT_EQ(run("printf '(defun a () (b))\\n:type 1\\n(defun b () 1)\\n(a)\\n' | $CATENC").text,
            "A\nBIT\nB\n1\n");
  const Result result = run("printf '(defun a () (b))\\n:type 1\\n' | $CATENC");
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.text.find("function `b` is not defined anywhere [W0102]"), std::string::npos)
      << result.text;
}

TEST_F(PipeTest, EvalAndLoadRunInTheirOrder) {
  file("a.lisp", "(format t \"a~%\")");
  const Result result =
      run("$CATENC --eval '(format t \"1~%\")' --load a.lisp -e '(format t \"2~%\")' -e '(+ 1 2)'");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.text, "1\na\n2\n");
  const Result failed = run("$CATENC --eval '(car 1)' --eval '(print 2)'");
  EXPECT_EQ(failed.code, 1);
  EXPECT_NE(failed.text.find("<eval>:1:1: error"), std::string::npos) << failed.text;
  EXPECT_EQ(run("$CATENC --load missing.lisp").code, 1);
  EXPECT_EQ(run("echo '(+ x 1)' | $CATENC repl --eval '(defvar x 5)'").text, "6\n");
}

TEST_F(PipeTest, TheInitFile) {
  file(".catencrc", "(defvar *from-init* 42)");
  EXPECT_EQ(run("echo '*from-init*' | $CATENC").text, "42\n");
  EXPECT_EQ(run("$CATENC -e '(print *from-init*)'").text, "\n42 ");
  EXPECT_EQ(run("echo '*from-init*' | $CATENC repl --no-init").code, 1);
  file("plain.lisp", "(print (boundp '*from-init*))");
  EXPECT_EQ(run("$CATENC run plain.lisp").text, "\nNIL ") << "scripts do not depend on it";
}

TEST_F(PipeTest, ScriptsSkipTheirFirstLine) {
  file("script", "#!/usr/bin/env -S catenc run\n(format t \"~a~%\" *args*)\n(exit 3)\n");
  ::chmod((folder.path() + "/script").c_str(), 0755);
  const Result result =
      run("mkdir -p bin && ln -sf $CATENC bin/catenc && PATH=$PWD/bin:$PATH ./script x 'y z'");
  EXPECT_EQ(result.text, "(x y z)\n");
  EXPECT_EQ(result.code, 3);
}

}  // namespace
}  // namespace caten::repl
