#include "ayatori/shm/shm_wire.hpp"

#include "doorbell.hpp"
#include "peer_rings.hpp"
#include "ring.hpp"
#include "segment.hpp"

namespace ayatori::wires {

using transport::Datagram;

namespace {

/// Looks into the ring in a poll that follows a fruitless one. A look at what has not changed costs next to nothing,
/// and whoever spins would otherwise be looking elsewhere, at clocks and deadlines, most of the time.
constexpr int looks_while_spinning = 64;

/// Fruitless polls after which it is asked whether a sender hangs: the answer costs the senders a cache line.
constexpr std::uint32_t polls_before_doubt = 1024;

/// What a sender takes to write a datagram, even if the scheduler takes it off its core meanwhile for a moment.
constexpr auto patience = std::chrono::milliseconds(10);

}  // namespace

struct ShmWire::State {
  using SteadyTime = std::chrono::steady_clock::time_point;

  State(const ShmOptions& chosen, OwnSegment made, Ring held, Doorbell woken_by)
      : options(chosen),
        segment(std::move(made)),
        ring(held),
        doorbell(std::move(woken_by)),
        peers({chosen.folder, chosen.key}, chosen.mappings) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ring.close(); }

  void doubt_sender();

  ShmOptions options;
  OwnSegment segment;
  Ring ring;
  Doorbell doorbell;
  PeerRings peers;
  ShmStatistics statistics;
  std::uint32_t fruitless = 0;
  std::optional<SteadyTime> hanging_since;
};

/// A sender that was stopped or killed between taking a cell and finishing it must not stop the others for long.
void ShmWire::State::doubt_sender() {
  if (!ring.unfinished()) {
    hanging_since.reset();
    return;
  }
  const SteadyTime now = std::chrono::steady_clock::now();
  if (!hanging_since) hanging_since = now;
  if (now - *hanging_since < patience) return;
  ring.skip_unfinished();
  ++statistics.unfinished;
  hanging_since.reset();
}

Result<std::unique_ptr<ShmWire>> ShmWire::make(const ShmOptions& options) {
  const RingShape shape{options.cells, options.buffers, options.datagram_bytes};
  if (auto good = check(shape); !good) return Failure(good.error());
  if (options.mappings == 0) return fail("mappings is 0; it must be at least 1");
  remove_stale(options.folder, RingNames::prefix);
  auto bell = make_bell();
  if (!bell) return Failure(bell.error());
  auto segment = OwnSegment::make(RingNames{options.folder, options.key}.of(options.self), Ring::bytes(shape));
  if (!segment) return Failure(segment.error());
  auto doorbell = Doorbell::make(options.key, options.self);
  if (!doorbell) return Failure(doorbell.error());
  const Ring ring = Ring::make(segment->bytes(), shape, options.key, options.self);
  if (auto good = segment->publish(); !good) return Failure(good.error());
  auto state = std::make_unique<State>(options, std::move(*segment), ring, std::move(*doorbell));
  return std::unique_ptr<ShmWire>(new ShmWire(std::move(*bell), std::move(state)));
}

ShmWire::ShmWire(Descriptor bell, std::unique_ptr<State> state)
    : PollableWire(std::move(bell)), state_(std::move(state)) {}
ShmWire::~ShmWire() = default;

std::size_t ShmWire::datagram_bytes() const { return state_->options.datagram_bytes; }

bool ShmWire::send(const Datagram& datagram) {
  Ring* ring = state_->peers.of(datagram.to);
  const bool put = ring && ring->put(datagram);
  if (!ring) {
    ++state_->statistics.absent;
  } else if (!put) {
    ++state_->statistics.full;
    state_->peers.doubt(datagram.to);
  } else if (ring->must_wake()) {
    ++state_->statistics.wakes;
    state_->doorbell.ring(datagram.to);
  }
  return put || !datagram.express;
}

std::size_t ShmWire::poll(std::size_t most, const std::function<void(std::span<const std::byte>)>& take) {
  std::size_t count = 0;
  int looks = state_->fruitless > 0 ? looks_while_spinning : 1;
  while (count < most) {
    const auto datagram = state_->ring.next();
    if (!datagram && --looks > 0) continue;
    if (!datagram) break;
    looks = 1;
    take(*datagram);
    state_->ring.done();
    ++count;
  }
  if (count > 0) state_->fruitless = 0;
  if (count == 0 && ++state_->fruitless % polls_before_doubt == 0) state_->doubt_sender();
  return count;
}

Duration ShmWire::prepare_to_sleep(Duration longest) {
  if (!state_->ring.fall_asleep()) return Duration::zero();
  state_->doubt_sender();
  return state_->hanging_since ? std::min<Duration>(longest, patience) : longest;
}

void ShmWire::woken() {
  state_->ring.wake_up();
  state_->doorbell.silence();
}

void ShmWire::add_descriptors(std::vector<pollfd>& polled) const {
  polled.push_back({state_->doorbell.descriptor(), POLLIN, 0});
}

void ShmWire::withdraw() { state_->segment.withdraw(); }

void ShmWire::disown() {
  PollableWire::disown();
  state_->segment.disown();
  state_->doorbell.disown();
}

ShmStatistics ShmWire::statistics() const {
  ShmStatistics all = state_->statistics;
  all.malformed = state_->ring.malformed();
  return all;
}

const std::optional<Error>& ShmWire::problem() const { return state_->peers.problem(); }

}  // namespace ayatori::wires
