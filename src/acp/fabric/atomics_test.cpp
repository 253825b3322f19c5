#include "atomics.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace ayatori::fabric {
namespace atomics_test {

template <typename Value>
struct Done {
  Value before{};
  Value after{};
};

template <typename Value>
Done<Value> done(fi_datatype type, fi_op operation, Value old, Value operand, Value compare = {}) {
  AtomicRequest request{.operation = operation, .type = type};
  std::memcpy(request.operand.data(), &operand, sizeof operand);
  std::memcpy(request.compare.data(), &compare, sizeof compare);
  const auto sent = decode_atomic(encode(request));
  EXPECT_TRUE(sent);
  Done<Value> result{.before = {}, .after = old};
  const auto before = carry_out(*sent, std::as_writable_bytes(std::span(&result.after, 1)));
  EXPECT_TRUE(before);
  std::memcpy(&result.before, before->data(), sizeof(Value));
  EXPECT_EQ(result.before, old);
  return result;
}

TEST(Atomics, DoWhatTheyAreCalled) {
  EXPECT_EQ(done<std::uint64_t>(FI_UINT64, FI_SUM, ~std::uint64_t{0}, 3).after, 2U);
  EXPECT_EQ(done<std::int8_t>(FI_INT8, FI_SUM, 127, 1).after, -128);
  EXPECT_EQ(done<std::int32_t>(FI_INT32, FI_PROD, -3, 7).after, -21);
  EXPECT_EQ(done<std::int16_t>(FI_INT16, FI_MIN, 3, -7).after, -7);
  EXPECT_EQ(done<std::uint16_t>(FI_UINT16, FI_MAX, 3, 7).after, 7);
  EXPECT_EQ(done<double>(FI_DOUBLE, FI_SUM, 0.5, 0.25).after, 0.75);
  EXPECT_EQ(done<float>(FI_FLOAT, FI_PROD, 0.5F, 8).after, 4);
  EXPECT_EQ(done<std::uint32_t>(FI_UINT32, FI_LAND, 2, 4).after, 1U);
  EXPECT_EQ(done<std::uint32_t>(FI_UINT32, FI_LOR, 0, 0).after, 0U);
  EXPECT_EQ(done<std::uint32_t>(FI_UINT32, FI_LXOR, 5, 0).after, 1U);
  EXPECT_EQ(done<std::uint8_t>(FI_UINT8, FI_BOR, 6, 9).after, 15);
  EXPECT_EQ(done<std::uint8_t>(FI_UINT8, FI_BAND, 6, 3).after, 2);
  EXPECT_EQ(done<std::int64_t>(FI_INT64, FI_BXOR, -1, 1).after, -2);
  EXPECT_EQ(done<std::int64_t>(FI_INT64, FI_ATOMIC_WRITE, 4, 5).after, 5);
  EXPECT_EQ(done<std::int64_t>(FI_INT64, FI_ATOMIC_READ, 4, 5).after, 4);
  EXPECT_EQ(done<std::int64_t>(FI_INT64, FI_CSWAP, 4, 5, 4).after, 5);
  EXPECT_EQ(done<std::int64_t>(FI_INT64, FI_CSWAP, 4, 5, 3).after, 4);
  EXPECT_EQ(done<std::int64_t>(FI_INT64, FI_CSWAP_LT, 4, 5, 3).after, 5);
  EXPECT_EQ(done<std::uint8_t>(FI_UINT8, FI_MSWAP, 0xF0, 0x0F, 0x0F).after, 0xFF);
}

TEST(Atomics, ThatAreNotOfferedAreNoRequests) {
  EXPECT_EQ(max_count(FI_LONG_DOUBLE, FI_SUM, AtomicForm::write), 0);
  EXPECT_EQ(max_count(FI_FLOAT, FI_BOR, AtomicForm::write), 0);
  EXPECT_EQ(max_count(FI_UINT64, FI_CSWAP, AtomicForm::write), 0);
  EXPECT_EQ(max_count(FI_UINT64, FI_ATOMIC_READ, AtomicForm::write), 0);
  EXPECT_EQ(max_count(FI_UINT16, FI_SUM, AtomicForm::fetch), 4);
  EXPECT_FALSE(decode_atomic(encode({.operation = FI_SUM, .type = FI_UINT64, .count = 2})));
  EXPECT_FALSE(decode_atomic(encode({.operation = FI_SUM, .type = FI_LONG_DOUBLE})));
  EXPECT_FALSE(decode_atomic({}));
}

TEST(Atomics, NeedAlignedMemory) {
  alignas(8) std::array<std::byte, 16> memory{};
  EXPECT_FALSE(carry_out({.operation = FI_SUM}, std::span(memory).subspan(4, 8)));
}

}  // namespace atomics_test
}  // namespace ayatori::fabric
