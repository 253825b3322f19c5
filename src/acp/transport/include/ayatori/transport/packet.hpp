#pragma once
/// \file
/// What travels in one datagram, and its bytes. Everything is little-endian and
/// unaligned; parts that a flag announces follow the header in this order:
///
///      0  version (1)      1  kind           2  flags (16 bits)
///      4  from (rank)      8  job key       16  epoch of the flow
///     24  sequence        28  to (rank)     32  stamp
///     36  [Acknowledgement, 36 bytes] [Fragment, 24 bytes] [RemoteRange, 24 bytes] [floor, 8 bytes] [payload]
///
/// A *flow* is what one endpoint sends to one peer between opening and closing;
/// its *epoch* names it (see epochs.hpp). Sequences number a flow's data packets
/// from 0; a flow is closed long before they could wrap.
///
/// Puts, gets and their answers belong to no flow. In them the epoch is the
/// number of this copy of the operation and the sequence is the initiator's own;
/// an answer repeats both, and the stamp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>

#include "ayatori/base/ids.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

using PeerId = Rank;
using JobKey = std::uint64_t;  ///< set by the launcher, the same in all processes of a job and in no other job
using Sequence = std::uint32_t;

/// Names a flow, and is never used twice by one endpoint (docs/decisions/0100-evicting-contexts.md): nanoseconds since
/// some point in the past, or more. 0 is not an epoch.
using Epoch = std::uint64_t;

/// Half of the range, 292 years of nanoseconds: a packet that claims more is malformed, so no epoch + 1 overflows.
inline constexpr Epoch last_epoch = ~Epoch{0} >> 1;

enum class PacketKind : std::uint8_t {
  data = 1,         ///< a message, several, or a fragment of one
  acknowledgement,  ///< nothing but an Acknowledgement; of an `ask` it repeats the sequence
  ask,              ///< "which of the packets below `sequence` have you got, and (flag `more`) may I send on?"
  retire,           ///< receiver to sender: close this flow as soon as you can, I need its context
  close,            ///< sender to receiver: all of this flow is acknowledged; it will never send again
  renew,            ///< receiver to sender: I never accepted a packet of this flow; open one above `floor`
  reset,            ///< receiver to sender: I gave this flow up, and no longer know what I delivered of it
  busy,             ///< receiver to sender: no context is free now; try again
  put,              ///< initiator to target: write the payload to the range
  get,              ///< initiator to target: send the contents of the range
  contents,         ///< target to initiator: of the range that was asked for
  done,             ///< target to initiator: the put of this number was carried out, and those that the payload lists
  stale,            ///< target to initiator: the put's number is not above `floor`; it was not carried out now
  refused,          ///< target to initiator: there is no such range, or it is not for you
  express,          ///< a message, or several, that belong to no flow: see docs/decisions/0103-express-packets.md
};

/// What an incoming flow has received, and how much more is welcome.
struct Acknowledgement {
  Epoch epoch = 0;               ///< of the flow it acknowledges
  std::uint64_t selective = 0;   ///< bit i: packet cumulative + 1 + i is here too
  Sequence cumulative = 0;       ///< all packets below are here
  std::uint32_t serial = 0;      ///< numbers a flow's acknowledgements: of two, the higher is the later one
  std::uint32_t credit = 0;      ///< packets below cumulative + credit may be sent
  std::uint32_t duplicates = 0;  ///< packets of the flow that came again, in all
  std::uint32_t echo = 0;        ///< stamp of the first packet that it is for; 0 if it is for none
  bool answer = false;           ///< answers the ask whose sequence the packet repeats
  bool queued = false;           ///< no credit is left; some will be granted without being asked for
  bool rationed = false;         ///< packets of several senders may contend for a full buffer (decisions 102, 104)

  bool operator==(const Acknowledgement&) const = default;
};

/// Where the payload belongs in a message that fills several packets.
struct Fragment {
  Bytes message_size = 0;
  std::uint64_t offset = 0;
  std::uint32_t number = 0;  ///< the message's first packet has the sequence `sequence - number`

  bool operator==(const Fragment&) const = default;
};

/// Where in a peer's memory: `key` names a piece of it, whatever the peer's application understands by it.
struct RemoteRange {
  std::uint64_t key = 0;
  std::uint64_t offset = 0;
  std::uint32_t size = 0;

  bool operator==(const RemoteRange&) const = default;
};

/// A call asks for an operation at the receiver, a reply has its result. Both fit one packet; their payload starts with
/// the caller's number of the call.
enum class MessageKind : std::uint8_t { plain, call, reply };

inline constexpr std::size_t operation_id_bytes = 8;
inline constexpr std::size_t max_operation_bytes = 40;  ///< of a request, and of a result

struct Packet {
  // A defaulted one is a constant, which GCC copies by `rep stos`: what is not there would cost the most.
  Packet() {}  // NOLINT(modernize-use-equals-default)

