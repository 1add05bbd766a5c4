// C identifiers: legal, distinct for distinct names, never a name that C or its libraries know.
#include "codegen/c/names.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/random_source.h"

namespace caten::c {
namespace {

bool is_legal(const std::string& name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) {
    return false;
  }
  for (char ch : name) {
    if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
          ch == '_')) {
      return false;
    }
  }
  return true;
}

TEST(Names, OrdinaryNamesStayReadable) {
  EXPECT_EQ(c_identifier("softmax"), "softmax");
  EXPECT_EQ(c_identifier("my-net"), "my_net");
  EXPECT_EQ(c_identifier("conv2d"), "conv2d");
}

TEST(Names, KnownNamesGetAnUnderscore) {
  for (const char* name : {"sincos", "exp", "main", "asm", "short", "double", "for", "restrict",
                           "errno", "class", "memcpy", "new", "y1", "gamma"}) {
    EXPECT_EQ(c_identifier(name), std::string(name) + "_");
  }
}

TEST(Names, DistinctNamesStayDistinct) {
  std::vector<std::string> names = {"a-b",
                                    "a_b",
                                    "a--b",
                                    "a__b",
                                    "a-_b",
                                    "a_-b",
                                    "x*",
                                    "x+",
                                    "*w*",
                                    "Foo",
                                    "foo",
                                    "FOO",
                                    "1+",
                                    "+1",
                                    "n1+",
                                    "λ",
                                    "",
                                    "-",
                                    "_",
                                    "--",
                                    "__",
                                    "exp",
                                    "exp-",
                                    "exp_",
                                    "N1",
                                    "n-1",
                                    "a.b",
                                    "a/b",
                                    "a-",
                                    "-a",
                                    "a",
                                    "a_U",
                                    "NULL",
                                    "INFINITY",
                                    "_Bool",
                                    std::string(300, 'a'),
                                    std::string(299, 'a') + "b"};
  std::set<std::string> identifiers;
  for (const std::string& name : names) {
    const std::string identifier = c_identifier(name);
    EXPECT_TRUE(is_legal(identifier)) << name << " -> " << identifier;
    EXPECT_FALSE(is_reserved(identifier)) << identifier;
    EXPECT_TRUE(identifiers.insert(identifier).second) << name << " -> " << identifier;
    EXPECT_LE(identifier.size(), 120U);
  }
}

TEST(Names, RandomNamesStayDistinct) {
  testing::RandomSource random(7);
  std::map<std::string, std::string> seen;
  for (int i = 0; i < 20000; ++i) {
    std::string name;
    for (int64_t k = random.between(1, 5); k > 0; --k) {
      name += random.pick({'a', 'b', '-', '_', '*', 'A', 'H', 'C', '1', 'U'});
    }
    const std::string identifier = c_identifier(name);
    ASSERT_TRUE(is_legal(identifier));
    const auto [entry, inserted] = seen.emplace(identifier, name);
    ASSERT_TRUE(inserted || entry->second == name)
        << name << " and " << entry->second << " are both " << identifier;
  }
}

TEST(Names, LocalNamesAreUniqueInTheirScopes) {
  LocalNames names({"x"});
  EXPECT_EQ(names.declare("x"), "x_2");
  EXPECT_EQ(names.declare("Softmax"), "softmax");
  names.open();
  EXPECT_EQ(names.declare("softmax"), "softmax_2");
  EXPECT_EQ(names.declare("exp"), "exp_");
  EXPECT_EQ(names.declare("a*b"), "a_b");
  EXPECT_EQ(names.declare("a-b"), "a_b_2");
  EXPECT_EQ(names.declare(""), "v");
  names.close();
  EXPECT_EQ(names.declare("softmax"), "softmax_2");
}

}  // namespace
}  // namespace caten::c
