// The class registry: names, definition and redefinition, precedence lists, effective slots.
#include "frontend/clos/classes.h"

#include <algorithm>
#include <cstdlib>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/generic.h"
#include "frontend/lisp/forms.h"

namespace caten::lisp {

namespace {

void trace_init(Tracer& tracer, const InitForm& init) {
  trace(tracer, init.form);
  trace(tracer, init.function);
}

void trace_slots(Tracer& tracer, const std::vector<SlotDefinition>& slots) {
  for (const SlotDefinition& slot : slots) {
    trace(tracer, slot.name);
    trace_init(tracer, slot.initform);
    trace(tracer, slot.type);
    trace(tracer, slot.documentation);
    trace(tracer, slot.shared);
    for (Value initarg : slot.initargs) {
      trace(tracer, initarg);
    }
  }
}

void trace_class(HeapObject* object, Tracer& tracer) {
  Class& cls = *static_cast<Class*>(object);
  trace(tracer, cls.name);
  for (const auto* list : {&cls.direct_superclasses, &cls.direct_subclasses, &cls.precedence}) {
    for (Class* other : *list) {
      tracer.mark(other);
    }
  }
  trace_slots(tracer, cls.direct_slots);
  trace_slots(tracer, cls.slots);
  for (const auto* list : {&cls.direct_default_initargs, &cls.default_initargs}) {
    for (const DefaultInitarg& initarg : *list) {
      trace(tracer, initarg.key);
      trace_init(tracer, initarg.form);
    }
  }
  tracer.mark(cls.layout);
  for (Method* accessor : cls.accessors) {
    tracer.mark(accessor);
  }
  trace(tracer, cls.documentation);
  trace(tracer, cls.report);
  for (Value key : cls.valid_initargs) {
    trace(tracer, key);
  }
}

void trace_layout(HeapObject* object, Tracer& tracer) {
  Layout& layout = *static_cast<Layout*>(object);
  tracer.mark(layout.cls);
  for (Value name : layout.names) {
    trace(tracer, name);
  }
}

void trace_instance(HeapObject* object, Tracer& tracer) {
  Instance& instance = *static_cast<Instance*>(object);
  tracer.mark(instance.layout);
  for (Value slot : instance.values()) {
    trace(tracer, slot);
  }
}

template <typename T>
void destroy_object(HeapObject* object) {
  static_cast<T*>(object)->~T();
}

void destroy_instance(HeapObject* object) {
  Instance& instance = *static_cast<Instance*>(object);
  if (instance.slots != instance.tail()) {
    std::free(instance.slots);
  }
}

}  // namespace

const ObjectType Class::kType = {"class", trace_class, destroy_object<Class>};
const ObjectType Layout::kType = {"layout", trace_layout, destroy_object<Layout>};
const ObjectType Instance::kType = {"instance", trace_instance, destroy_instance};

const SlotDefinition* Class::find_slot(Value slot_name) const {
  for (const SlotDefinition& slot : slots) {
    if (slot.name == slot_name) {
      return &slot;
    }
  }
  return nullptr;
}

Classes::Classes(Interpreter& interp) : interp_(interp) {
  interp.heap().add_root(this);
  define_builtins();
}

Classes::~Classes() {
  interp_.heap().remove_root(this);
}

void Classes::trace_roots(Tracer& tracer) {
  for (const auto& [name, cls] : by_name_) {
    tracer.mark(cls);
  }
  for (const auto& [type, cls] : by_type_) {
    tracer.mark(cls);
  }
}

Class* Classes::find(Value name) const {
  auto found = by_name_.find(name.bits());
  return found == by_name_.end() || found->second->metaclass == Metaclass::Forward ? nullptr
                                                                                   : found->second;
}

Class* Classes::require(Value name) {
  if (Class* cls = find(name)) {
    return cls;
  }
  std::vector<std::string> names;
  for (const Class* cls : all()) {
    names.push_back(interp_.print(cls->name));
  }
  std::string wanted = interp_.print(name);
  std::optional<std::string> similar = did_you_mean(wanted, names);
  fail(Diag::UndefinedClass, interp_.current_span(), "there is no class named `{}`{}", wanted,
       similar ? "; did you mean `" + *similar + "`?" : "");
}

void Classes::set_name(Value name, Class* cls) {
  if (cls == nullptr) {
    by_name_.erase(name.bits());
  } else {
    by_name_[name.bits()] = cls;
  }
  invalidate();
}

Class* Classes::designated(Value designator, std::string_view what) {
  Class* cls = designator.try_as<Class>();
  if (cls == nullptr) {
    expect_symbol(interp_, designator, what);
    cls = require(designator);
  }
  if (!cls->finalized) {
    finalize(cls);
  }
  return cls;
}

std::vector<Class*> Classes::all() const {
  std::vector<Class*> out;
  for (const auto& [name, cls] : by_name_) {
    if (cls->metaclass != Metaclass::Forward) {
      out.push_back(cls);
    }
  }
  return out;
}

Class* Classes::ensure_forward(Value name) {
  auto found = by_name_.find(name.bits());
  if (found != by_name_.end()) {
    return found->second;
  }
  expect_symbol(interp_, name, "superclass");
  Class* cls = interp_.heap().make<Class>(*this, name, Metaclass::Forward);
  by_name_[name.bits()] = cls;
  return cls;
}

void Classes::link(Class* cls, std::vector<Class*> superclasses) {
  for (Class* super : cls->direct_superclasses) {
    std::erase(super->direct_subclasses, cls);
  }
  cls->direct_superclasses = std::move(superclasses);
  for (Class* super : cls->direct_superclasses) {
    super->direct_subclasses.push_back(cls);
  }
}

bool Classes::can_finalize(const Class* cls) const {
  std::vector<const Class*> pending{cls};
  std::vector<const Class*> seen;
  while (!pending.empty()) {
    const Class* next = pending.back();
    pending.pop_back();
    if (next->metaclass == Metaclass::Forward) {
      return false;
    }
    if (!next->finalized && std::find(seen.begin(), seen.end(), next) == seen.end()) {
      seen.push_back(next);
      pending.insert(pending.end(), next->direct_superclasses.begin(),
                     next->direct_superclasses.end());
    }
  }
  return true;
}

Class* Classes::define(Definition definition) {
  auto found = by_name_.find(definition.name.bits());
  Class* cls = found == by_name_.end() ? nullptr : found->second;
  bool redefined = cls != nullptr && cls->metaclass == definition.metaclass;
  if (cls == nullptr || (!redefined && cls->metaclass != Metaclass::Forward)) {
    cls = interp_.heap().make<Class>(*this, definition.name, definition.metaclass);
  }
  // The new state is tried before it takes effect: a bad definition leaves the old one in force.
  Class* trial = interp_.heap().make<Class>(*this, definition.name, definition.metaclass);
  trial->direct_superclasses = definition.superclasses;
  for (Class* super : definition.superclasses) {
    if (super == cls || (super->finalized && super->is_subclass_of(cls))) {
      fail(Diag::BadClass, interp_.current_span(), "class `{}` cannot inherit from itself",
           interp_.print(definition.name));
    }
  }
  if (can_finalize(trial)) {
    for (Class* super : definition.superclasses) {
      if (!super->finalized) {
        finalize(super);
      }
    }
    compute_precedence(trial);
  }
  cls->metaclass = definition.metaclass;
  link(cls, std::move(definition.superclasses));
  for (SlotDefinition& slot : definition.slots) {
    for (const SlotDefinition& old : cls->direct_slots) {
      if (old.name == slot.name && !old.shared.is_none() && !slot.shared.is_none()) {
        slot.shared = old.shared;  // a class slot keeps its value
      }
    }
  }
  cls->direct_slots = std::move(definition.slots);
  cls->direct_default_initargs = std::move(definition.default_initargs);
  cls->documentation = definition.documentation;
  cls->report = definition.report;
  by_name_[definition.name.bits()] = cls;
  std::vector<Class*> affected{cls};
  for (size_t i = 0; i < affected.size(); ++i) {
    for (Class* sub : affected[i]->direct_subclasses) {
      if (std::find(affected.begin(), affected.end(), sub) == affected.end()) {
        affected.push_back(sub);
      }
    }
  }
  for (Class* one : affected) {
    one->finalized = false;
  }
  for (Class* one : affected) {
    if (!one->finalized && can_finalize(one)) {
      finalize(one);
    }
  }
  invalidate();
  return cls;
}

void Classes::finalize(Class* cls) {
  if (cls->metaclass == Metaclass::Forward) {
    fail(Diag::UndefinedClass, interp_.current_span(),
         "class `{}` is named as a superclass but is not defined", interp_.print(cls->name));
  }
  interp_.check_stack();
  for (Class* super : cls->direct_superclasses) {
    if (!super->finalized) {
      finalize(super);
    }
  }
  cls->precedence = compute_precedence(cls);
  if (cls->metaclass != Metaclass::BuiltIn) {
    compute_slots(cls);
  }
  cls->finalized = true;
}

// CLHS 4.3.5: a topological sort of the constraints "a class before its direct superclasses" and
// "superclasses in their order"; of several candidates, the one with a direct subclass rightmost in
// the list so far.
std::vector<Class*> Classes::compute_precedence(Class* cls) const {
  std::vector<Class*> members{cls};
  for (size_t i = 0; i < members.size(); ++i) {
    for (Class* super : members[i]->direct_superclasses) {
      if (std::find(members.begin(), members.end(), super) == members.end()) {
        members.push_back(super);
      }
    }
  }
  std::vector<std::pair<Class*, Class*>> before;  // first precedes second
  for (Class* member : members) {
    Class* previous = member;
    for (Class* super : member->direct_superclasses) {
      before.emplace_back(previous, super);
      previous = super;
    }
  }
  std::vector<Class*> out;
  while (!members.empty()) {
    std::vector<Class*> candidates;
    for (Class* member : members) {
      bool free = std::none_of(before.begin(), before.end(),
                               [&](const auto& edge) { return edge.second == member; });
      if (free) {
        candidates.push_back(member);
      }
    }
    if (candidates.empty()) {
      fail(Diag::BadClass, interp_.current_span(),
           "the superclasses of `{}` cannot be put in order: `{}` and `{}` are required to precede "
           "each other",
           interp_.print(cls->name), interp_.print(members[0]->name),
           interp_.print(members.back()->name));
    }
    Class* chosen = candidates[0];
    for (auto placed = out.rbegin(); candidates.size() > 1 && placed != out.rend(); ++placed) {
      const std::vector<Class*>& supers = (*placed)->direct_superclasses;
      auto found = std::find_if(candidates.begin(), candidates.end(), [&](Class* candidate) {
        return std::find(supers.begin(), supers.end(), candidate) != supers.end();
      });
      if (found != candidates.end()) {
        chosen = *found;
        break;
      }
    }
    out.push_back(chosen);
    std::erase(members, chosen);
    std::erase_if(before, [&](const auto& edge) { return edge.first == chosen; });
  }
  return out;
}

void Classes::compute_slots(Class* cls) const {
  std::vector<SlotDefinition> slots;
  // Least specific first, so that a superclass's slots come first; then the most specific wins.
  for (auto from = cls->precedence.rbegin(); from != cls->precedence.rend(); ++from) {
    for (const SlotDefinition& direct : (*from)->direct_slots) {
      auto existing = std::find_if(slots.begin(), slots.end(), [&](const SlotDefinition& slot) {
        return slot.name == direct.name;
      });
      if (existing == slots.end()) {
        slots.push_back(direct);
        continue;
      }
      SlotDefinition merged = direct;
      for (Value initarg : existing->initargs) {
        if (std::find(merged.initargs.begin(), merged.initargs.end(), initarg) ==
            merged.initargs.end()) {
          merged.initargs.push_back(initarg);
        }
      }
      if (merged.initform.form.is_none()) {
        merged.initform = existing->initform;
      }
      if (merged.type == Value::t()) {
        merged.type = existing->type;
      }
      if (merged.documentation.is_nil()) {
        merged.documentation = existing->documentation;
      }
      *existing = std::move(merged);
    }
  }
  std::stable_partition(slots.begin(), slots.end(),
                        [](const SlotDefinition& slot) { return slot.shared.is_none(); });
  std::vector<Value> names;
  for (const SlotDefinition& slot : slots) {
    if (slot.shared.is_none()) {
      names.push_back(slot.name);
    }
  }
  if (cls->layout == nullptr || cls->layout->names != names) {
    cls->layout = interp_.heap().make<Layout>(cls, std::move(names));
  }
  cls->slots = std::move(slots);
  cls->default_initargs.clear();
  for (const Class* from : cls->precedence) {
    for (const DefaultInitarg& initarg : from->direct_default_initargs) {
      bool known = std::any_of(cls->default_initargs.begin(), cls->default_initargs.end(),
                               [&](const DefaultInitarg& d) { return d.key == initarg.key; });
      if (!known) {
        cls->default_initargs.push_back(initarg);
      }
    }
  }
}

Value evaluate_init_form(Interpreter& interp, InitForm& init) {
  if (init.constant) {
    return init.form;
  }
  if (init.function.is_none()) {
    Forms f(interp);
    init.function = interp.eval(f.function(f.lambda(Value::nil(), f({init.form}))));
  }
  Value function = init.function;  // the call may redefine the class that holds `init`
  return interp.call(function, {});
}

}  // namespace caten::lisp
