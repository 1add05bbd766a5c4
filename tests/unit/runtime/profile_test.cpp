// Profiles sum per kernel; the executor fills one when it is given one.
#include "runtime/profile.h"

#include <gtest/gtest.h>

#include "runtime/executor.h"

namespace caten::runtime {
namespace {

using std::chrono::nanoseconds;

TEST(Profile, SumsPerKernel) {
  Profile profile;
  profile.add("a", nanoseconds(100));
  profile.add("b", nanoseconds(3000));
  profile.add("a", nanoseconds(50));
  std::vector<Profile::Row> rows = profile.rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kernel, "a");
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].total, nanoseconds(150));
  EXPECT_EQ(rows[0].least, nanoseconds(50));
  EXPECT_EQ(profile.to_string(),
            "kernel     calls     total us     least us  share\n"
            "b              1          3.0          3.0  95.2%\n"
            "a              2          0.1          0.1   4.8%\n");
}

TEST(Profile, IsFilledByTheExecutor) {
  auto program = std::make_shared<Program>();
  program->name = "test";
  program->kernels = {{"k", 0}};
  program->calls = {{0, {}}, {0, {}}};
  program->arena_bytes = SizeExpr::number(0);
  program->source = "int k(void *const *b, const long *s, long *d) { return 0; }";
  auto profile = std::make_shared<Profile>();
  Executor executor(program, load_tcc(*program), {}, {.profile = profile});
  executor.run({});
  ASSERT_EQ(profile->rows().size(), 1u);
  EXPECT_EQ(profile->rows()[0].kernel, "k");
  EXPECT_EQ(profile->rows()[0].calls, 2);
}

}  // namespace
}  // namespace caten::runtime
