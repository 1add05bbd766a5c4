// The steps of a run: bind arguments, find the sizes, plan shapes and arena for them, check what
// arrived, provide outputs, call the executable.
#include "runtime/executor.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <string_view>

#include "ir/support/check.h"
#include "runtime/memory.h"
#include "runtime/size_solver.h"

namespace caten::runtime {
namespace {

std::string declared(const Program& program, const Buffer& buffer) {
  std::vector<std::string> sizes;
  for (const SizeExpr& size : buffer.shape) {
    sizes.push_back(size.to_string(program.symbols));
  }
  return fmt::format("{} ({})", name(buffer.dtype), fmt::join(sizes, " "));
}

std::string given(const Storage& storage) {
  return fmt::format("{} {}", name(storage.dtype()), shape_text(storage.shape()));
}

std::string_view role(const Buffer& buffer) {
  return buffer.kind == BufferKind::Input ? "input" : "parameter";
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Everything a run needs besides its arguments. Kept between runs, so that a run with the sizes
/// of an earlier one allocates nothing but its outputs.
struct Workspace {
  std::vector<int64_t> sizes;
  std::vector<int64_t> planned_sizes;  // what `shapes`, `pointers` and `arena` are made for
  bool planned = false;
  std::vector<std::vector<int64_t>> shapes;  // per buffer, concrete
  std::vector<const StoragePtr*> arguments;  // per input, into the RunArguments
  std::vector<void*> pointers;               // per buffer
  StoragePtr arena;
};

/// Workspaces not in use. Never more than runs were ever active at once.
class WorkspacePool {
 public:
  std::unique_ptr<Workspace> take() {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(free_.back());
      free_.pop_back();
      return workspace;
    }
    free_.reserve(++created_);  // give_back() must not throw
    return std::make_unique<Workspace>();
  }
  void give_back(std::unique_ptr<Workspace> workspace) noexcept {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
  size_t created_ = 0;
};

/// A workspace for the length of one run.
class Lease {
 public:
  explicit Lease(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
  ~Lease() { pool_.give_back(std::move(workspace_)); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Workspace& operator*() { return *workspace_; }

 private:
  WorkspacePool& pool_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace

struct Executor::Impl {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Executable> executable;
  std::vector<StoragePtr> params;
  ExecutorOptions options;
  bool writes_state = false;
  std::mutex state_mutex;  // held while a program that writes Params runs
  WorkspacePool pool;

  const Buffer& buffer(int index) const { return program->buffers[static_cast<size_t>(index)]; }
  const Buffer& input(size_t i) const { return buffer(program->inputs[i]); }
  size_t input_count() const { return program->inputs.size(); }

  template <typename... Args>
  [[noreturn]] void error(fmt::format_string<Args...> format, Args&&... args) const {
    throw RuntimeError(
        fmt::format("`{}`: {}", options.entry, fmt::format(format, std::forward<Args>(args)...)));
  }

  void validate() const;
  void run(const RunArguments& arguments, Workspace& work, RunResult& result);

  // The steps of a run, in order.
  void bind_arguments(const RunArguments& arguments, Workspace& work) const;
  void bind_sizes(const RunArguments& arguments, Workspace& work) const;
  void infer_sizes(Workspace& work) const;
  void plan(Workspace& work) const;
  void check_shape(const Workspace& work, int index, const Storage& storage) const;
  void bind_outputs(const Workspace& work, RunResult& result) const;
  void fill_pointers(Workspace& work, const RunResult& result) const;

  size_t find_input(const std::string& wanted) const;
  void check_type(const Buffer& buffer, const Storage& storage) const;
  void check_relations(const Workspace& work) const;
  void place_temporaries(Workspace& work) const;
};

/// The program comes from our compiler: what is wrong here is a bug.
void Executor::Impl::validate() const {
  auto in_range = [](int index, size_t count) {
    return index >= 0 && static_cast<size_t>(index) < count;
  };
  for (const std::vector<int>* indices : {&program->inputs, &program->outputs}) {
    for (int index : *indices) {
      CATEN_CHECK(in_range(index, program->buffers.size()), "buffer {} of {}", index,
                  program->buffers.size());
    }
  }
  for (const Call& call : program->calls) {
    CATEN_CHECK(in_range(call.kernel, program->kernels.size()), "kernel {}", call.kernel);
    for (int index : call.buffers) {
      CATEN_CHECK(in_range(index, program->buffers.size()), "buffer {}", index);
    }
  }
  for (const Buffer& buffer : program->buffers) {
    if (buffer.kind == BufferKind::Param) {
      CATEN_CHECK(in_range(buffer.storage, params.size()) &&
                      params[static_cast<size_t>(buffer.storage)] != nullptr,
                  "no storage for parameter `{}` of `{}`", buffer.name, program->name);
    }
  }
}

size_t Executor::Impl::find_input(const std::string& wanted) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < input_count(); ++i) {
    if (input(i).name == wanted) {
      return i;
    }
    names.push_back(input(i).name);
  }
  error("no input is named `{}`; {}", wanted,
        names.empty() ? std::string("there are none")
                      : fmt::format("the inputs are `{}`", fmt::join(names, "`, `")));
}

void Executor::Impl::check_type(const Buffer& buffer, const Storage& storage) const {
  if (storage.dtype() != buffer.dtype) {
    error("{} `{}` has the wrong dtype; got {}, expected {}", role(buffer), buffer.name,
          given(storage), declared(*program, buffer));
  }
  if (storage.shape().size() != buffer.shape.size()) {
    error("{} `{}` has rank {}, expected {}; got {}, expected {}", role(buffer), buffer.name,
          storage.rank(), buffer.shape.size(), given(storage), declared(*program, buffer));
  }
}

void Executor::Impl::bind_arguments(const RunArguments& arguments, Workspace& work) const {
  if (arguments.inputs.size() > input_count()) {
    error("got {} inputs, expected {}", arguments.inputs.size(), input_count());
  }
  work.arguments.assign(input_count(), nullptr);
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    work.arguments[i] = arguments.inputs[i] ? &arguments.inputs[i] : nullptr;
  }
  for (const auto& [input_name, storage] : arguments.named) {
    size_t i = find_input(input_name);
    if (work.arguments[i] != nullptr) {
      error("input `{}` is given twice", input_name);
    }
    work.arguments[i] = storage ? &storage : nullptr;
  }
  for (size_t i = 0; i < input_count(); ++i) {
    if (work.arguments[i] == nullptr) {
      error("input `{}` is missing, expected {}", input(i).name, declared(*program, input(i)));
    }
    check_type(input(i), **work.arguments[i]);
  }
}

void Executor::Impl::bind_sizes(const RunArguments& arguments, Workspace& work) const {
  const std::vector<std::string>& symbols = program->symbols;
  work.sizes.assign(symbols.size(), kUnknownSize);
  for (const auto& [symbol, value] : arguments.sizes) {
    auto found = std::find(symbols.begin(), symbols.end(), symbol);
    if (found == symbols.end()) {
      error("no size is named `{}`; {}", symbol,
            symbols.empty() ? std::string("there are none")
                            : fmt::format("the sizes are `{}`", fmt::join(symbols, "`, `")));
    }
    if (value < 0) {
      error("size `{}` is {}, expected 0 or more", symbol, value);
    }
    int64_t& slot = work.sizes[static_cast<size_t>(found - symbols.begin())];
    if (slot != kUnknownSize && slot != value) {
      error("size `{}` is given as {} and as {}", symbol, slot, value);
    }
    slot = value;
  }
}

void Executor::Impl::infer_sizes(Workspace& work) const {
  bool learnt = true;
  while (learnt) {
    learnt = false;
    for (size_t i = 0; i < input_count(); ++i) {
      const std::vector<int64_t>& shape = (*work.arguments[i])->shape();
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        const SizeExpr& expr = input(i).shape[axis];
        if (all_known(expr, work.sizes)) {
          continue;
        }
        if (std::optional<Solution> found = solve(expr, shape[axis], work.sizes)) {
          work.sizes[static_cast<size_t>(found->symbol)] = found->value;
          learnt = true;
        }
      }
    }
  }
  for (size_t i = 0; i < work.sizes.size(); ++i) {
    if (work.sizes[i] == kUnknownSize) {
      error("size `{}` is not given and does not follow from the shapes of the inputs",
            program->symbols[i]);
    }
  }
}

void Executor::Impl::check_shape(const Workspace& work, int index, const Storage& storage) const {
  const std::vector<int64_t>& expected = work.shapes[static_cast<size_t>(index)];
  if (storage.shape() == expected) {
    return;
  }
  const Buffer& declared_buffer = buffer(index);
  for (size_t axis = 0; axis < expected.size(); ++axis) {
    if (storage.shape()[axis] == expected[axis]) {
      continue;
    }
    std::string expression = declared_buffer.shape[axis].to_string(program->symbols);
    std::string number = std::to_string(expected[axis]);
    error("axis {} of {} `{}` is {}, expected {}; got {}, expected {}", axis, role(declared_buffer),
          declared_buffer.name, storage.shape()[axis],
          expression == number ? number : fmt::format("{} = {}", expression, number),
          given(storage), declared(*program, declared_buffer));
  }
}

void Executor::Impl::check_relations(const Workspace& work) const {
  for (const EntryCheck& check : program->checks) {
    std::optional<int64_t> left = check.left.evaluate(work.sizes);
    std::optional<int64_t> right = check.right.evaluate(work.sizes);
    if (left && right && *left == *right) {
      continue;
    }
    auto text = [](const std::optional<int64_t>& value) {
      return value ? std::to_string(*value) : std::string("beyond int64");
    };
    std::string message = check.message;
    replace_all(message, "{left}", text(left));
    replace_all(message, "{right}", text(right));
    error("{}", message);
  }
}

void Executor::Impl::place_temporaries(Workspace& work) const {
  std::optional<int64_t> total = program->arena_bytes.evaluate(work.sizes);
  if (!total || *total < 0) {
    error("the memory for temporaries overflows; it is {} bytes",
          program->arena_bytes.to_string(program->symbols));
  }
  if (!work.arena || work.arena->elements() < *total) {
    work.arena = nullptr;  // free first: the two need not fit together
    work.arena = Storage::allocate(DType::UInt8, {*total}, Fill::Undefined, options.counter);
  }
  auto* base = static_cast<std::byte*>(work.arena->data());
  for (size_t i = 0; i < program->buffers.size(); ++i) {
    const Buffer& temporary = program->buffers[i];
    if (temporary.kind != BufferKind::Temporary) {
      continue;
    }
    std::optional<int64_t> offset = temporary.arena_offset.evaluate(work.sizes);
    int64_t bytes = *checked_bytes(temporary.dtype, work.shapes[i]);
    CATEN_CHECK(
        offset && *offset >= 0 && *offset % 64 == 0 && bytes <= *total && *offset <= *total - bytes,
        "buffer {} of `{}` ({} bytes at {}) is outside its arena of {} bytes", i, program->name,
        bytes, offset.value_or(-1), *total);
    work.pointers[i] = base + *offset;
  }
}

/// Shapes, arena and temporaries for work.sizes.
void Executor::Impl::plan(Workspace& work) const {
  if (work.planned && work.planned_sizes == work.sizes) {
    return;
  }
  work.planned = false;
  work.shapes.resize(program->buffers.size());
  work.pointers.assign(program->buffers.size(), nullptr);
  for (size_t i = 0; i < program->buffers.size(); ++i) {
    const Buffer& planned = program->buffers[i];
    work.shapes[i].clear();
    for (const SizeExpr& size : planned.shape) {
      std::optional<int64_t> value = size.evaluate(work.sizes);
      if (!value || *value < 0) {
        error("a size of {} is {}: {}",
              planned.name.empty() ? fmt::format("{}", declared(*program, planned))
                                   : fmt::format("`{}`", planned.name),
              value ? "negative" : "beyond int64", size.to_string(program->symbols));
      }
      work.shapes[i].push_back(*value);
    }
    if (!checked_bytes(planned.dtype, work.shapes[i])) {
      error("an array of {} {} is too large", name(planned.dtype), shape_text(work.shapes[i]));
    }
  }
  check_relations(work);
  place_temporaries(work);
  work.planned_sizes = work.sizes;
  work.planned = true;
}

void Executor::Impl::bind_outputs(const Workspace& work, RunResult& result) const {
  const std::vector<int>& outputs = program->outputs;
  result.outputs.resize(outputs.size());
  auto first_use = [&](size_t i) {
    return static_cast<size_t>(std::find(outputs.begin(), outputs.end(), outputs[i]) -
                               outputs.begin());
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (first_use(i) != i) {
      result.outputs[i] = nullptr;  // a second reference would hinder reuse
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    StoragePtr& slot = result.outputs[i];
    if (first_use(i) != i) {
      slot = result.outputs[first_use(i)];
      continue;
    }
    const Buffer& output = buffer(outputs[i]);
    if (output.kind == BufferKind::Param) {
      slot = params[static_cast<size_t>(output.storage)];
      continue;
    }
    if (output.kind == BufferKind::Input) {
      auto position = std::find(program->inputs.begin(), program->inputs.end(), outputs[i]);
      slot = *work.arguments[static_cast<size_t>(position - program->inputs.begin())];
      continue;
    }
    CATEN_CHECK(output.kind == BufferKind::Output, "`{}` returns a temporary", program->name);
    const std::vector<int64_t>& shape = work.shapes[static_cast<size_t>(outputs[i])];
    bool reusable = slot && slot.use_count() == 1 && slot->owns_memory() &&
                    slot->dtype() == output.dtype && slot->shape() == shape;
    if (!reusable) {
      slot = Storage::allocate(output.dtype, shape, Fill::Undefined, options.counter);
    }
  }
}

/// Temporaries already have their places in the arena.
void Executor::Impl::fill_pointers(Workspace& work, const RunResult& result) const {
  for (size_t i = 0; i < input_count(); ++i) {
    work.pointers[static_cast<size_t>(program->inputs[i])] = (*work.arguments[i])->data();
  }
  for (size_t i = 0; i < program->buffers.size(); ++i) {
    if (program->buffers[i].kind == BufferKind::Param) {
      work.pointers[i] = params[static_cast<size_t>(program->buffers[i].storage)]->data();
    }
  }
  for (size_t i = 0; i < program->outputs.size(); ++i) {
    work.pointers[static_cast<size_t>(program->outputs[i])] = result.outputs[i]->data();
  }
}

void Executor::Impl::run(const RunArguments& arguments, Workspace& work, RunResult& result) {
  bind_arguments(arguments, work);
  bind_sizes(arguments, work);
  infer_sizes(work);
  plan(work);
  for (size_t i = 0; i < input_count(); ++i) {
    check_shape(work, program->inputs[i], **work.arguments[i]);
  }
  for (size_t i = 0; i < program->buffers.size(); ++i) {
    if (program->buffers[i].kind == BufferKind::Param) {
      const Storage& storage = *params[static_cast<size_t>(program->buffers[i].storage)];
      check_type(program->buffers[i], storage);
      check_shape(work, static_cast<int>(i), storage);
    }
  }
  bind_outputs(work, result);
  result.sizes = work.sizes;
  fill_pointers(work, result);
  std::unique_lock turn(state_mutex, std::defer_lock);
  if (writes_state) {
    turn.lock();
  }
  if (options.poison && work.arena) {
    const std::span arena(static_cast<std::byte*>(work.arena->data()),
                          static_cast<size_t>(work.arena->elements()));
    const std::vector<LiveRange> ranges = live_ranges(*program, work.sizes);
    executable->run_watched(work.sizes, work.pointers,
                            [&](size_t call) { poison_arena(ranges, call, arena); });
    return;
  }
  if (options.profile) {
    executable->run_profiled(work.sizes, work.pointers, *options.profile);
    return;
  }
  executable->run(work.sizes, work.pointers);
}

Executor::Executor(std::shared_ptr<const Program> program,
                   std::shared_ptr<const Executable> executable, std::vector<StoragePtr> params,
                   ExecutorOptions options)
    : impl_(std::make_unique<Impl>()) {
  impl_->program = std::move(program);
  impl_->executable = std::move(executable);
  impl_->params = std::move(params);
  impl_->options = std::move(options);
  if (impl_->options.entry.empty()) {
    impl_->options.entry = impl_->program->name;
  }
  const std::vector<Buffer>& buffers = impl_->program->buffers;
  impl_->writes_state = std::any_of(buffers.begin(), buffers.end(), [](const Buffer& buffer) {
    return buffer.kind == BufferKind::Param && buffer.written;
  });
  impl_->validate();
}

Executor::~Executor() = default;

RunResult Executor::run(const RunArguments& arguments) const {
  RunResult result;
  run_into(arguments, result);
  return result;
}

void Executor::run_into(const RunArguments& arguments, RunResult& result) const {
  Lease lease(impl_->pool);
  impl_->run(arguments, *lease, result);
}

const Program& Executor::program() const {
  return *impl_->program;
}
const std::vector<StoragePtr>& Executor::params() const {
  return impl_->params;
}

}  // namespace caten::runtime
