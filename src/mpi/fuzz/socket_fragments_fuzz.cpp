// What comes by two TCP connections, whatever it is: greetings, headers and bytes of fragments. Nothing may be written
// outside of the memory of receives, no message may be complete before its bytes are there, and what is wrong is an
// error.
//
// The input is a list of [connection, length, bytes …]; the first byte says which receives are posted, and when.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "require.hpp"
#include "socket_inbox.hpp"
#include "socket_links.hpp"

using namespace ayatori;

namespace {

constexpr std::uint64_t admitted_serial = 0x4142434445464748;
constexpr std::uint64_t context = 5;
constexpr Rank processes = 3;
constexpr std::size_t receives = 4;
constexpr std::size_t guard = 16;

/// A receive of 8 · (number + 1) bytes in two pieces, with bytes around each that nobody may write.
struct Receive {
  std::vector<std::byte> memory;
  std::array<std::span<std::byte>, 2> pieces;

  explicit Receive(std::size_t bytes) : memory(bytes + 3 * guard, std::byte{0xee}) {
    pieces[0] = std::span(memory).subspan(guard, bytes / 4);
    pieces[1] = std::span(memory).subspan(2 * guard + bytes / 4, bytes - bytes / 4);
  }
  [[nodiscard]] bool is_whole() const {
    const auto free = [&](std::size_t begin) {
      return std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(begin),
                         memory.begin() + static_cast<std::ptrdiff_t>(begin + guard),
                         [](std::byte one) { return one == std::byte{0xee}; });
    };
    return free(0) && free(guard + pieces[0].size()) && free(memory.size() - guard);
  }
};

class Connection {
 public:
  Connection() {
    std::array<int, 2> ends{};
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    far_ = Descriptor(ends[0]);
    link_ = std::make_unique<IncomingLink>(
        Descriptor(ends[1]), [](const SocketGreeting& greeting) { return greeting.serial == admitted_serial; });
  }
  /// False when it is over.
  bool receive(std::span<const std::uint8_t> bytes, SocketInboxes& inboxes) {
    require(write(far_.number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    return check(inboxes);
  }
  bool check(SocketInboxes& inboxes) {
    const auto outcome = link_->receive_some(inboxes, processes);
    is_over_ = !outcome || *outcome == IncomingLink::Outcome::ended || *outcome == IncomingLink::Outcome::refused;
    if (outcome && *outcome != IncomingLink::Outcome::refused && link_->process() != no_id) {
      require(link_->process() < processes);
    }
    return !is_over_;
  }
  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  Descriptor far_;
  std::unique_ptr<IncomingLink> link_;
  bool is_over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned config = *data;
  const std::span rest(data + 1, size - 1);
  SocketInboxes inboxes;
  SocketInbox& inbox = inboxes.begin(context, (config & 1U) != 0);
  if ((config & 8U) != 0) (void)inboxes.begin(context | concurrent_execution, false);
  std::vector<std::unique_ptr<Receive>> posted;
  const auto post = [&] {
    const auto number = static_cast<RequestId>(posted.size());
    const std::size_t bytes = 8 * (number + 1);
    posted.push_back(std::make_unique<Receive>(bytes));
    inbox.post(number % processes, number, {number % processes, number / processes, bytes, posted.back()->pieces});
  };
  for (unsigned early = 0; early < ((config >> 1U) & 3U); ++early) post();
  std::array<Connection, 2> connections;
  for (std::size_t at = 0; at + 2 <= rest.size();) {
    Connection& connection = connections[rest[at] & 1U];
    const bool posts = (rest[at] & 2U) != 0;
    const std::size_t length = std::min<std::size_t>(rest[at + 1], rest.size() - at - 2);
    const auto bytes = rest.subspan(at + 2, length);
    at += 2 + length;
    if (!connection.is_over() && !connection.receive(bytes, inboxes)) continue;
    if (!posts || posted.size() >= receives) continue;
    post();
    for (Connection& one : connections) {
      if (!one.is_over()) one.check(inboxes);
    }
  }
  for (const auto& one : posted) require(one->is_whole());
  std::array<RequestId, receives + 1> completed{};
  if (const auto count = inbox.completions().take(completed)) require(*count <= posted.size());
  return 0;
}
