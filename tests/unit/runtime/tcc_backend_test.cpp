// TinyCC in memory: numbers, symbols, errors, protection, threads, thousands of compilations.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <locale.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include "ir/support/check.h"
#include "ir/support/elementary.h"
#include "runtime/backend.h"
#include "runtime/code_memory.h"
#include "runtime/intrinsics/symbols.h"
#include "runtime/tcc_libc.h"

namespace caten::runtime {
namespace {

/// A program of one kernel `k` on two float buffers; `source` is the C text.
Program one_kernel(std::string source) {
  Program program;
  program.name = "test";
  program.buffers.resize(2);
  program.kernels = {{"k", 2}};
  program.calls = {{0, {0, 1}}};
  program.source = std::move(source);
  return program;
}

std::string kernel(const std::string& body, const std::string& before = "") {
  return before +
         "\nint k(void *const *b, const long *s, long *d) {\n  float *x = b[0]; float *y = "
         "b[1];\n" +
         body + "\n  return 0;\n}\n";
}

float run(const Executable& executable, float x) {
  float y = 0;
  std::array<void*, 2> buffers = {&x, &y};
  std::array<int64_t, 1> sizes = {1};
  executable.run(sizes, buffers);
  return y;
}

std::string refusal(const std::string& source) {
  try {
    load_tcc(one_kernel(source));
  } catch (const InternalError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TccBackend, RunsAKernel) {
  auto executable = load_tcc(one_kernel(kernel("y[0] = x[0] * 2.0f + (float)s[0];")));
  EXPECT_EQ(run(*executable, 3.0F), 7.0F);
}

TEST(TccBackend, EveryDeclaredSymbolLinks) {
  std::string before;
  std::string body;
  for (const Symbol& symbol : kernel_symbols()) {
    if (!symbol.prototype.empty()) {
      before += std::string(symbol.prototype) + "\n";
      body += "  if ((void *)" + std::string(symbol.name) + " == 0) return 1;\n";
    }
  }
  auto executable = load_tcc(one_kernel(kernel(body + "y[0] = 1.0f;", before)));
  EXPECT_EQ(run(*executable, 0.0F), 1.0F);
}

TEST(TccBackend, ElementaryFunctionsAreTheEvaluatorsToTheBit) {
  auto executable = load_tcc(
      one_kernel(kernel("y[0] = sinf(expf(x[0]));", "float sinf(float); float expf(float);")));
  for (float x : {-3.0F, 0.1F, 1.5F, 20.0F, 80.0F}) {
    EXPECT_EQ(run(*executable, x), elementary::sin(elementary::exp(x)));
  }
}

TEST(TccBackend, UnsignedConversionsNeedNoLibrary) {
  auto executable = load_tcc(one_kernel(
      kernel("unsigned long u = (unsigned long)x[0]; double e = (double)u; unsigned long v = "
             "(unsigned long)e; y[0] = (float)v;")));
  EXPECT_EQ(run(*executable, 1.5e19F), 1.5e19F);
}

TEST(TccBackend, UnknownNamesAreRefused) {
  EXPECT_NE(refusal(kernel("y[0] = nosuch(x[0]);")).find("nosuch"), std::string::npos);
  // Declared and exported by this process, but not one of ours.
  std::string text = refusal(kernel("y[0] = (float)getpid();", "int getpid(void);"));
  EXPECT_NE(text.find("getpid"), std::string::npos) << text;
  text = refusal(kernel("y[0] = ;"));
  EXPECT_NE(text.find("y[0] = ;"), std::string::npos) << text;
  EXPECT_NE(refusal("int other;").find("defines no kernel `k`"), std::string::npos);
  EXPECT_NE(refusal("#include <stdio.h>\n" + kernel("")).find("stdio.h"), std::string::npos);
  // And afterwards everything still works.
  EXPECT_EQ(run(*load_tcc(one_kernel(kernel("y[0] = x[0];"))), 2.0F), 2.0F);
}

TEST(TccBackend, StatusesBecomeErrors) {
  auto executable = load_tcc(one_kernel(kernel("d[0] = 7; d[1] = 3; return 3;")));
  try {
    run(*executable, 0);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(),
                 "`test`: index 7 is out of range for an axis of size 3 (in kernel `k`)");
  }
}

TEST(TccBackend, ExitInsideLibtccComesBack) {
  int reached = 0;
  EXPECT_FALSE(run_guarded(
      [](void* context) {
        *static_cast<int*>(context) = 1;
        caten_tcc_exit(1);
      },
      &reached));
  EXPECT_EQ(reached, 1);
  EXPECT_TRUE(run_guarded([](void*) {}, nullptr));
  EXPECT_EQ(run(*load_tcc(one_kernel(kernel("y[0] = x[0];"))), 2.0F), 2.0F);
}

TEST(TccBackend, CodePagesAreNeverWritableAndExecutable) {
  auto executable = load_tcc(one_kernel(kernel("y[0] = x[0];")));
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    EXPECT_EQ(line.find(" rwx"), std::string::npos) << line;
  }
}

TEST(TccBackend, NumbersDoNotDependOnTheLocale) {
  // Without a second locale installed, strtod's own replacement is all that can be shown.
  const char* german = setlocale(LC_NUMERIC, "de_DE.UTF-8");
  auto executable = load_tcc(one_kernel(kernel("y[0] = 1.5f;")));
  EXPECT_EQ(run(*executable, 0), 1.5F);
  setlocale(LC_NUMERIC, "C");
  if (german == nullptr) {
    GTEST_SKIP() << "no locale with another decimal point is installed";
  }
}

/// Runs `body` in a child process; its exit status, -1 when it died by a signal.
template <typename Body>
int in_child(Body body) {
  pid_t child = fork();
  if (child == 0) {
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int compile_and_check() {
  return run(*load_tcc(one_kernel(kernel("y[0] = x[0] + 1.0f;"))), 1.0F) == 2.0F ? 0 : 1;
}

TEST(TccBackend, WorksWithoutFileDescriptors) {
  // No descriptor can be opened: neither compiling nor running needs one.
  const int code = in_child([] {
#ifdef __SANITIZE_ADDRESS__
    // UBSan opens files of its own when it first meets a class with virtual functions.
    if (compile_and_check() != 0) {
      return 3;
    }
#endif
    rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    return open("/dev/null", O_RDONLY) < 0 ? compile_and_check() : 2;
  });
  EXPECT_EQ(code, 0);
}

TEST(TccBackend, WorksUnderMemoryDenyWriteExecute) {
  constexpr int kSetMdwe = 65;  // PR_SET_MDWE, Linux 6.3
  int result = in_child([] {
    if (prctl(kSetMdwe, 1UL, 0UL, 0UL, 0UL) != 0) {
      return 77;
    }
    return compile_and_check();
  });
  if (result == 77) {
    GTEST_SKIP() << "this kernel has no PR_SET_MDWE";
  }
  EXPECT_EQ(result, 0);
}

TEST(TccBackend, ThreadsWithSmallStacksCompileToo) {
  // 300 nested parentheses take more than this stack in the parser.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread{};
  float result = 0;
  auto body = [](void* context) -> void* {
    std::string deep = std::string(300, '(') + "x[0]" + std::string(300, ')');
    *static_cast<float*>(context) =
        run(*load_tcc(one_kernel(kernel("y[0] = " + deep + ";"))), 4.0F);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &result), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(result, 4.0F);
}

TEST(TccBackend, ThreadsCompileAndRunAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 50; ++i) {
        float addend = static_cast<float>(100 * t + i);
        auto executable =
            load_tcc(one_kernel(kernel("y[0] = x[0] + " + std::to_string(100 * t + i) + ".0f;")));
        for (int r = 0; r < 20; ++r) {
          wrong += run(*executable, 1.0F) != 1.0F + addend;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

int64_t resident_pages() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  statm >> total >> resident;
  return resident;
}

TEST(TccBackend, ThousandsOfCompilationsDoNotGrowTheProcess) {
  std::string source = kernel("y[0] = sinf(x[0]) * 2.0f;", "float sinf(float);");
  for (int i = 0; i < 500; ++i) {
    load_tcc(one_kernel(source));
  }
  int64_t before = resident_pages();
  for (int i = 0; i < 3000; ++i) {
    load_tcc(one_kernel(source));
  }
#if !defined(__SANITIZE_ADDRESS__)  // which keeps freed memory for a while
  EXPECT_LT(resident_pages() - before, 512);
#else
  EXPECT_GT(before, 0);
#endif
}

TEST(CodeMemory, HoldsCodeAndMoves) {
  CodeMemory memory(100);
  std::memset(memory.address(), 0xC3, 100);  // x86: ret
  CodeMemory moved = std::move(memory);
  EXPECT_EQ(memory.address(), nullptr);
  moved.make_executable();
  EXPECT_EQ(*static_cast<unsigned char*>(moved.address()), 0xC3);
}

}  // namespace
}  // namespace caten::runtime
