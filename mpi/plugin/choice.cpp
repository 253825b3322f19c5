#include "calls.hpp"

namespace ayatori::plugin {

std::optional<Part> part_to_play(MPI_Comm comm, MpiCall call, Bytes, CallShape shape) {
  const auto& forced = process().settings.forced[static_cast<std::size_t>(call)];
  if (!forced || forced->algorithm.empty()) return std::nullopt;
  Communicator* const on = Communicator::find(comm);
  if (on == nullptr || shape.root >= on->ranks() || !on->prepare()) return std::nullopt;
  shape.collective = names_of(call).collective;
  shape.choice = *forced;
  if (shape.by_slot && !takes_sizes_by_rank(call, forced->algorithm)) return std::nullopt;
  CompiledCall* const compiled = on->compiled(shape);
  if (compiled == nullptr) return std::nullopt;
  explain(fmt::format("{} on {} ranks: {}, forced by {}", names_of(call).name, on->ranks(), forced->algorithm,
                      names_of(call).variable));
  return Part{*on, *compiled};
}

}  // namespace ayatori::plugin
