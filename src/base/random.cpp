#include "ayatori/base/random.hpp"

#include <bit>

namespace ayatori {

namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (auto& word : state_) word = split_mix(seed);
}

Random::result_type Random::operator()() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Values under 2^64 mod bound would make the first remainders likelier: draw again.
  const std::uint64_t skip = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t value = (*this)();
    if (value >= skip) return value % bound;
  }
}

double Random::fraction() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

}  // namespace ayatori
