// Buffers and arena for tests of compiled graphs.
#include "tests/support/run_graph.h"

#include <algorithm>
#include <cstring>

#include "ir/support/check.h"
#include "runtime/memory.h"

namespace caten::testing {
namespace {

constexpr size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xa5};

int64_t value_of(const runtime::SizeExpr& expr, std::span<const int64_t> sizes) {
  const std::optional<int64_t> value = expr.evaluate(sizes);
  CATEN_CHECK(value.has_value(), "size expression overflows");
  return *value;
}

/// An allocation followed by bytes that nobody may touch.
struct Guarded {
  std::vector<std::byte> bytes;
  size_t size = 0;

  explicit Guarded(size_t n) : bytes(n + kGuardBytes, kGuard), size(n) {}
  void check(const std::string& name) const {
    for (size_t i = size; i < bytes.size(); ++i) {
      CATEN_CHECK(bytes[i] == kGuard, "buffer `{}` was written past its end", name);
    }
  }
};

}  // namespace

std::vector<air::Array> run(const codegen::Compilation& compilation,
                            const runtime::Executable& executable, air::Environment& env) {
  const runtime::Program& program = compilation.program;
  std::vector<int64_t> sizes;
  for (const std::string& symbol : program.symbols) {
    sizes.push_back(env.symbols.at(symbol));
  }
  Guarded arena(static_cast<size_t>(value_of(program.arena_bytes, sizes)));
  std::vector<Guarded> memory;
  std::vector<void*> pointers;
  std::vector<std::vector<int64_t>> shapes;
  memory.reserve(program.buffers.size());
  for (const runtime::Buffer& buffer : program.buffers) {
    std::vector<int64_t> shape;
    int64_t elements = 1;
    for (const runtime::SizeExpr& size : buffer.shape) {
      shape.push_back(value_of(size, sizes));
      elements *= shape.back();
    }
    const auto bytes = static_cast<size_t>(elements * size_of(buffer.dtype));
    memory.emplace_back(bytes);
    void* pointer = memory.back().bytes.data();
    const air::Array* source = nullptr;
    if (buffer.kind == runtime::BufferKind::Input) {
      source = &env.inputs.at(buffer.name);
    } else if (buffer.kind == runtime::BufferKind::Param) {
      source = &env.params.at(buffer.storage);
    } else if (buffer.kind == runtime::BufferKind::Temporary) {
      const int64_t offset = value_of(buffer.arena_offset, sizes);
      CATEN_CHECK(offset % 64 == 0 && static_cast<size_t>(offset) + bytes <= arena.size,
                  "temporary `{}` lies outside the arena", buffer.name);
      pointer = arena.bytes.data() + offset;
    }
    if (source != nullptr) {
      CATEN_CHECK(source->data.size() == bytes, "buffer `{}` has {} bytes, {} given", buffer.name,
                  bytes, source->data.size());
      std::copy(source->data.begin(), source->data.end(), static_cast<std::byte*>(pointer));
    }
    pointers.push_back(pointer);
    shapes.push_back(std::move(shape));
  }
  const std::vector<runtime::LiveRange> ranges = runtime::live_ranges(program, sizes);
  executable.run_watched(sizes, pointers, [&](size_t call) {
    runtime::poison_arena(ranges, call, std::span(arena.bytes).first(arena.size));
  });
  arena.check("arena");
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const runtime::Buffer& buffer = program.buffers[i];
    memory[i].check(buffer.name);
    if (buffer.kind == runtime::BufferKind::Param && buffer.written) {
      air::Array& param = env.params.at(buffer.storage);
      std::copy_n(static_cast<const std::byte*>(pointers[i]), param.data.size(), param.data.data());
    }
  }
  std::vector<air::Array> outputs;
  for (int output : program.outputs) {
    const auto at = static_cast<size_t>(output);
    air::Array array = air::Array::zeros(program.buffers[at].dtype, shapes[at]);
    std::copy_n(static_cast<const std::byte*>(pointers[at]), array.data.size(), array.data.data());
    outputs.push_back(std::move(array));
  }
  return outputs;
}

}  // namespace caten::testing
