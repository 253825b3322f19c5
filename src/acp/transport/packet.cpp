#include "ayatori/transport/packet.hpp"

#include "ayatori/transport/bytes.hpp"

namespace ayatori::transport {

namespace {

constexpr std::uint8_t version = 1;

enum Flag : std::uint16_t {
  has_acknowledgement = 1,
  has_fragment = 2,
  has_floor = 4,
  is_unordered = 8,
  has_more = 16,
  is_resent = 32,
  is_answer = 64,
  is_queued = 128,
  is_call = 256,
  is_reply = 512,
  is_rationed = 1024,
  is_several = 2048,
  has_range = 4096,
  known_flags = 8191,
  more_than_messages = has_acknowledgement | has_fragment | has_range | has_floor | is_call | is_reply,
};

std::uint16_t flags_of(const Packet& packet) {
  unsigned flags = 0;
  if (packet.acknowledgement) {
    flags |= has_acknowledgement;
    if (packet.acknowledgement->answer) flags |= is_answer;
    if (packet.acknowledgement->queued) flags |= is_queued;
    if (packet.acknowledgement->rationed) flags |= is_rationed;
  }
  if (packet.fragment) flags |= has_fragment;
  if (packet.range) flags |= has_range;
  if (packet.floor) flags |= has_floor;
  if (packet.unordered) flags |= is_unordered;
  if (packet.more) flags |= has_more;
  if (packet.resent) flags |= is_resent;
  if (packet.several) flags |= is_several;
  if (packet.message == MessageKind::call) flags |= is_call;
  if (packet.message == MessageKind::reply) flags |= is_reply;
  return static_cast<std::uint16_t>(flags);
}

void write(const Acknowledgement& acknowledgement, Writer& writer) {
  writer.put(acknowledgement.epoch);
  writer.put(acknowledgement.selective);
  writer.put(acknowledgement.cumulative);
  writer.put(acknowledgement.serial);
  writer.put(acknowledgement.credit);
  writer.put(acknowledgement.duplicates);
  writer.put(acknowledgement.echo);
}

Acknowledgement read_acknowledgement(Reader& reader, unsigned flags) {
  Acknowledgement read;
  read.epoch = reader.take<std::uint64_t>();
  read.selective = reader.take<std::uint64_t>();
  read.cumulative = reader.take<std::uint32_t>();
  read.serial = reader.take<std::uint32_t>();
  read.credit = reader.take<std::uint32_t>();
  read.duplicates = reader.take<std::uint32_t>();
  read.echo = reader.take<std::uint32_t>();
  read.answer = (flags & is_answer) != 0;
  read.queued = (flags & is_queued) != 0;
  read.rationed = (flags & is_rationed) != 0;
  return read;
}

void write(const Fragment& fragment, Writer& writer) {
  writer.put(fragment.message_size);
  writer.put(fragment.offset);
  writer.put(fragment.number);
  writer.put(std::uint32_t{0});
}

Fragment read_fragment(Reader& reader) {
  Fragment read;
  read.message_size = reader.take<std::uint64_t>();
  read.offset = reader.take<std::uint64_t>();
  read.number = reader.take<std::uint32_t>();
  reader.take<std::uint32_t>();
  return read;
}

void write(const RemoteRange& range, Writer& writer) {
  writer.put(range.key);
  writer.put(range.offset);
  writer.put(range.size);
  writer.put(std::uint32_t{0});
}

RemoteRange read_range(Reader& reader) {
  RemoteRange read;
  read.key = reader.take<std::uint64_t>();
  read.offset = reader.take<std::uint64_t>();
  read.size = reader.take<std::uint32_t>();
  reader.take<std::uint32_t>();
  return read;
}

std::size_t optional_bytes(unsigned flags) {
  return ((flags & has_acknowledgement) != 0 ? acknowledgement_bytes : 0) +
         ((flags & has_fragment) != 0 ? fragment_bytes : 0) + ((flags & has_range) != 0 ? range_bytes : 0) +
         ((flags & has_floor) != 0 ? floor_bytes : 0);
}

bool fits_its_message(const Packet& packet) {
  const Fragment& fragment = *packet.fragment;
  return !packet.payload.empty() && fragment.number <= packet.sequence && fragment.offset <= fragment.message_size &&
         packet.payload.size() <= fragment.message_size - fragment.offset;
}

bool fits_an_operation(std::size_t size) {
  return size >= operation_id_bytes && size <= operation_id_bytes + max_operation_bytes;
}

bool lists_finished_puts(std::span<const std::byte> payload) {
  if (payload.size() % finished_put_bytes != 0 || payload.size() > max_finished_puts * finished_put_bytes) return false;
  while (!payload.empty()) {
    const Epoch number = take_finished_put(payload).number;
    if (number == 0 || number > last_epoch) return false;
  }
  return true;
}

bool makes_sense(const Packet& packet) {
  if (packet.kind < PacketKind::data || packet.kind > PacketKind::express) return false;
  if (packet.epoch == 0 || packet.epoch > last_epoch || packet.floor.value_or(0) > last_epoch) return false;
  if (packet.acknowledgement && packet.acknowledgement->credit > max_window) return false;
  const bool has_floor_field = packet.kind == PacketKind::renew || packet.kind == PacketKind::stale;
  if (packet.floor.has_value() != has_floor_field) return false;
  const bool asks_for_memory = packet.kind == PacketKind::put || packet.kind == PacketKind::get;
  if (packet.range.has_value() != asks_for_memory) return false;
  const bool messages = packet.kind == PacketKind::data || packet.kind == PacketKind::express;
  if (packet.several && (!messages || packet.fragment)) return false;
  if (packet.kind == PacketKind::express && (packet.fragment || packet.message == MessageKind::call)) return false;
  if (messages) {
    if (packet.several) return packet.message == MessageKind::plain && count_messages(packet.payload);
    if (packet.message != MessageKind::plain) return !packet.fragment && fits_an_operation(packet.payload.size());
    return !packet.fragment || fits_its_message(packet);
  }
  if (packet.kind == PacketKind::acknowledgement && !packet.acknowledgement) return false;
  if (packet.fragment) return false;
  if (packet.kind == PacketKind::put) return packet.payload.size() == packet.range->size && packet.range->size > 0;
  if (packet.kind == PacketKind::get) return packet.payload.empty() && packet.range->size > 0;
  if (packet.kind == PacketKind::done) return lists_finished_puts(packet.payload);
  return packet.payload.empty() != (packet.kind == PacketKind::contents);
}

/// Fills a fresh packet; says what is wrong with the datagram, if anything is.
std::optional<PacketDefect> read_packet(std::span<const std::byte> datagram, JobKey key, PeerId self, Packet& packet) {
  if (datagram.size() < header_bytes) return PacketDefect::malformed;
  Reader reader(datagram);
  const auto its_version = reader.take<std::uint8_t>();
  packet.kind = static_cast<PacketKind>(reader.take<std::uint8_t>());
  const unsigned flags = reader.take<std::uint16_t>();
  packet.from = reader.take<std::uint32_t>();
  const auto its_key = reader.take<std::uint64_t>();
  packet.epoch = reader.take<std::uint64_t>();
  packet.sequence = reader.take<std::uint32_t>();
  packet.to = reader.take<std::uint32_t>();
  packet.stamp = reader.take<std::uint32_t>();
  if (its_key != key || packet.to != self) return PacketDefect::stranger;
  if (its_version != version || (flags & ~unsigned{known_flags}) != 0) return PacketDefect::malformed;
  if (reader.rest().size() < optional_bytes(flags)) return PacketDefect::malformed;

  packet.unordered = (flags & is_unordered) != 0;
  packet.more = (flags & has_more) != 0;
  packet.resent = (flags & is_resent) != 0;
  packet.several = (flags & is_several) != 0;
  if ((flags & is_call) != 0) packet.message = MessageKind::call;
  if ((flags & is_reply) != 0) packet.message = MessageKind::reply;
  if ((flags & has_acknowledgement) != 0) packet.acknowledgement = read_acknowledgement(reader, flags);
  if ((flags & has_fragment) != 0) packet.fragment = read_fragment(reader);
  if ((flags & has_range) != 0) packet.range = read_range(reader);
  if ((flags & has_floor) != 0) packet.floor = reader.take<std::uint64_t>();
  packet.payload = reader.rest();
  if (!makes_sense(packet)) return PacketDefect::malformed;
  return std::nullopt;
}

std::size_t first_size(std::span<const std::byte> several) {
  return std::to_integer<std::size_t>(several[0]) | std::to_integer<std::size_t>(several[1]) << 8;
}

}  // namespace

std::span<const std::byte> take_message(std::span<const std::byte>& several) {
  const auto message = several.subspan(size_bytes, first_size(several));
  several = several.subspan(size_bytes + message.size());
  return message;
}

FinishedPut take_finished_put(std::span<const std::byte>& payload) {
  Reader reader(payload);
  FinishedPut put;
  put.number = reader.take<std::uint64_t>();
  put.sequence = reader.take<std::uint32_t>();
  payload = reader.rest();
  return put;
}

std::span<const std::byte> encode_finished_puts(std::span<const FinishedPut> puts,
                                                std::span<std::byte, max_finished_puts * finished_put_bytes> to) {
  Writer writer(to);
  for (const FinishedPut& put : puts) {
    writer.put(put.number);
    writer.put(put.sequence);
  }
  return writer.written();
}

std::optional<std::uint32_t> count_messages(std::span<const std::byte> several) {
  std::uint32_t count = 0;
  for (; !several.empty(); ++count) {
    if (several.size() < size_bytes || several.size() - size_bytes < first_size(several)) return std::nullopt;
    (void)take_message(several);
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::span<const std::byte> encode_header(const Packet& packet, JobKey key, HeaderBuffer& buffer) {
  Writer writer(buffer);
  writer.put(version);
  writer.put(static_cast<std::uint8_t>(packet.kind));
  writer.put(flags_of(packet));
  writer.put(packet.from);
  writer.put(key);
  writer.put(packet.epoch);
  writer.put(packet.sequence);
  writer.put(packet.to);
  writer.put(packet.stamp);
  if (packet.acknowledgement) write(*packet.acknowledgement, writer);
  if (packet.fragment) write(*packet.fragment, writer);
  if (packet.range) write(*packet.range, writer);
  if (packet.floor) writer.put(*packet.floor);
  return writer.written();
}

std::expected<Packet, PacketDefect> decode(std::span<const std::byte> datagram, JobKey key, PeerId self) {
  std::expected<Packet, PacketDefect> read;
  if (const auto defect = read_packet(datagram, key, self, *read)) read = std::unexpected(*defect);
  return read;
}

std::optional<ExpressPacket> decode_express(std::span<const std::byte> datagram, JobKey key, PeerId self) {
  if (datagram.size() < header_bytes) return std::nullopt;
  Reader reader(datagram);
  const auto kind_and_version = reader.take<std::uint16_t>();
  const unsigned flags = reader.take<std::uint16_t>();
  ExpressPacket packet;
  packet.from = reader.take<std::uint32_t>();
  const auto its_key = reader.take<std::uint64_t>();
  const auto epoch = reader.take<std::uint64_t>();
  (void)reader.take<std::uint32_t>();
  const auto to = reader.take<std::uint32_t>();
  if (kind_and_version != (static_cast<unsigned>(PacketKind::express) << 8 | version)) return std::nullopt;
  if ((flags & (more_than_messages | ~unsigned{known_flags})) != 0) return std::nullopt;
  if (its_key != key || to != self || epoch == 0 || epoch > last_epoch) return std::nullopt;
  packet.several = (flags & is_several) != 0;
  packet.payload = datagram.subspan(header_bytes);
  if (packet.several) packet.messages = count_messages(packet.payload).value_or(0);
  return packet.messages > 0 ? std::optional(packet) : std::nullopt;
}

std::uint32_t stamp_of(Time now) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(now.time_since_epoch() / stamp_unit)) | 1;
}

std::optional<Duration> since_stamp(std::uint32_t stamp, Time now) {
  const std::uint32_t units = stamp_of(now) - stamp;
  if (stamp == 0 || units >= 1U << 31) return std::nullopt;
  return units * stamp_unit;
}

bool is_control(std::span<const std::byte> datagram) {
  return datagram.size() >= 2 && !carries_data(static_cast<PacketKind>(datagram[1]));
}

std::optional<PeerId> sender_of(std::span<const std::byte> datagram) {
  if (datagram.size() < header_bytes) return std::nullopt;
  Reader reader(datagram);
  (void)reader.take<std::uint32_t>();
  return reader.take<std::uint32_t>();
}

}  // namespace ayatori::transport
