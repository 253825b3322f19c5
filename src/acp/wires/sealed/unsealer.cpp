#include "ayatori/sealed/unsealer.hpp"

namespace ayatori::wires {

std::optional<Unsealed> Unsealer::open(Seal& seal, std::span<const std::byte> datagram) {
  const auto opened = seal.open(datagram);
  if (!opened) {
    ++statistics_.forged;
    return std::nullopt;
  }
  if (opened->from >= procs_) {
    ++statistics_.strangers;
    return std::nullopt;
  }
  ReplayWindow* window = windows_.use(opened->from);
  if (!window) window = &windows_.keep(opened->from, {});
  if (window->take(opened->number)) return opened;
  ++statistics_.replayed;
  return std::nullopt;
}

}  // namespace ayatori::wires