  PacketKind kind = PacketKind::data;
  PeerId from = 0;
  PeerId to = 0;
  Epoch epoch = 0;
  Sequence sequence = 0;
  std::uint32_t stamp = 0;                   ///< when this copy was sent, see stamp_of()
  MessageKind message = MessageKind::plain;  ///< `reply` marks all data packets and asks of a flow of replies
  bool unordered = false;
  bool more = false;     ///< the sender has further packets for this flow; of a put: its answer may wait for theirs
  bool resent = false;   ///< not the first copy
  bool several = false;  ///< the payload is several plain messages, see take_message()
  std::optional<Acknowledgement> acknowledgement;
  std::optional<Fragment> fragment;
  std::optional<RemoteRange> range;
  std::optional<Epoch> floor;
  std::span<const std::byte> payload;
};

/// Several messages in one packet stand one after the other, each after its size in 16 bits.
inline constexpr std::size_t size_bytes = 2;

/// Splits the first of several messages from the rest.
[[nodiscard]] std::span<const std::byte> take_message(std::span<const std::byte>& several);

/// How many there are; nothing if the bytes are not one or more whole messages.
[[nodiscard]] std::optional<std::uint32_t> count_messages(std::span<const std::byte> several);

/// A put that was carried out, as the payload of a `done` lists those before its own.
struct FinishedPut {
  Epoch number = 0;
  Sequence sequence = 0;
};

inline constexpr std::size_t finished_put_bytes = 12;
inline constexpr std::size_t max_finished_puts = 7;

/// Takes the first from a `done` packet's payload.
[[nodiscard]] FinishedPut take_finished_put(std::span<const std::byte>& payload);

/// Writes them one after the other; returns the part of `to` that was written.
[[nodiscard]] std::span<const std::byte> encode_finished_puts(
    std::span<const FinishedPut> puts, std::span<std::byte, max_finished_puts * finished_put_bytes> to);

inline constexpr std::size_t header_bytes = 36;
inline constexpr std::size_t acknowledgement_bytes = 36;
inline constexpr std::size_t fragment_bytes = 24;
inline constexpr std::size_t range_bytes = 24;
inline constexpr std::size_t floor_bytes = 8;
inline constexpr std::size_t max_header_bytes =
    header_bytes + acknowledgement_bytes + fragment_bytes + range_bytes + floor_bytes;

/// Most packets that a flow may have under way: what an Acknowledgement can distinguish.
inline constexpr std::uint32_t max_window = 64;

using HeaderBuffer = std::array<std::byte, max_header_bytes>;

/// Writes everything but the payload; the datagram is the returned part of `buffer` and then the payload.
[[nodiscard]] std::span<const std::byte> encode_header(const Packet& packet, JobKey key, HeaderBuffer& buffer);

constexpr Duration stamp_unit(64);  ///< nanoseconds

/// A time in 32 bits, in stamp_units, never 0. Receivers only echo it, so each copy of a packet is timed by itself
/// and no sample is ambiguous (what Karn's rule is for).
[[nodiscard]] std::uint32_t stamp_of(Time now);
/// How long ago an echoed stamp was made, if that was less than 2 minutes.
[[nodiscard]] std::optional<Duration> since_stamp(std::uint32_t stamp, Time now);

enum class PacketDefect : std::uint8_t {
  stranger,   ///< another job's key, or for another rank
  malformed,  ///< too short, unknown version or kind, or parts that contradict each other
};

/// Reads a datagram that rank `self` of job `key` received. The payload points into `datagram`.
[[nodiscard]] std::expected<Packet, PacketDefect> decode(std::span<const std::byte> datagram, JobKey key, PeerId self);

/// An express packet as most of them are: plain messages and nothing else.
struct ExpressPacket {
  PeerId from = 0;
  std::uint32_t messages = 1;  ///< in the payload
  bool several = false;        ///< see Packet::several
  std::span<const std::byte> payload;
};

/// What decode() says of such a packet, in a fraction of the time; nothing for all other datagrams.
[[nodiscard]] std::optional<ExpressPacket> decode_express(std::span<const std::byte> datagram, JobKey key, PeerId self);

/// Whether packets of this kind need a data buffer at their receiver; all others are control packets.
[[nodiscard]] constexpr bool carries_data(PacketKind kind) {
  return kind == PacketKind::data || kind == PacketKind::put || kind == PacketKind::contents ||
         kind == PacketKind::express;
}

/// Whether a wire should put this datagram into its reserve for control packets (paper 5, section 4.2: control packets
/// must not compete with data for the few buffers). Safe for any bytes.
[[nodiscard]] bool is_control(std::span<const std::byte> datagram);

/// The rank that a datagram names as its sender; nothing if it is too short. Safe for any bytes.
[[nodiscard]] std::optional<PeerId> sender_of(std::span<const std::byte> datagram);

}  // namespace ayatori::transport
