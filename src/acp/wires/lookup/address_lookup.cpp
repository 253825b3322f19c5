#include "ayatori/lookup/address_lookup.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "ayatori/base/heap.hpp"
#include "ayatori/lookup/address_messages.hpp"

namespace ayatori::wires {

Result<std::unique_ptr<AddressLookup>> AddressLookup::make(const LookupOptions& options) {
  if (auto good = check(options.addresses); !good) return Failure(good.error());
  Descriptor made(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return refused("no UDP socket can be made", errno);
  const sockaddr_in own = options.addresses.of(options.self);
  if (bind(made.number(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    return refused(fmt::format("rank {} can't have the address {}", options.self, text_of(own)), errno);
  }
  return std::unique_ptr<AddressLookup>(new AddressLookup(options, std::move(made)));
}

Bytes AddressLookup::memory_bytes(const LookupOptions& options, std::size_t address_bytes) {
  return heap_taken_by([&] {
    std::unique_ptr<AddressLookup> made(new AddressLookup(options, Descriptor()));
    for (Rank rank = 0; rank < options.kept; ++rank) made->known_.keep(rank, AdapterAddress(address_bytes));
    return made;
  });
}

Result<AdapterAddress> AddressLookup::find(Rank rank) {
  serve();
  if (const AdapterAddress* known = known_.use(rank)) return *known;
  send(rank, true);
  return fail("the adapter's address of rank {} is not known yet", rank);
}

void AddressLookup::send(Rank to, bool question) const {
  if (own_.empty()) return;
  const auto bytes = written({.question = question, .key = options_.key, .from = options_.self, .address = own_});
  const sockaddr_in address = options_.addresses.of(to);
  // What the kernel refuses is as good as lost.
  (void)!sendto(socket_.number(), bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&address),
                sizeof address);
}

void AddressLookup::serve() {
  std::array<std::byte, address_header_bytes + max_address_bytes + 1> bytes;
  for (;;) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t got =
        recvfrom(socket_.number(), bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
    // A peer that has not started yet is reported as refused; the next datagram may be a good one.
    if (got < 0 && (errno == ECONNREFUSED || errno == EINTR)) continue;
    if (got < 0) return;
    take(std::span(bytes).first(static_cast<std::size_t>(got)), from);
  }
}

void AddressLookup::take(std::span<const std::byte> bytes, const sockaddr_in& from) {
  const auto message = read_address_message(bytes);
  if (!message || message->key != options_.key || message->from >= options_.procs) return;
  const sockaddr_in expected = options_.addresses.of(message->from);
  if (expected.sin_addr.s_addr != from.sin_addr.s_addr || expected.sin_port != from.sin_port) return;
  AdapterAddress address(message->address.begin(), message->address.end());
  if (AdapterAddress* known = known_.use(message->from)) {
    *known = std::move(address);
  } else {
    known_.keep(message->from, std::move(address));
  }
  if (message->question) send(message->from, false);
}

}  // namespace ayatori::wires
