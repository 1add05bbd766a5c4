// Entries: the functions that `catenc FILE -o kernels.c` writes. `defentry` and `caten/defun[…]`
// register them while the file is loaded; a file with neither has one for every op class whose
// `forward` is a single `st`.
#pragma once

#include <string>
#include <vector>

#include "frontend/lisp/interpreter.h"
#include "ir/air/air.h"
#include "runtime/buffer.h"

namespace caten::tensor {

struct Entry {
  std::string lisp_name;     // as the user spelled it: "SinCos"
  std::string symbol_name;   // what C names derive from: "sincos", "|Foo|" (see size_name)
  std::string c_prefix;      // the C name that caten/defun asked for, or ""
  std::string suffix;        // "_float32" when there is one function per dtype, or ""
  bool is_backward = false;  // the function of gradients, NAME_backward
  Span span;                 // the defining form
  air::Graph graph;
  /// ParamAttr::storage indexes this.
  std::vector<runtime::StoragePtr> storages;
  std::string graph_text;  // the tensor graph, for --emit=graph
};

/// All entries after a file was loaded as `file_name` (SourceMap::name), backward functions after
/// their forward ones. Throws CompileError for entries that cannot be built.
std::vector<Entry> collect_entries(lisp::Interpreter& interp, const std::string& file_name);

/// What `defentry` and `caten/defun[…]` record.
class EntryTable {
 public:
  explicit EntryTable(lisp::Interpreter& interp);
  static EntryTable& of(lisp::Interpreter& interp) { return interp.state<EntryTable>("entries"); }

  struct Record {
    lisp::Value name;
    lisp::Value parameters;  // ((x shape :dtype d) …), or the lambda list of caten/defun
    lisp::Value function;
    std::string c_prefix;
    std::vector<DType> dtypes;  // empty: `defentry`
    bool wants_backward = false;
    Span span;
  };
  /// Replaces an entry of the same name.
  void add(Record record);
  const std::vector<Record>& records() const { return records_; }

 private:
  std::vector<Record> records_;
  RootedVector<lisp::Value> roots_;
};

}  // namespace caten::tensor
