// Replacements for the C library functions that libtcc must not reach (tcc_symbols.txt).
#include "runtime/tcc_libc.h"

#include <locale.h>
#include <stdlib.h>

#include <cerrno>
#include <clocale>
#include <csetjmp>
#include <cstddef>
#include <cstdlib>

namespace caten::runtime {
namespace {

// Where exit() goes. libtcc gives its exit() no context, so this cannot be a parameter; it is set
// only while the lock of run_guarded's callers is held.
std::jmp_buf* escape = nullptr;

locale_t c_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);  // opens no file
  return locale;
}

}  // namespace

bool run_guarded(void (*body)(void*), void* context) {
  std::jmp_buf here;
  escape = &here;
  if (setjmp(here) != 0) {
    escape = nullptr;
    return false;
  }
  body(context);
  escape = nullptr;
  return true;
}

}  // namespace caten::runtime

extern "C" {

void caten_tcc_exit(int /*code*/) {
  if (caten::runtime::escape == nullptr) {
    std::abort();  // outside run_guarded: a bug of ours, and returning is impossible
  }
  std::longjmp(*caten::runtime::escape, 1);
}

void caten_tcc_assert_fail(const char* /*condition*/, const char* /*file*/, unsigned /*line*/,
                           const char* /*function*/) {
  caten_tcc_exit(1);
}

// Protection is set by the loader, once, after everything is written.
int caten_tcc_mprotect(void* /*address*/, size_t /*length*/, int /*protection*/) {
  return 0;
}

int caten_tcc_open(const char* /*path*/, int /*flags*/, ...) {
  errno = ENOENT;
  return -1;
}

char* caten_tcc_getenv(const char* /*name*/) {
  return nullptr;
}

void* caten_tcc_dlopen(const char* /*path*/, int /*mode*/) {
  return nullptr;
}

// An undefined name in a kernel is an error, not whatever this process happens to export.
void* caten_tcc_dlsym(void* /*handle*/, const char* /*name*/) {
  return nullptr;
}

// libtcc's own lock; ours is held, and an escape through exit() must not leave it taken.
int caten_tcc_sem_init(void* /*semaphore*/, int /*shared*/, unsigned /*value*/) {
  return 0;
}
int caten_tcc_sem_wait(void* /*semaphore*/) {
  return 0;
}
int caten_tcc_sem_post(void* /*semaphore*/) {
  return 0;
}

double caten_tcc_strtod(const char* text, char** end) {
  return strtod_l(text, end, caten::runtime::c_locale());
}
float caten_tcc_strtof(const char* text, char** end) {
  return strtof_l(text, end, caten::runtime::c_locale());
}
long double caten_tcc_strtold(const char* text, char** end) {
  return strtold_l(text, end, caten::runtime::c_locale());
}

}  // extern "C"
