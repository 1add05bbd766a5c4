// Id<Tag>: an index that cannot be mixed up with an index of another kind.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace caten {

template <typename Tag>
struct Id {
  uint32_t index = UINT32_MAX;

  constexpr bool valid() const { return index != UINT32_MAX; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

}  // namespace caten

template <typename Tag>
struct std::hash<caten::Id<Tag>> {
  size_t operator()(const caten::Id<Tag>& id) const noexcept { return id.index; }
};
