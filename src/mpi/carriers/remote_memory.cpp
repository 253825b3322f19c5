#include "remote_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ayatori {

namespace {

constexpr std::size_t max_pieces_at_once = 64;

using Pieces = std::array<iovec, max_pieces_at_once>;

struct Filled {
  std::size_t count = 0;
  std::size_t bytes = 0;
};

iovec as_iovec(const RemotePiece& piece) {
  return {reinterpret_cast<void*>(piece.address), static_cast<std::size_t>(piece.bytes)};
}
iovec as_iovec(const std::span<std::byte>& piece) { return {piece.data(), piece.size()}; }

/// A place in a list of pieces.
template <typename Piece>
class Cursor {
 public:
  explicit Cursor(std::span<const Piece> pieces) : pieces_(pieces) {}

  [[nodiscard]] bool at_end() const { return piece_ == pieces_.size(); }

  /// The next pieces, as many as fit, with at most `limit` bytes.
  [[nodiscard]] Filled fill(Pieces& out, std::size_t limit) const {
    Filled filled;
    std::size_t skipped = done_;
    for (std::size_t i = piece_; i < pieces_.size() && filled.count < out.size() && filled.bytes < limit; ++i) {
      const iovec whole = as_iovec(pieces_[i]);
      const std::size_t bytes = std::min(whole.iov_len - skipped, limit - filled.bytes);
      out[filled.count++] = {static_cast<std::byte*>(whole.iov_base) + skipped, bytes};
      filled.bytes += bytes;
      skipped = 0;
    }
    return filled;
  }

  void advance(std::size_t bytes) {
    while (!at_end() && bytes >= as_iovec(pieces_[piece_]).iov_len - done_) {
      bytes -= as_iovec(pieces_[piece_]).iov_len - done_;
      ++piece_;
      done_ = 0;
    }
    done_ += bytes;
  }

 private:
  std::span<const Piece> pieces_;
  std::size_t piece_ = 0;
  std::size_t done_ = 0;  ///< bytes of that piece
};

bool read_pieces(pid_t process, std::span<const RemotePiece> from, std::span<const std::span<std::byte>> to) {
  Cursor<RemotePiece> source(from);
  Cursor<std::span<std::byte>> target(to);
  Pieces there;
  Pieces here;
  while (!target.at_end()) {
    Filled local = target.fill(here, SIZE_MAX);
    const Filled remote = source.fill(there, local.bytes);
    // Fewer than asked for only where the remote pieces are smaller than the local ones.
    local = target.fill(here, remote.bytes);
    const ssize_t got = process_vm_readv(process, here.data(), local.count, there.data(), remote.count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    source.advance(static_cast<std::size_t>(got));
    target.advance(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace

/// What the process says to have at the address of its segment is compared with the segment as we see it: in another
/// namespace the same process id is another process.
RemoteMemory::Permission RemoteMemory::ask(const SegmentView& view, Rank peer) {
  constexpr std::size_t fixed_bytes = offsetof(SegmentHead, joined);
  std::array<std::byte, fixed_bytes> seen{};
  const RemotePiece head[] = {{view.info(peer).head_address, fixed_bytes}};
  const std::span<std::byte> to[] = {seen};
  if (!read_pieces(view.info(peer).process, head, to)) return Permission::refused;
  const bool same = std::memcmp(seen.data(), static_cast<const void*>(&view.head()), fixed_bytes) == 0;
  return same ? Permission::given : Permission::refused;
}

bool RemoteMemory::read(const SegmentView& view, Rank peer, std::span<const RemotePiece> from,
                        std::span<const std::span<std::byte>> to) {
  if (permission_ == Permission::unknown) permission_ = ask(view, peer);
  if (permission_ == Permission::refused) return false;
  return read_pieces(view.info(peer).process, from, to);
}

}  // namespace ayatori
