// See tensor.h.
#include "ir/tensor/tensor.h"

#include <algorithm>
#include <unordered_map>

#include "ir/support/check.h"

namespace caten::tensor {
namespace {

void trace_tensor(HeapObject* object, Tracer& tracer) {
  auto* tensor = static_cast<Tensor*>(object);
  tracer.mark(tensor->op);
  tracer.mark(tensor->grad);
  tracer.mark(tensor->place);
  tracer.mark(tensor->version);
  for (const Tensor* input : tensor->inputs) {
    tracer.mark(input);
  }
  for (const Tensor* sibling : tensor->siblings) {
    tracer.mark(sibling);
  }
}

void destroy_tensor(HeapObject* object) {
  static_cast<Tensor*>(object)->~Tensor();
}

}  // namespace

const ObjectType Tensor::kType = {"tensor", trace_tensor, destroy_tensor};

int Tensor::output_index() const {
  const auto* computed = std::get_if<Computed>(&source);
  return computed == nullptr ? 0 : computed->output;
}

Tensor* newest_version(Heap& heap, Tensor* tensor) {
  // From the view down to the place, then up again if something was assigned since.
  std::vector<Tensor*> views;
  Tensor* base = tensor;
  while (base->is_view) {
    views.push_back(base);
    base = base->inputs.front();
  }
  Tensor* place = base->is_assignment ? base->place : base;
  Tensor* newest = base;
  if (place->version != nullptr) {
    newest = place->version;
  } else if (base->is_assignment && base->applied) {
    newest = place;
  }
  if (newest == base) {
    return tensor;
  }
  for (auto view = views.rbegin(); view != views.rend(); ++view) {
    const Tensor& old = **view;
    auto* copy = heap.make<Tensor>();
    copy->shape = old.shape;
    copy->dtype = old.dtype;
    copy->order = old.order;
    copy->source = old.source;
    copy->op = old.op;
    copy->inputs = old.inputs;  // run-time starts stay what they were
    copy->inputs.front() = newest;
    copy->checks = old.checks;
    copy->place = old.place;
    copy->is_view = true;
    copy->id = old.id;
    copy->span = old.span;
    copy->needs_grad = old.needs_grad && newest->needs_grad;
    newest = copy;
  }
  return newest;
}

void attach_op(Heap& heap, HeapObject* op, std::span<Tensor* const> inputs,
               std::span<Tensor* const> outputs, Attachment attachment) {
  std::vector<Tensor*> taken;
  for (Tensor* input : inputs) {
    taken.push_back(attachment.takes_newest ? newest_version(heap, input) : input);
  }
  const bool needs_grad =
      attachment.tracks_gradients &&
      std::any_of(taken.begin(), taken.end(), [](const Tensor* t) { return t->needs_grad; });
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor& output = *outputs[i];
    CATEN_CHECK(output.is<Fresh>(), "an op is attached to a tensor that has a source already");
    output.source = Computed{static_cast<int>(i)};
    output.op = op;
    output.inputs = taken;
    if (outputs.size() > 1) {
      output.siblings.assign(outputs.begin(), outputs.end());
    }
    output.needs_grad = needs_grad && is_float(output.dtype);
  }
  if (attachment.kind == OpKind::Plain || taken.empty() || outputs.size() != 1) {
    return;
  }
  Tensor* place = taken[0]->is<Stored>() ? taken[0] : taken[0]->place;
  if (place == nullptr) {
    return;  // a view of something computed is no place
  }
  outputs[0]->place = place;
  if (attachment.kind == OpKind::View) {
    outputs[0]->is_view = true;
  } else {
    outputs[0]->is_assignment = true;
    place->version = outputs[0];
  }
}

void mark_applied(Tensor& assignment) {
  assignment.applied = true;
  if (assignment.place->version == &assignment) {
    assignment.place->version = nullptr;
  }
}

std::vector<Tensor*> topological_order(std::span<Tensor* const> roots) {
  std::vector<Tensor*> order;
  std::unordered_map<const Tensor*, size_t> next_input;  // of a tensor that was entered
  std::vector<Tensor*> path;
  const auto is_leaf = [&](const Tensor* tensor) {
    return tensor->applied && std::find(roots.begin(), roots.end(), tensor) == roots.end();
  };
  for (Tensor* root : roots) {
    if (next_input.emplace(root, 0).second) {
      path.push_back(root);
    }
    while (!path.empty()) {
      Tensor* tensor = path.back();
      size_t& next = next_input[tensor];
      if (next == tensor->inputs.size() || is_leaf(tensor)) {
        order.push_back(tensor);
        path.pop_back();
        continue;
      }
      Tensor* input = tensor->inputs[next++];
      if (next_input.emplace(input, 0).second) {
        path.push_back(input);
      }
    }
  }
  return order;
}

}  // namespace caten::tensor
