// Programs of the machine: found, run, their output and end reported.
#include "runtime/system_compiler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "runtime/backend.h"

namespace caten::runtime {
namespace {

TEST(SystemCompiler, FindsProgramsInPath) {
  const std::optional<std::string> shell = find_program("sh");
  ASSERT_TRUE(shell.has_value());
  EXPECT_EQ(shell->front(), '/');
  EXPECT_EQ(find_program(*shell), shell);
  EXPECT_EQ(find_program("no-such-program"), std::nullopt);
  EXPECT_EQ(find_program("/etc/passwd"), std::nullopt);
}

TEST(SystemCompiler, ReportsOutputAndEnd) {
  const std::string shell = find_program("sh").value();
  const ProgramResult both = run_program({shell, "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_EQ(both.output, "out\nerr\n");
  EXPECT_EQ(run_program({shell, "-c", "kill -9 $$"}).exit_code, 128 + 9);
  EXPECT_EQ(run_program({shell, "-c", "cat"}).output, "");  // no standard input
  // More than a pipe holds.
  EXPECT_EQ(run_program({shell, "-c", "head -c 300000 /dev/zero"}).output.size(), 300000U);
  EXPECT_THROW(run_program({"/no/such/program"}), RuntimeError);
}

TEST(SystemCompiler, TemporaryDirectoriesGoAway) {
  std::string file;
  {
    const TemporaryDirectory directory;
    file = directory.file("x");
    EXPECT_EQ(run_program({find_program("sh").value(), "-c", "echo > " + file}).exit_code, 0);
    EXPECT_EQ(::access(file.c_str(), F_OK), 0);
  }
  EXPECT_NE(::access(file.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace caten::runtime
