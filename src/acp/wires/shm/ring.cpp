#include "ring.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace ayatori::wires {

namespace {

constexpr std::uint64_t magic = 0x676e'6972'5f61'7961;  // "aya_ring"
constexpr std::uint32_t version = 1;
constexpr std::uint32_t none = ~std::uint32_t{0};

/// Who may use a cell. Free and ready cells also have the number that they are free or ready for: numbers that are
/// a lap apart share a cell, and a slow sender must not mistake the state of a later number for that of its own.
enum State : std::uint64_t {
  free_cell,  // the sender that takes the number
  ready,      // the receiver
  given_up,   // the sender that did not finish in time; all others skip it
  returned,   // that sender has seen it: the receiver frees the cell when it reaches it
};

std::uint64_t free_for(std::uint64_t number) { return number << 2 | free_cell; }
std::uint64_t ready_as(std::uint64_t number) { return number << 2 | ready; }

std::size_t rounded(std::size_t bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }

}  // namespace

/// Words that different processes write are in different cache lines.
struct Ring::Head {
  std::atomic<std::uint64_t> magic;
  std::uint32_t version;
  std::uint32_t owner;
  std::uint64_t key;
  RingShape shape;

  alignas(cache_line) std::atomic<std::uint64_t> tail;      // cells taken by senders, ever
  alignas(cache_line) std::atomic<std::uint64_t> head;      // cells passed by the receiver, ever
  alignas(cache_line) std::atomic<std::uint64_t> free_top;  // number of the buffer on top, and a count against ABA
  alignas(cache_line) std::atomic<std::uint32_t> asleep;
  std::atomic<std::uint32_t> closed;
};

struct alignas(cache_line) Ring::Cell {
  std::atomic<std::uint64_t> state;
  std::uint32_t size;
  std::uint32_t buffer;  // where the datagram is; `none` if it is here
  std::array<std::byte, 240> bytes;
};

Result<> check(const RingShape& shape) {
  const auto between = [](std::uint32_t value, std::uint32_t min, std::uint32_t max) {
    return value >= min && value <= max;
  };
  if (!std::has_single_bit(shape.cells) || !between(shape.cells, 16, 1U << 20)) {
    return fail("cells is {}; it must be a power of two from 16 to {}", shape.cells, 1U << 20);
  }
  if (!between(shape.buffers, 1, 1U << 16)) return fail("buffers is {}; it must be 1 to 65536", shape.buffers);
  if (!between(shape.buffer_bytes, 256, 1U << 20) || shape.buffer_bytes % cache_line != 0) {
    return fail("buffer_bytes is {}; it must be a multiple of 64 from 256 to {}", shape.buffer_bytes, 1U << 20);
  }
  return {};
}

std::size_t Ring::bytes(const RingShape& shape) {
  return sizeof(Head) + rounded(shape.buffers * sizeof(std::atomic<std::uint32_t>)) + shape.cells * sizeof(Cell) +
         std::size_t{shape.buffers} * shape.buffer_bytes;
}

Ring::Ring(std::span<std::byte> memory, const RingShape& shape) : shape_(shape) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(Cell) == 4 * cache_line);
  std::byte* at = memory.data();
  head_ = reinterpret_cast<Head*>(at);
  at += sizeof(Head);
  below_ = reinterpret_cast<std::atomic<std::uint32_t>*>(at);
  at += rounded(shape.buffers * sizeof(std::atomic<std::uint32_t>));
  cells_ = reinterpret_cast<Cell*>(at);
  buffers_ = at + shape.cells * sizeof(Cell);
}

Ring Ring::make(std::span<std::byte> memory, const RingShape& shape, std::uint64_t key, std::uint32_t owner) {
  Ring ring(memory, shape);
  ring.head_->version = version;
  ring.head_->owner = owner;
  ring.head_->key = key;
  ring.head_->shape = shape;
  ring.head_->free_top = none;
  for (std::uint64_t i = 0; i < shape.cells; ++i) ring.cell(i).state = free_for(i);
  for (std::uint32_t i = shape.buffers; i-- > 0;) ring.push_buffer(i);
  ring.head_->magic = magic;
  return ring;
}

Result<Ring> Ring::open(std::span<std::byte> memory, std::uint64_t key, std::uint32_t owner) {
  if (memory.size() < sizeof(Head)) return fail("it is too short");
  const Head& head = *reinterpret_cast<const Head*>(memory.data());
  if (head.magic != magic || head.version != version) return fail("it is not a ring of this version");
  if (head.key != key || head.owner != owner) return fail("it belongs to another job or rank");
  const RingShape shape = head.shape;
  if (auto good = check(shape); !good) return Failure(good.error());
  if (memory.size() < bytes(shape)) return fail("its end is missing");
  Ring ring(memory, shape);
  ring.known_head_ = ring.next_ = head.head.load();
  return ring;
}

// ---- Senders

std::optional<Ring::Slot> Ring::begin(std::size_t size, bool control) {
  if (size > shape_.buffer_bytes) return std::nullopt;
  const bool small = size <= sizeof(Cell::bytes);
  const std::uint32_t buffer = small ? none : pop_buffer();
  if (!small && buffer == none) return std::nullopt;
  const auto number = take_number(control);
  if (!number) {
    if (!small) push_buffer(buffer);
    return std::nullopt;
  }
  Cell& cell = this->cell(*number);
  cell.size = static_cast<std::uint32_t>(size);
  cell.buffer = buffer;
  return Slot{*number, buffer, small ? cell.bytes.data() : buffer_at(buffer)};
}

