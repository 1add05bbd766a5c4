// Between arrays of the evaluator and storages of the runtime.
#include "tests/fuzz/run_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace caten::fuzz {

runtime::StoragePtr to_storage(const air::Array& array) {
  runtime::StoragePtr storage =
      runtime::Storage::allocate(array.dtype, array.shape, runtime::Fill::Undefined);
  if (!array.data.empty()) {
    std::memcpy(storage->data(), array.data.data(), array.data.size());
  }
  return storage;
}

air::Array to_array(const runtime::Storage& storage) {
  air::Array array = air::Array::zeros(storage.dtype(), storage.shape());
  if (storage.bytes() != 0) {
    std::memcpy(array.data.data(), storage.data(), storage.bytes());
  }
  return array;
}

codegen::Compilation compile(const testing::RandomProgram& program, bool decisions) {
  codegen::PassContext context;
  context.verify = true;
  if (decisions) {
    context.decision_seed = program.seed;
  }
  return codegen::compile(program.graph, fmt::format("p{}", program.seed), context);
}

Outcome run(const codegen::Compilation& compilation,
            std::shared_ptr<const runtime::Executable> executable,
            const testing::RandomProgram& program) {
  const air::Environment& environment = program.environment;
  auto artifact = std::make_shared<runtime::Program>(compilation.program);
  std::vector<runtime::StoragePtr> params;
  for (const auto& [storage, array] : environment.params) {
    params.resize(static_cast<size_t>(storage) + 1);
    params.back() = to_storage(array);
  }
  runtime::RunArguments arguments;
  for (int input : artifact->inputs) {
    const std::string& name = artifact->buffers[static_cast<size_t>(input)].name;
    arguments.named.emplace_back(name, to_storage(environment.inputs.at(name)));
  }
  for (const std::string& symbol : artifact->symbols) {
    arguments.sizes.emplace_back(symbol, environment.symbols.at(symbol));
  }
  Outcome outcome;
  try {
    runtime::Executor executor(artifact, std::move(executable), params, {.poison = true});
    // Twice, with the parameters of the first run: memory that is reused must not matter.
    runtime::RunResult result = executor.run(arguments);
    for (const auto& [storage, array] : environment.params) {
      std::copy(array.data.begin(), array.data.end(),
                static_cast<std::byte*>(params[static_cast<size_t>(storage)]->data()));
    }
    executor.run_into(arguments, result);
    for (const runtime::StoragePtr& output : result.outputs) {
      outcome.outputs.push_back(to_array(*output));
    }
    for (const auto& [storage, array] : environment.params) {
      outcome.params.emplace(storage, to_array(*params[static_cast<size_t>(storage)]));
    }
  } catch (const runtime::RuntimeError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace caten::fuzz
