#include "socket_links.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "pieces.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_parts = 64;  // of one system call

std::string in_words(std::uint32_t address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address, text.data(), text.size());
  return text.data();
}

sockaddr_in endpoint(std::uint32_t address, std::uint16_t port) {
  sockaddr_in found{};
  found.sin_family = AF_INET;
  found.sin_addr.s_addr = address;
  found.sin_port = htons(port);
  return found;
}

bool is_only_later(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == EINPROGRESS || code == ENOTCONN;
}

}  // namespace

std::array<std::byte, 32> proof_of_greeting(const DerivedKey& key, const SocketGreeting& greeting, Rank to) {
  const std::array<std::uint64_t, 3> claimed{greeting.process, greeting.serial, to};
  return proof_of(key, std::as_bytes(std::span(claimed)));
}

Failure OutgoingLink::failure(int code) const {
  auto failed = fail("nothing can be sent from {} to {}", in_words(path_.own_address), in_words(path_.peer_address));
  return with_code(with_cause(std::move(failed), std::strerror(code)), code);
}

Result<> OutgoingLink::connect(const SocketGreeting& greeting) {
  greeting_ = greeting;
  socket_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_.is_open()) return failure(errno);
  const int on = 1;
  setsockopt(descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (path_.own_address != 0) {
    // Without it packets leave by the interface of the best route, where two are on the same subnet. Kernels before 5.7
    // allow it to root only: routes decide there.
    setsockopt(descriptor(), SOL_SOCKET, SO_BINDTODEVICE, path_.interface.data(),
               static_cast<socklen_t>(path_.interface.size()));
    const sockaddr_in own = endpoint(path_.own_address, 0);
    if (bind(descriptor(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) return failure(errno);
  }
  const sockaddr_in peer = endpoint(path_.peer_address, path_.peer_port);
  if (::connect(descriptor(), reinterpret_cast<const sockaddr*>(&peer), sizeof peer) != 0 && errno != EINPROGRESS) {
    return failure(errno);
  }
  return {};
}

/// The number of bytes that the system took: 0 if its buffer is full.
Result<std::size_t> OutgoingLink::write(std::span<const std::span<const std::byte>> parts) {
  std::array<iovec, max_parts> vectors;
  const std::size_t count = std::min(parts.size(), max_parts);
  for (std::size_t i = 0; i < count; ++i) {
    vectors[i] = {const_cast<std::byte*>(parts[i].data()), parts[i].size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  while (true) {
    const ssize_t sent = sendmsg(descriptor(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (is_only_later(errno)) return std::size_t{0};
    if (errno != EINTR) return failure(errno);
  }
}

Result<> OutgoingLink::send_some(std::vector<std::uint32_t>& left) {
  std::vector<std::span<const std::byte>> parts;
  while (!is_idle()) {
    parts.clear();
    std::size_t bytes = 0;
    const auto add = [&](std::span<const std::byte> part) {
      parts.push_back(part);
      bytes += part.size();
    };
    const bool greets = greeted_ < sizeof greeting_;
    if (greets) {
      add(std::as_bytes(std::span(&greeting_, 1)).subspan(greeted_));
    } else {
      const LeavingFragment& first = queue_.front();
      if (sent_of_first_ < sizeof first.header) {
        add(std::as_bytes(std::span(&first.header, 1)).subspan(sent_of_first_));
      }
      const Bytes done = sent_of_first_ - std::min<Bytes>(sent_of_first_, sizeof first.header);
      visit_parts(first.message.pieces, first.header.offset + done, first.header.bytes - done,
                  [&](const std::byte* part, std::size_t size) {
                    if (parts.size() < max_parts) add({part, size});
                  });
    }
    const auto sent = write(parts);
    if (!sent) return Failure(sent.error());
    (greets ? greeted_ : sent_of_first_) += *sent;
    if (!greets && sent_of_first_ == sizeof(FragmentHeader) + queue_.front().header.bytes) {
      left.push_back(queue_.front().send);
      queue_.pop_front();
      sent_of_first_ = 0;
    }
    if (*sent < bytes) return {};
  }
  return {};
}

Result<IncomingLink::Read> IncomingLink::after(std::int64_t got) {
  if (got > 0) return Read::all;
  if (got == 0) return Read::end;
  if (errno == EINTR || is_only_later(errno)) return Read::none;
  if (errno == ECONNRESET) return Read::end;
  const int code = errno;
  return with_code(with_cause(fail("a connection of process {} broke", process_), std::strerror(code)), code);
}

/// Continues to read the greeting or a header.
Result<IncomingLink::Read> IncomingLink::fill(std::span<std::byte> memory) {
  while (filled_ < memory.size()) {
    const auto got = recv(descriptor(), memory.data() + filled_, memory.size() - filled_, MSG_DONTWAIT);
    const auto read = after(got);
    if (!read || *read != Read::all) return read;
    filled_ += static_cast<std::size_t>(got);
  }
  filled_ = 0;
  return Read::all;
}

Result<IncomingLink::Read> IncomingLink::receive_payload(SocketInbox& inbox) {
  while (received_ < header_.bytes) {
    inbox.memory_of(process_, header_, received_, memory_);
    std::array<iovec, max_parts> vectors;
    const std::size_t count = std::min(memory_.size(), max_parts);
    for (std::size_t i = 0; i < count; ++i) vectors[i] = {memory_[i].data(), memory_[i].size()};
    const auto got = readv(descriptor(), vectors.data(), static_cast<int>(count));
    const auto read = after(got);
    if (!read || *read != Read::all) return read;
    received_ += static_cast<Bytes>(got);
  }
  return Read::all;
}

Result<IncomingLink::Outcome> IncomingLink::receive_some(SocketInboxes& inboxes, Rank processes) {
  const auto ended = [](Read read) { return read == Read::end ? Outcome::ended : Outcome::drained; };
  if (process_ == no_id) {
    const auto read = fill(std::as_writable_bytes(std::span(&greeting_, 1)));
    if (!read) return Outcome::refused;  // a stranger's connection may break as it likes
    if (*read != Read::all) return ended(*read);
    if (greeting_.process >= processes || !admits_(greeting_)) return Outcome::refused;
    process_ = static_cast<Rank>(greeting_.process);
  }
  while (true) {
    if (!in_fragment_) {
      const auto read = fill(std::as_writable_bytes(std::span(&header_, 1)));
      if (!read) return Failure(read.error());
      if (*read != Read::all) return ended(*read);
      in_fragment_ = true;
      received_ = 0;
    }
    if (!has_place_) {
      const auto place = inboxes.find(process_, header_);
      if (!place) return Failure(place.error());
      if (*place == SocketInbox::Place::later) return Outcome::blocked;
      has_place_ = true;
    }
    SocketInbox* const inbox = inboxes.of(header_);
    if (inbox == nullptr) return fail("process {} sends a part of a message that nobody wants any more", process_);
    const auto read = receive_payload(*inbox);
    if (!read) return Failure(read.error());
    if (*read != Read::all) return ended(*read);
    inbox->arrived(process_, header_);
    in_fragment_ = has_place_ = false;
  }
}

}  // namespace ayatori
