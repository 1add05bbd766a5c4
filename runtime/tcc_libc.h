// The C library as libtcc sees it. The build renames a few symbols in a copy of libtcc.a
// (tcc_symbols.txt) to the functions of tcc_libc.cpp, because the real ones would end the process,
// make memory writable and executable, open files, look names up in this process, or obey
// LC_NUMERIC.
#pragma once

namespace caten::runtime {

/// Runs body(context). True when it returned; false when libtcc called exit() inside it: then
/// nothing it made can be used or freed. No destructors run on that way out, so `body` and what
/// it calls hold plain data only. The caller holds the lock that serialises all use of libtcc.
bool run_guarded(void (*body)(void*), void* context);

}  // namespace caten::runtime

// For the tests; everything else is called from libtcc alone.
extern "C" [[noreturn]] void caten_tcc_exit(int code);
