// Code images: the compiled library as bytes, so that a start neither reads nor compiles it.
//
// An image holds, for each library file, the code of its top-level forms in order; loading a file
// calls them. It is position-independent data (the word "fasl" of other Lisps): symbols by package
// and name, objects by value, codes by offset. A function's body stays encoded until the function
// is first called (Code::image), so loading costs what the top-level forms do.
//
// Layout, all numbers LEB128 unless said otherwise:
//   header   symbol count, symbols (package name, name); file count, files (name, form count, form
//            offsets); size of the codes; then the codes
//   code     name, span, size of the body, body
//   body     parameters, frame_slots, max_depth, labels, words (4 bytes each, native order),
//            places, doc, constants
// Written by a build step (frontend/compile_stdlib.cpp) of the same build: there is no version.
#pragma once

#include <span>
#include <vector>

#include "frontend/library_text.h"
#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

/// Loads `files` from their texts, in order, and returns the image of all their code.
std::vector<uint8_t> make_image(Interpreter& interp, std::span<const LibraryText> files);

/// Runs the files of an image, whose bytes must outlive the interpreter. `files` are the ones the
/// image was made of.
void load_image(Interpreter& interp, std::span<const uint8_t> image,
                std::span<const LibraryText> files);

/// Makes words, constants and parameters of a code available: decodes its body or compiles its
/// source where that has not happened. The VM does so at the first call.
void make_ready(Interpreter& interp, Code& code);

}  // namespace caten::lisp
