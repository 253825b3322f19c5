#include "atomics.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

#include "ayatori/transport/bytes.hpp"

namespace ayatori::fabric {

namespace {

template <typename Value>
Value combined(fi_op operation, Value old, Value operand, Value compare) {
  switch (operation) {
    case FI_MIN:
      return std::min(old, operand);
    case FI_MAX:
      return std::max(old, operand);
    case FI_LOR:
      return static_cast<Value>(old != 0 || operand != 0);
    case FI_LAND:
      return static_cast<Value>(old != 0 && operand != 0);
    case FI_LXOR:
      return static_cast<Value>((old != 0) != (operand != 0));
    case FI_ATOMIC_WRITE:
      return operand;
    case FI_CSWAP:
      return compare == old ? operand : old;
    case FI_CSWAP_NE:
      return compare != old ? operand : old;
    case FI_CSWAP_LE:
      return compare <= old ? operand : old;
    case FI_CSWAP_LT:
      return compare < old ? operand : old;
    case FI_CSWAP_GE:
      return compare >= old ? operand : old;
    case FI_CSWAP_GT:
      return compare > old ? operand : old;
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<Value>) {
    if (operation == FI_SUM) return old + operand;
    if (operation == FI_PROD) return old * operand;
  } else {
    // Unsigned, since a signed overflow is not defined.
    using Bits = std::make_unsigned_t<Value>;
    const auto a = static_cast<std::uint64_t>(static_cast<Bits>(old));
    const auto b = static_cast<std::uint64_t>(static_cast<Bits>(operand));
    const auto mask = static_cast<std::uint64_t>(static_cast<Bits>(compare));
    switch (operation) {
      case FI_SUM:
        return static_cast<Value>(a + b);
      case FI_PROD:
        return static_cast<Value>(a * b);
      case FI_BOR:
        return static_cast<Value>(a | b);
      case FI_BAND:
        return static_cast<Value>(a & b);
      case FI_BXOR:
        return static_cast<Value>(a ^ b);
      case FI_MSWAP:
        return static_cast<Value>((b & mask) | (a & ~mask));
      default:
        break;
    }
  }
  return old;  // FI_ATOMIC_READ
}

template <typename Value>
using BitsOf =
    std::conditional_t<sizeof(Value) == 1, std::uint8_t,
                       std::conditional_t<sizeof(Value) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>>>;

/// The value of one element from before.
template <typename Value>
Value exchange_element(const AtomicRequest& request, std::byte* at, Value operand, Value compare) {
  using Bits = BitsOf<Value>;
  const std::atomic_ref<Bits> word(*reinterpret_cast<Bits*>(at));
  Bits found = word.load();
  while (true) {
    const auto old = std::bit_cast<Value>(found);
    const auto wanted = std::bit_cast<Bits>(combined(request.operation, old, operand, compare));
    if (wanted == found || word.compare_exchange_weak(found, wanted)) return old;
  }
}

template <typename Value>
AtomicWord exchange(const AtomicRequest& request, std::byte* at) {
  AtomicWord before{};
  for (std::size_t i = 0; i < request.count; ++i) {
    Value operand{};
    Value compare{};
    std::memcpy(&operand, &request.operand.at(i * sizeof(Value)), sizeof(Value));
    std::memcpy(&compare, &request.compare.at(i * sizeof(Value)), sizeof(Value));
    const Value old = exchange_element(request, at + i * sizeof(Value), operand, compare);
    std::memcpy(&before.at(i * sizeof(Value)), &old, sizeof(Value));
  }
  return before;
}

bool is_floating(fi_datatype type) { return type == FI_FLOAT || type == FI_DOUBLE; }

bool has_bits(fi_op operation) {
  return operation == FI_BOR || operation == FI_BAND || operation == FI_BXOR || operation == FI_MSWAP;
}

/// In the form of a request.
bool compares(fi_op operation) { return operation >= FI_CSWAP && operation <= FI_MSWAP; }

}  // namespace

std::size_t size_of(fi_datatype type) {
  constexpr std::array<std::size_t, 10> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  const auto number = static_cast<std::size_t>(type);
  return number < sizes.size() ? sizes.at(number) : 0;
}

std::size_t max_count(fi_datatype type, fi_op operation, AtomicForm form) {
  const std::size_t size = size_of(type);
  if (size == 0 || operation > FI_MSWAP || (is_floating(type) && has_bits(operation))) return 0;
  if (compares(operation) != (form == AtomicForm::compare)) return 0;
  if (operation == FI_ATOMIC_READ && form == AtomicForm::write) return 0;
  return max_atomic_bytes / size;
}

std::array<std::byte, 36> encode(const AtomicRequest& request) {
  std::array<std::byte, 36> bytes{};
  transport::Writer writer(bytes);
  writer.put(static_cast<std::uint8_t>(request.operation));
  writer.put(static_cast<std::uint8_t>(request.type));
  writer.put(request.count);
  writer.put(static_cast<std::uint8_t>(request.fetches));
  writer.put(request.key);
  writer.put(request.address);
  std::ranges::copy(request.operand, bytes.begin() + 20);
  std::ranges::copy(request.compare, bytes.begin() + 28);
  return bytes;
}

std::optional<AtomicRequest> decode_atomic(std::span<const std::byte> bytes) {
  if (bytes.size() != 36) return std::nullopt;
  transport::Reader reader(bytes);
  AtomicRequest request;
  request.operation = static_cast<fi_op>(reader.take<std::uint8_t>());
  request.type = static_cast<fi_datatype>(reader.take<std::uint8_t>());
  request.count = reader.take<std::uint8_t>();
  request.fetches = reader.take<std::uint8_t>() != 0;
  request.key = reader.take<std::uint64_t>();
  request.address = reader.take<std::uint64_t>();
  std::ranges::copy(bytes.subspan(20, 8), request.operand.begin());
  std::ranges::copy(bytes.subspan(28, 8), request.compare.begin());
  const AtomicForm form = compares(request.operation) ? AtomicForm::compare : AtomicForm::fetch;
  const std::size_t most = max_count(request.type, request.operation, form);
  if (request.count == 0 || request.count > most) return std::nullopt;
  return request;
}

std::optional<AtomicWord> carry_out(const AtomicRequest& request, std::span<std::byte> memory) {
  if (std::bit_cast<std::uintptr_t>(memory.data()) % size_of(request.type) != 0) return std::nullopt;
  std::byte* const at = memory.data();
  switch (request.type) {
    case FI_INT8:
      return exchange<std::int8_t>(request, at);
    case FI_UINT8:
      return exchange<std::uint8_t>(request, at);
    case FI_INT16:
      return exchange<std::int16_t>(request, at);
    case FI_UINT16:
      return exchange<std::uint16_t>(request, at);
    case FI_INT32:
      return exchange<std::int32_t>(request, at);
    case FI_UINT32:
      return exchange<std::uint32_t>(request, at);
    case FI_INT64:
      return exchange<std::int64_t>(request, at);
    case FI_UINT64:
      return exchange<std::uint64_t>(request, at);
    case FI_FLOAT:
      return exchange<float>(request, at);
    case FI_DOUBLE:
      return exchange<double>(request, at);
    default:
      return std::nullopt;
  }
}

}  // namespace ayatori::fabric
