#include "codegen/loops/passes/passes.h"
namespace caten::loops {
Module partial_sums(Module module) { return module; }
}
