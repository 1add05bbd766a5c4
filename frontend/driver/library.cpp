// See library.h.
#include "frontend/driver/library.h"

#include <algorithm>
#include <map>

#include "frontend/driver/output.h"
#include "runtime/formats/safetensors.h"
#include "runtime/system_compiler.h"

namespace caten::driver {
namespace {

using codegen::Weights;

/// What -o asks for, by its suffix.
enum class Product : uint8_t { Source, Object, Shared, Archive, Program };

[[noreturn]] void fail_option(std::string message) {
  throw CompileError(Diag::BadOption, {}, std::move(message));
}

Product product_of(const Options& options) {
  const std::string& path = options.output;
  const bool compiled = !options.cc.empty();
  if (path.ends_with(".o")) {
    return Product::Object;
  }
  if (path.ends_with(".so")) {
    return Product::Shared;
  }
  if (path.ends_with(".a")) {
    return Product::Archive;
  }
  if (!compiled) {
    return Product::Source;
  }
  const std::string name = path.substr(path.find_last_of('/') + 1);
  if (options.emit_main && name.find('.') == std::string::npos && name != "-") {
    return Product::Program;
  }
  fail_option(
      fmt::format("--cc={} makes .o, .so and .a files, and programs of names without a dot "
                  "with --emit-main; got -o {}",
                  options.cc, path));
}

/// "dir/kernels.c" -> "dir/kernels", "libmodel.so" -> "model": the header is this and ".h".
std::string stem_of(const std::string& output, Product product) {
  const size_t slash = output.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "" : output.substr(0, slash + 1);
  std::string name = output.substr(folder.size());
  for (const char* suffix : {".c", ".o", ".so", ".a"}) {
    if (name.ends_with(suffix) && name != suffix) {
      name.resize(name.size() - std::string_view(suffix).size());
      break;
    }
  }
  const bool library = product == Product::Shared || product == Product::Archive;
  if (library && name.starts_with("lib") && name.size() > 3) {
    name.erase(0, 3);
  }
  return folder + name;
}

Weights weights_of(const Options& options) {
  return options.weights == "embed"  ? Weights::Embed
         : options.weights == "file" ? Weights::File
                                     : Weights::Caller;
}

/// The parameters of all entries, each once, and where the file of them has them.
struct WeightsFile {
  runtime::NamedStorages tensors;
  std::map<const runtime::Storage*, size_t> index;
  runtime::SafetensorsLayout layout;
};

WeightsFile collect_weights(const std::string& path, const std::vector<Unit>& units) {
  WeightsFile out;
  std::map<std::string, int> names;
  for (const Unit& unit : units) {
    for (const runtime::Buffer& buffer : unit.compilation.program.buffers) {
      if (buffer.kind != runtime::BufferKind::Param || buffer.written) {
        continue;
      }
      const runtime::StoragePtr& storage = unit.entry.storages[static_cast<size_t>(buffer.storage)];
      if (storage == nullptr || !out.index.try_emplace(storage.get(), out.tensors.size()).second) {
        continue;
      }
      std::string name = buffer.name;
      for (int& count = names[buffer.name]; ++count > 1;) {
        name = fmt::format("{}_{}", buffer.name, count);
        if (names.try_emplace(name, 1).second) {
          break;
        }
      }
      out.tensors.emplace_back(std::move(name), storage);
    }
  }
  out.layout = runtime::layout_safetensors(path, out.tensors);
  return out;
}

std::vector<codegen::LibraryEntry> library_entries(Session& session, const std::vector<Unit>& units,
                                                   const WeightsFile& weights) {
  std::vector<codegen::LibraryEntry> entries;
  for (const Unit& unit : units) {
    codegen::LibraryEntry entry;
    entry.c_name = unit.c_name;
    entry.lisp_name = unit.entry.lisp_name;
    entry.doc = session.sources()->snippet(unit.entry.span);
    entry.compilation = &unit.compilation;
    for (size_t i = 0; i < unit.entry.storages.size(); ++i) {
      if (const runtime::StoragePtr& storage = unit.entry.storages[i]) {
        const auto* data = static_cast<const std::byte*>(storage->data());
        const auto in_file = weights.index.find(storage.get());
        const uint64_t offset =
            in_file == weights.index.end() ? 0 : weights.layout.offsets[in_file->second];
        entry.parameters.push_back({.storage = static_cast<int>(i),
                                    .bytes = {data, storage->bytes()},
                                    .file_offset = static_cast<int64_t>(offset)});
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

struct Library {
  codegen::LibraryText text;
  WeightsFile weights;
};

/// `stem` is the path of the header without its suffix.
Library make_library(Session& session, const std::vector<Unit>& units, const std::string& stem) {
  Library out;
  codegen::LibraryOptions options;
  options.weights = weights_of(session.options());
  options.main = session.options().emit_main;
  options.target = session.options().target == "gnu" ? codegen::Target::Gnu : codegen::Target::C99;
  const std::string name = stem.substr(stem.find_last_of('/') + 1);
  if (options.weights == Weights::File) {
    options.file_name = name + ".safetensors";
    out.weights = collect_weights(stem + ".safetensors", units);
    options.file_header = out.weights.layout.start;
    options.file_bytes = static_cast<int64_t>(out.weights.layout.bytes);
  }
  out.text = codegen::emit_library(library_entries(session, units, out.weights), name,
                                   *session.sources(), options);
  return out;
}

/// Runs one step of the compilation; its messages are the error.
void step(const std::vector<std::string>& command, const std::string& output) {
  const runtime::ProgramResult result = runtime::run_program(command);
  if (result.exit_code != 0) {
    fail_file(output, fmt::format("{} failed with exit code {}:\n{}", command[0], result.exit_code,
                                  result.output));
  }
}

std::string required_program(const std::string& name, const std::string& what_for) {
  if (std::optional<std::string> path = runtime::find_program(name)) {
    return *path;
  }
  fail_option(fmt::format("{}: there is no `{}` in PATH", what_for, name));
}

/// The compiler that --cc names, or the first there is.
std::string chosen_compiler(const Options& options) {
  if (!options.cc.empty()) {
    return required_program(options.cc, "--cc=" + options.cc);
  }
  for (const char* name : {"gcc", "clang", "tcc"}) {
    if (std::optional<std::string> path = runtime::find_program(name)) {
      return *path;
    }
  }
  fail_option(
      fmt::format("-o {}: there is no C compiler (gcc, clang or tcc) in PATH", options.output));
}

/// The bytes of the object file, library or program.
std::string compiled(const Options& options, Product product, const std::string& header_name,
                     const codegen::LibraryText& text) {
  const std::string compiler = chosen_compiler(options);
  const bool tcc = compiler.ends_with("tcc");
  const runtime::TemporaryDirectory directory;
  const std::string source = directory.file(header_name + ".c");
  const std::string object = directory.file(header_name + ".o");
  const std::string result = directory.file("result");
  write_outputs({{source, text.source}, {directory.file(header_name + ".h"), text.header}});
  step({compiler, "-std=c99", "-O3", "-fPIC", "-c", source, "-o", object}, options.output);
  switch (product) {
    case Product::Object:
      return read_input(object);
    case Product::Shared:
      step({compiler, "-shared", object, "-o", result, "-lm"}, options.output);
      return read_input(result);
    case Product::Archive:
      if (tcc) {
        step({compiler, "-ar", "rcs", result, object}, options.output);
      } else {
        step({required_program("ar", "-o " + options.output), "rcs", result, object},
             options.output);
      }
      return read_input(result);
    case Product::Program: {
      const std::string main = directory.file("main.c");
      write_outputs({{main, text.main}});
      step({compiler, "-std=c99", "-O2", main, object, "-o", result, "-lm"}, options.output);
      return read_input(result);
    }
    case Product::Source:
      break;
  }
  CATEN_UNREACHABLE("a C file is not compiled");
}

}  // namespace

std::string library_source(Session& session, const std::vector<Unit>& units) {
  return make_library(session, units, "kernels").text.source;
}

void write_library(Session& session, const std::vector<Unit>& units) {
  const Options& options = session.options();
  const std::string& output = options.output;
  const Product product = product_of(options);
  if (product == Product::Source && is_device(output)) {
    write_outputs({{output, library_source(session, units)}});
    return;
  }
  const std::string stem = stem_of(output, product);
  const Library library = make_library(session, units, stem);
  const codegen::LibraryText& text = library.text;
  std::vector<OutputFile> files;
  if (product == Product::Source) {
    files.push_back({output, text.source});
  } else {
    const std::string header_name = stem.substr(stem.find_last_of('/') + 1);
    files.push_back({.path = output,
                     .text = compiled(options, product, header_name, text),
                     .executable = product == Product::Program || product == Product::Shared});
  }
  if (product != Product::Program) {
    files.push_back({stem + ".h", text.header});
    if (options.emit_main) {
      files.push_back({stem + "_main.c", text.main});
    }
  }
  if (weights_of(options) == Weights::File && !library.weights.tensors.empty()) {
    runtime::save_safetensors(stem + ".safetensors", library.weights.tensors);
  }
  write_outputs(files);
}

}  // namespace caten::driver
