// From schedule to loop nests.
#pragma once

#include "codegen/loops/loops.h"
#include "codegen/schedule/schedule.h"

namespace caten::loops {

/// Takes over the schedule's index expressions.
Module build(schedule::Schedule schedule);

}  // namespace caten::loops
