// NumPy's .npy files, versions 1 to 3: one array each. Reading checks everything against the
// file's real length before it allocates; foreign byte order and Fortran order are converted.
// bool bytes other than 0 and 1 become 1.
#pragma once

#include <memory>
#include <string>

#include "runtime/buffer.h"
#include "runtime/formats/file.h"

namespace caten::runtime {

StoragePtr read_npy(const ByteSource& source, std::shared_ptr<ByteCounter> counter = nullptr);
StoragePtr load_npy(const std::string& path, std::shared_ptr<ByteCounter> counter = nullptr);

/// Replaces `path` when everything is written. bfloat16 is refused: the format has no name for it.
void save_npy(const std::string& path, const Storage& storage);

}  // namespace caten::runtime
