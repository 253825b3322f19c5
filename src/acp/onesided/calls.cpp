#include "calls.hpp"

#include <atomic>
#include <bit>
#include <cstring>

namespace ayatori::onesided {

static_assert(std::endian::native == std::endian::little, "words are copied as they are");

std::array<std::byte, call_bytes> encode(const Call& call) {
  std::array<std::byte, call_bytes> bytes{};
  bytes[0] = static_cast<std::byte>(call.kind);
  bytes[1] = static_cast<std::byte>(call.size);
  std::memcpy(bytes.data() + 2, call.words.data(), sizeof call.words);
  return bytes;
}

transport::OperationResult encode(const Answer& answer) {
  transport::OperationResult result;
  result.size = answer_bytes;
  result.bytes[0] = static_cast<std::byte>(answer.status);
  std::memcpy(result.bytes.data() + 1, &answer.value, sizeof answer.value);
  return result;
}

namespace {

bool size_fits(const Call& call) {
  if (is_atomic(call.kind)) return call.size == 4 || call.size == 8;
  return call.size <= max_inline_bytes;
}

template <typename Word>
std::uint64_t apply(const Call& call, std::byte* at) {
  const std::atomic_ref<Word> word(*reinterpret_cast<Word*>(at));
  const auto operand = static_cast<Word>(call.words[1]);
  auto expected = static_cast<Word>(call.words[2]);
  switch (call.kind) {
    case CallKind::swap:
      return word.exchange(operand);
    case CallKind::add:
      return word.fetch_add(operand);
    case CallKind::exclusive_or:
      return word.fetch_xor(operand);
    case CallKind::inclusive_or:
      return word.fetch_or(operand);
    case CallKind::conjunction:
      return word.fetch_and(operand);
    default:
      // Where it fails, `expected` becomes what is there; where it succeeds, it was there.
      word.compare_exchange_strong(expected, operand);
      return expected;
  }
}

}  // namespace

std::optional<Call> decode_call(std::span<const std::byte> bytes) {
  if (bytes.size() != call_bytes) return std::nullopt;
  Call call;
  call.kind = static_cast<CallKind>(bytes[0]);
  call.size = std::to_integer<std::uint8_t>(bytes[1]);
  std::memcpy(call.words.data(), bytes.data() + 2, sizeof call.words);
  if (call.kind < CallKind::alive || call.kind > CallKind::grant || !size_fits(call)) return std::nullopt;
  return call;
}

std::optional<Answer> decode_answer(std::span<const std::byte> bytes) {
  if (bytes.size() != answer_bytes || static_cast<Status>(bytes[0]) > Status::lost) return std::nullopt;
  Answer answer{.status = static_cast<Status>(bytes[0])};
  std::memcpy(&answer.value, bytes.data() + 1, sizeof answer.value);
  return answer;
}

std::uint64_t apply_atomic(const Call& call, std::byte* at) {
  return call.size == 4 ? apply<std::uint32_t>(call, at) : apply<std::uint64_t>(call, at);
}

}  // namespace ayatori::onesided
