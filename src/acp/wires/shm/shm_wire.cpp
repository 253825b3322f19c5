#include "ayatori/shm/shm_wire.hpp"

#include "ayatori/base/heap.hpp"
#include "ayatori/shm/shm_file.hpp"
#include "doorbell.hpp"
#include "peer_rings.hpp"
#include "ring.hpp"

namespace ayatori::wires {

using transport::Datagram;

namespace {

/// How often the ring is read in a poll that follows one which found nothing. Reading a cache line that has not changed
/// costs next to nothing, and a process that spins would otherwise spend most of its time on clocks and deadlines.
constexpr int reads_while_spinning = 64;

/// After so many polls that found nothing, the wire checks whether a sender hangs. The check takes a cache line away
/// from the senders.
constexpr std::uint32_t polls_between_checks = 1024;

/// A sender that takes longer to write one datagram is taken to be stopped or dead. It is more than a preempted process
/// waits for its core.
constexpr auto write_timeout = std::chrono::milliseconds(10);

RingShape shape_of(const ShmOptions& options) { return {options.cells, options.buffers, options.datagram_bytes}; }

}  // namespace

struct ShmWire::State {
  State(const ShmOptions& chosen, Clock& given, OwnShmFile made, Ring held, Doorbell woken_by)
      : options(chosen),
        clock(given),
        file(std::move(made)),
        ring(held),
        doorbell(std::move(woken_by)),
        peers({chosen.folder, chosen.key}, chosen.mappings) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ring.close(); }

  void skip_hanging_sender();

  ShmOptions options;
  Clock& clock;
  OwnShmFile file;
  Ring ring;
  Doorbell doorbell;
  PeerRings peers;
  ShmStatistics statistics;
  std::uint32_t empty_polls = 0;
  std::optional<transport::Time> hanging_since;
};

/// A sender that was stopped or killed while it wrote a datagram must not hold up the others for long.
void ShmWire::State::skip_hanging_sender() {
  if (!ring.unfinished()) {
    hanging_since.reset();
    return;
  }
  const transport::Time now = clock.now();
  if (!hanging_since) hanging_since = now;
  if (now - *hanging_since < write_timeout) return;
  ring.skip_unfinished();
  ++statistics.unfinished;
  hanging_since.reset();
}

Result<std::unique_ptr<ShmWire>> ShmWire::make(const ShmOptions& options, Clock& clock) {
  const RingShape shape = shape_of(options);
  if (auto good = check(shape); !good) return Failure(good.error());
  if (options.mappings == 0) return fail("mappings is 0; it must be at least 1");
  auto file = OwnShmFile::make(RingNames{options.folder, options.key}.of(options.self), Ring::bytes(shape));
  if (!file) return Failure(file.error());
  auto doorbell = Doorbell::make(options.folder, options.self);
  if (!doorbell) return Failure(doorbell.error());
  const Ring ring = Ring::make(file->bytes(), shape, options.key, options.self);
  if (auto good = file->publish(); !good) return Failure(good.error());
  auto state = std::make_unique<State>(options, clock, std::move(*file), ring, std::move(*doorbell));
  return std::unique_ptr<ShmWire>(new ShmWire(std::move(state)));
}

Bytes ShmWire::memory_bytes(const ShmOptions& options) {
  return Ring::bytes(shape_of(options)) + sizeof(State) +
         heap_taken_by([&] { return PeerRings(RingNames{options.folder, options.key}, options.mappings); });
}

ShmWire::ShmWire(std::unique_ptr<State> state) : state_(std::move(state)) {}
ShmWire::~ShmWire() = default;

std::size_t ShmWire::datagram_bytes() const { return state_->options.datagram_bytes; }

bool ShmWire::send(const Datagram& datagram) {
  Ring* ring = state_->peers.of(datagram.to);
  const bool put = ring && ring->put(datagram);
  if (!ring) {
    ++state_->statistics.absent;
  } else if (!put) {
    ++state_->statistics.full;
    state_->peers.forget_if_dead(datagram.to);
  } else if (ring->must_wake()) {
    ++state_->statistics.wakes;
    state_->doorbell.wake(datagram.to);
  }
  return put || !datagram.express;
}

std::size_t ShmWire::poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) {
  std::size_t count = 0;
  int reads = state_->empty_polls > 0 ? reads_while_spinning : 1;
  while (count < max_datagrams) {
    const auto datagram = state_->ring.next();
    if (!datagram && --reads > 0) continue;
    if (!datagram) break;
    reads = 1;
    take(*datagram);
    state_->ring.done();
    ++count;
  }
  if (count > 0) state_->empty_polls = 0;
  if (count == 0 && ++state_->empty_polls % polls_between_checks == 0) state_->skip_hanging_sender();
  return count;
}

Duration ShmWire::prepare_to_sleep(Duration timeout) {
  if (!state_->ring.fall_asleep()) return Duration::zero();
  state_->skip_hanging_sender();
  return state_->hanging_since ? std::min<Duration>(timeout, write_timeout) : timeout;
}

void ShmWire::woken() {
  state_->ring.wake_up();
  state_->doorbell.drain();
}

void ShmWire::add_descriptors(std::vector<pollfd>& polled) const {
  polled.push_back({state_->doorbell.descriptor(), POLLIN, 0});
}

void ShmWire::withdraw() {
  state_->file.withdraw();
  state_->doorbell.withdraw();
}

void ShmWire::disown() {
  state_->file.disown();
  state_->doorbell.disown();
}

ShmStatistics ShmWire::statistics() const {
  ShmStatistics all = state_->statistics;
  all.malformed = state_->ring.malformed();
  return all;
}

const std::optional<Error>& ShmWire::problem() const { return state_->peers.problem(); }

}  // namespace ayatori::wires
