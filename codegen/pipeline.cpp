// The compiler, top to bottom. Read this file first.
#include "codegen/pipeline.h"
