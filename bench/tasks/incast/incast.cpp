#include "incast.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ayatori/base/text.hpp"

namespace ayatori::incast {

namespace {

/// The run is given up after that; no stack takes so long for what `ayatori bench incast` asks for by default.
constexpr unsigned max_seconds = 240;

/// After such a silence nothing comes any more.
constexpr std::chrono::milliseconds silence(200);

struct Head {
  std::uint32_t sender;
  std::uint32_t number;
};

constexpr std::size_t patterns = 256;

/// The bytes after a head are a part of this; which part depends on sender and number.
const std::vector<std::byte>& pattern(std::size_t bytes) {
  static std::vector<std::byte> made;
  for (std::size_t i = made.size(); i < patterns + bytes; ++i)
    made.push_back(static_cast<std::byte>(i * 167 + i / 256));
  return made;
}

std::size_t pattern_start(const Head& head) { return (head.sender * 7 + head.number * 31) % patterns; }

std::string json_number(std::int64_t value) { return value == not_reported ? "null" : fmt::to_string(value); }

Settings settings_of(int argc, char** argv) {
  Settings settings;
  std::array fields{&settings.senders, &settings.bytes, &settings.messages};
  if (argc != 4) give_up(fmt::format("{} SENDERS BYTES MESSAGES", argv[0]));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto value = parse_unsigned<std::uint32_t>(argv[i + 1]);
    if (!value || *value == 0) give_up(fmt::format("'{}' is not a number from 1 on", argv[i + 1]));
    *fields[i] = *value;
  }
  if (settings.bytes < sizeof(Head)) give_up(fmt::format("a message has at least {} bytes", sizeof(Head)));
  return settings;
}

}  // namespace

void publish(SharedState& shared, std::span<const std::byte> address) {
  if (address.empty() || address.size() > shared.address.size()) give_up("the receiver's address does not fit");
  std::ranges::copy(address, shared.address.begin());
  shared.address_bytes = static_cast<std::uint32_t>(address.size());
}

std::span<const std::byte> await_address(SharedState& shared) {
  while (shared.address_bytes == 0) usleep(100);
  return std::span(shared.address).first(shared.address_bytes);
}

Outbox::Outbox(const Settings& settings, std::uint32_t sender)
    : settings_(settings), sender_(sender), memory_(std::size_t{max_under_way} * settings.bytes) {
  for (std::uint32_t buffer = 0; buffer < max_under_way; ++buffer) free_.push_back(buffer);
}

std::optional<Message> Outbox::front() {
  if (next_ == allowed_ || free_.empty()) return std::nullopt;
  const Head head{sender_, next_};
  const auto bytes = std::span(memory_).subspan(std::size_t{free_.back()} * settings_.bytes, settings_.bytes);
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, pattern(settings_.bytes).data() + pattern_start(head),
              bytes.size() - sizeof head);
  return Message{free_.back(), bytes};
}

void Outbox::sent() {
  free_.pop_back();
  ++next_;
}

void Outbox::done(std::uint32_t buffer) { free_.push_back(buffer); }

Inbox::Inbox(const Settings& settings, SharedState& shared)
    : settings_(settings),
      shared_(shared),
      wanted_(std::uint64_t{settings.senders} * settings.messages),
      seen_(settings.senders * (std::size_t{settings.messages} + 1)) {}

void Inbox::take(std::span<const std::byte> message) {
  Head head{};
  if (message.size() != settings_.bytes) give_up(fmt::format("a message of {} bytes", message.size()));
  std::memcpy(&head, message.data(), sizeof head);
  const bool known = head.sender < settings_.senders && head.number <= settings_.messages;
  const std::byte* expected = pattern(settings_.bytes).data() + pattern_start(head);
  if (!known || std::memcmp(message.data() + sizeof head, expected, message.size() - sizeof head) != 0) {
    give_up(fmt::format("wrong contents in message {} of sender {}", head.number, head.sender));
  }
  auto seen = seen_[head.sender * (std::size_t{settings_.messages} + 1) + head.number];
  if (seen) {
    ++copies_;
    return;
  }
  seen = true;
  if (head.number == 0) return;
  ++taken_;
  // Reading the clock takes as long as a small message.
  if (taken_ % 64 == 0 || all_here()) last_ = std::chrono::steady_clock::now();
}

void Inbox::start() {
  start_ = last_ = std::chrono::steady_clock::now();
  shared_.go = true;
}

void Inbox::report() const {
  shared_.delivered = taken_;
  shared_.seconds = std::chrono::duration<double>(last_ - start_).count();
  shared_.receiver_resident = bench::peak_resident_bytes();
}

namespace {

/// Returns when every message has arrived, or no more can arrive, and every sender has been answered.
void receive(const Settings& settings, SharedState& shared, const Stack& stack) {
  using Clock = std::chrono::steady_clock;
  Inbox inbox(settings, shared);
  const auto receiver = stack.receiver(settings, shared, inbox);
  while (shared.ready < settings.senders) receiver->progress();
  inbox.start();
  std::uint64_t taken = 0;
  Clock::time_point silent_since = Clock::now();
  while (shared.finished < settings.senders || !inbox.all_here()) {
    receiver->progress();
    if (stack.reliable || shared.finished < settings.senders) continue;
    if (std::exchange(taken, inbox.taken()) != inbox.taken()) silent_since = Clock::now();
    if (Clock::now() - silent_since > silence) break;
  }
  const std::int64_t dropped = receiver->duplicates();
  if (dropped != not_reported) shared.duplicates = dropped + static_cast<std::int64_t>(inbox.copies());
  inbox.report();
}

void send(const Settings& settings, SharedState& shared, const Stack& stack, std::uint32_t number) {
  Outbox outbox(settings, number);
  const auto sender = stack.sender(settings, shared, outbox, number);
  const auto send_all = [&](std::uint32_t messages) {
    outbox.allow(messages);
    while (!outbox.all_done()) {
      for (auto message = outbox.front(); message && sender->send(*message); message = outbox.front()) outbox.sent();
      sender->progress();
    }
  };
  send_all(1);
  ++shared.ready;
  while (!shared.go) sender->progress();
  send_all(settings.messages + 1);
  sender->finish();
  const std::int64_t reported = sender->retransmissions();
  if (reported == not_reported)
    shared.retransmissions = not_reported;
  else
    shared.retransmissions += reported;
  ++shared.finished;
}

}  // namespace

int run(int argc, char** argv, const Stack& stack) {
  const Settings settings = settings_of(argc, argv);
  SharedState& shared = bench::shared<SharedState>();

  alarm(max_seconds);
  std::vector<pid_t> children{bench::start([&] { receive(settings, shared, stack); })};
  for (std::uint32_t i = 0; i < settings.senders; ++i) {
    children.push_back(bench::start([&] { send(settings, shared, stack, i); }));
  }
  if (!bench::all_succeed(children)) return 2;

  const std::uint64_t lost = std::uint64_t{settings.senders} * settings.messages - shared.delivered;
  if (stack.reliable && lost > 0) give_up(fmt::format("{} messages are lost", lost));
  fmt::print(
      "{{\"messages_per_s\": {:.0f}, \"receiver_rss_MB\": {:.2f}, \"duplicates\": {}, \"retransmissions\": {}, "
      "\"lost\": {}}}\n",
      static_cast<double>(shared.delivered) / shared.seconds, static_cast<double>(shared.receiver_resident) / 1e6,
      json_number(shared.duplicates), json_number(shared.retransmissions), lost);
  return 0;
}

}  // namespace ayatori::incast
