// Names of kernels and labels of values, from the user's own names.
#pragma once

#include <string>

#include "codegen/schedule/schedule.h"

namespace caten::loops {

/// The name of an input or parameter, else the node's label.
std::string label_of(const air::Graph& graph, air::NodeId node);
/// What a kernel computes, in a few words joined by `_`: labels of its statements, or their ops.
/// Not unique.
std::string kernel_name(const schedule::Schedule& schedule, const schedule::Kernel& kernel);

}  // namespace caten::loops