bool Ring::finish(const Slot& slot) {
  Cell& cell = this->cell(slot.number);
  std::uint64_t expected = free_for(slot.number);
  if (cell.state.compare_exchange_strong(expected, ready_as(slot.number))) return true;
  if (slot.buffer != none) push_buffer(slot.buffer);
  cell.state.store(returned);
  return false;
}

bool Ring::put(const transport::Datagram& datagram) {
  const auto slot = begin(datagram.header.size() + datagram.payload.size(), datagram.control);
  if (!slot) return false;
  std::byte* payload = std::ranges::copy(datagram.header, slot->memory).out;
  std::ranges::copy(datagram.payload, payload);
  return finish(*slot);
}

/// Nothing if the ring is full. Cells that were given up and are not free again are skipped.
std::optional<std::uint64_t> Ring::take_number(bool control) {
  const std::uint32_t max_used = control ? shape_.cells : shape_.cells - shape_.cells / 8;
  // The receiver may have passed `number`, which was read earlier: the difference is negative then.
  const auto full = [&](std::uint64_t number) { return static_cast<std::int64_t>(number - known_head_) >= max_used; };
  std::uint64_t number = head_->tail.load(std::memory_order_relaxed);
  for (std::uint32_t passed = 0; passed < shape_.cells;) {
    if (full(number)) known_head_ = head_->head.load(std::memory_order_acquire);
    if (full(number)) return std::nullopt;
    if (!head_->tail.compare_exchange_weak(number, number + 1)) continue;
    if (cell(number).state.load(std::memory_order_acquire) == free_for(number)) return number;
    ++number;
    ++passed;
  }
  return std::nullopt;
}

bool Ring::must_wake() { return head_->asleep.load() != 0 && head_->asleep.exchange(0) != 0; }

bool Ring::closed() const { return head_->closed.load(std::memory_order_relaxed) != 0; }

// ---- The receiver

std::optional<std::span<const std::byte>> Ring::next() {
  // At most one lap, so that a corrupted ring cannot keep the receiver here.
  for (std::uint32_t passed = 0; passed < shape_.cells; ++passed) {
    Cell& cell = this->cell(next_);
    const std::uint64_t state = cell.state.load();
    if (state == ready_as(next_)) {
      const std::uint32_t size = cell.size;
      const std::uint32_t buffer = taken_buffer_ = cell.buffer;
      if (buffer == none && size <= cell.bytes.size()) return std::span(cell.bytes).first(size);
      if (buffer < shape_.buffers && size <= shape_.buffer_bytes) return std::span(buffer_at(buffer), size);
      ++malformed_;
      taken_buffer_ = none;
      done();
    } else if (state == free_for(next_) || head_->tail.load() == next_) {
      return std::nullopt;
    } else {
      // Given up or returned: the sender that took its number has skipped it, too.
      if (state == returned) cell.state.store(free_for(next_ + shape_.cells), std::memory_order_release);
      pass();
    }
  }
  return std::nullopt;
}

void Ring::done() {
  Cell& cell = this->cell(next_);
  if (taken_buffer_ != none) push_buffer(taken_buffer_);
  cell.state.store(free_for(next_ + shape_.cells), std::memory_order_release);
  pass();
}

/// Release order: a sender that sees the new head also sees the cell freed.
void Ring::pass() { head_->head.store(++next_, std::memory_order_release); }

bool Ring::fall_asleep() {
  head_->asleep.store(1);
  if (!next()) return true;
  wake_up();
  return false;
}

void Ring::wake_up() { head_->asleep.store(0, std::memory_order_relaxed); }

void Ring::close() { head_->closed.store(1); }

bool Ring::unfinished() const { return cell(next_).state.load() == free_for(next_) && head_->tail.load() > next_; }

void Ring::skip_unfinished() {
  std::uint64_t expected = free_for(next_);
  if (cell(next_).state.compare_exchange_strong(expected, given_up)) pass();
}

// ---- Free buffers: a stack, so that the buffers used last, which are in the caches, are used next

std::uint32_t Ring::pop_buffer() {
  std::uint64_t top = head_->free_top.load(std::memory_order_acquire);
  while (true) {
    const auto number = static_cast<std::uint32_t>(top);
    if (number >= shape_.buffers) return none;
    const std::uint32_t below = below_[number].load(std::memory_order_relaxed);
    const std::uint64_t next = ((top >> 32) + 1) << 32 | below;
    if (head_->free_top.compare_exchange_weak(top, next, std::memory_order_acquire)) return number;
  }
}

void Ring::push_buffer(std::uint32_t number) {
  std::uint64_t top = head_->free_top.load(std::memory_order_relaxed);
  while (true) {
    below_[number].store(static_cast<std::uint32_t>(top), std::memory_order_relaxed);
    const std::uint64_t next = ((top >> 32) + 1) << 32 | number;
    if (head_->free_top.compare_exchange_weak(top, next, std::memory_order_release, std::memory_order_relaxed)) return;
  }
}

std::byte* Ring::buffer_at(std::uint32_t number) const { return buffers_ + std::size_t{number} * shape_.buffer_bytes; }

Ring::Cell& Ring::cell(std::uint64_t number) const { return cells_[number & (shape_.cells - 1)]; }

}  // namespace ayatori::wires
