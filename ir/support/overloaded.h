// Overloaded: the usual helper for std::visit over a closed variant.
#pragma once

namespace caten {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace caten
