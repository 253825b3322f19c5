#include "ayatori/executor/region_use.hpp"

#include <algorithm>

namespace ayatori {

std::vector<RegionUse> region_uses(const RankProgram& program) {
  std::vector<RegionUse> uses(program.region_bytes().size());
  const auto note = [&](const RankProgram::Piece& piece, bool written) {
    if (piece.bytes == 0) return;
    RegionUse& use = uses[piece.region];
    use.first = use.end == 0 ? piece.offset : std::min(use.first, piece.offset);
    use.end = std::max(use.end, piece.offset + piece.bytes);
    use.written = use.written || written;
  };
  for (std::uint32_t stream = 0; stream < program.stream_count(); ++stream) {
    for (const RankProgram::Step& step : program.steps(stream)) {
      for (std::uint32_t i = 0; i < step.message_count(); ++i) {
        const RankProgram::Message& message = program.messages()[step.first_message + i];
        for (const auto& piece : program.pieces().subspan(message.first_piece, message.piece_count)) {
          note(piece, i < step.receive_count);
        }
      }
    }
  }
  for (const RankProgram::Local& local : program.locals()) {
    note(local.from, false);
    note(local.to, true);
  }
  return uses;
}

}  // namespace ayatori
