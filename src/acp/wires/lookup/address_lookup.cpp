#include "ayatori/lookup/address_lookup.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "ayatori/base/heap.hpp"
#include "lookup_message.hpp"

namespace ayatori::wires {

namespace {

/// A question is repeated after so long, then after twice as long each time.
constexpr Duration first_pause = std::chrono::milliseconds(1);
constexpr std::uint32_t max_doublings = 6;

constexpr std::uint32_t max_questions = 64;

/// Twice as many as any two ranks need: a question that goes round is dropped.
constexpr std::uint8_t max_steps = 64;

}  // namespace

std::vector<Rank> fingers_of(Rank self, Rank procs) {
  std::vector<Rank> fingers;
  for (std::uint64_t ahead = 1; ahead < procs; ahead *= 2) {
    fingers.push_back(static_cast<Rank>((self + ahead) % procs));
  }
  return fingers;
}

AddressLookup::AddressLookup(LookupOptions options, UdpSocket socket, Clock& clock)
    : options_(std::move(options)),
      socket_(std::move(socket)),
      clock_(clock),
      seal_(options_.seal.key, options_.seal.self, options_.seal.first_number),
      unsealer_(options_.seal.procs, options_.seal.remembered),
      known_(options_.kept),
      asked_(max_questions) {}

Bytes AddressLookup::memory_bytes(std::uint32_t kept, Rank procs, std::size_t adapter_bytes) {
  return heap_taken_by([&] {
    const Card card{1, 1, std::vector<HostAddress>(max_host_addresses), AdapterAddress(adapter_bytes)};
    LookupOptions options;
    options.kept = kept;
    for (const Rank rank : fingers_of(0, procs)) options.fingers.push_back({rank, card});
    auto made = std::make_unique<AddressLookup>(std::move(options), UdpSocket{});
    for (Rank rank = 0; rank < kept; ++rank) made->keep(rank, card);
    return made;
  });
}

void AddressLookup::set_own_adapter(AdapterAddress address) { options_.own.adapter = std::move(address); }

const Card* AddressLookup::find(Rank rank) {
  if (const Known* known = known_.use(rank)) return &known->card;
  serve();
  if (const Known* known = known_.use(rank)) return &known->card;
  if (rank < options_.seal.procs) ask(rank);
  return nullptr;
}

std::optional<SocketAddress> AddressLookup::find_udp(Rank rank) {
  if (const Known* known = known_.use(rank)) return known->udp;
  (void)find(rank);
  const Known* known = known_.use(rank);
  return known ? known->udp : std::nullopt;
}

bool AddressLookup::admits(const SocketAddress& source, Rank rank) {
  if (rank >= options_.seal.procs) return false;
  const Known* known = known_.use(rank);
  if (!known || known->udp == source) return true;
  return known->card.has(source.ip) && known->card.data_port == source.port;
}

// ---- Out

void AddressLookup::ask(Rank rank) {
  Question* question = asked_.use(rank);
  if (!question) question = &asked_.keep(rank, {});
  const transport::Time now = clock_.now();
  const Duration pause = first_pause * (1 << std::min(question->times, max_doublings));
  if (question->times > 0 && now - question->asked < pause) return;
  question->asked = now;
  const LookupMessage message{true, max_steps, options_.seal.self, rank, options_.own};
  pass_on(written(message), rank, question->times++);
}

void AddressLookup::pass_on(std::span<const std::byte> message, Rank wanted, std::uint32_t attempt) {
  if (options_.launcher) {
    if (const auto card = options_.launcher(wanted)) send(*card, message);
  } else if (const Finger* finger = finger_towards(wanted, attempt)) {
    send(finger->card, message);
  }
}

/// The finger nearest before the wanted rank; if the attempt before was in vain, the one before that, and so on.
const Finger* AddressLookup::finger_towards(Rank wanted, std::uint32_t attempt) const {
  const Rank procs = options_.seal.procs;
  const auto ahead = [&](Rank rank) { return (rank + procs - options_.seal.self) % procs; };
  std::vector<const Finger*> on_the_way;
  for (const Finger& finger : options_.fingers) {
    if (ahead(finger.rank) <= ahead(wanted)) on_the_way.push_back(&finger);
  }
  if (on_the_way.empty()) return nullptr;
  return on_the_way[on_the_way.size() - 1 - attempt % on_the_way.size()];
}

void AddressLookup::send(const Card& to, std::span<const std::byte> message) {
  const auto ip = reachable(options_.own.addresses, to);
  if (!ip) return;
  const SealHeader header = seal_.close(message);
  std::vector<std::byte> datagram(header.size() + message.size());
  std::ranges::copy(message, std::ranges::copy(header, datagram.begin()).out);
  const KernelAddress address = kernel_address({*ip, to.lookup_port}, socket_.family);
  // What the kernel refuses is as good as lost.
  (void)!sendto(descriptor(), datagram.data(), datagram.size(), 0, address.get(), address.size);
}

// ---- In

void AddressLookup::serve() {
  std::array<std::byte, seal_bytes + max_lookup_bytes + 1> bytes;
  for (;;) {
    KernelAddress source;
    source.size = sizeof source.bytes;
    const ssize_t got = recvfrom(descriptor(), bytes.data(), bytes.size(), 0, source.get(), &source.size);
    // A peer that has not started yet is reported as refused; the next datagram may be a good one.
    if (got < 0 && (errno == ECONNREFUSED || errno == EINTR)) continue;
    if (got < 0) return;
    take(std::span(bytes).first(static_cast<std::size_t>(got)), socket_address(source));
  }
}

void AddressLookup::take(std::span<const std::byte> datagram, const SocketAddress& source) {
  const auto opened = unsealer_.open(seal_, datagram);
  if (!opened) return;
  const Known* sender = known_.use(opened->from);
  if (sender && !sender->card.has(source.ip)) return;
  auto message = read_lookup_message(opened->contents);
  if (!message || message->from >= options_.seal.procs || message->wanted >= options_.seal.procs) return;
  if (!message->question) {
    if (message->wanted == message->from) keep(message->from, std::move(message->card));
  } else if (message->wanted == options_.seal.self) {
    answer(message->card, message->from);
    keep(message->from, std::move(message->card));
  } else if (message->steps > 0) {
    --message->steps;
    pass_on(written(*message), message->wanted, 0);
  }
}

void AddressLookup::answer(const Card& asker, Rank whom) {
  if (options_.own.data_port == 0 && options_.own.adapter.empty()) return;
  const Rank self = options_.seal.self;
  if (whom != self) send(asker, written(LookupMessage{false, 0, self, self, options_.own}));
}

void AddressLookup::keep(Rank rank, Card card) {
  asked_.forget(rank);
  Known* known = known_.use(rank);
  if (!known) known = &known_.keep(rank, {});
  const auto ip = reachable(options_.own.addresses, card);
  known->udp = ip && card.data_port != 0 ? std::optional(SocketAddress{*ip, card.data_port}) : std::nullopt;
  known->card = std::move(card);
}

}  // namespace ayatori::wires
