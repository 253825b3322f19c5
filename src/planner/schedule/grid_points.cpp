#include "grid_points.hpp"

#include <algorithm>
#include <utility>

namespace ayatori {

std::vector<std::uint32_t> balanced_lengths(Rank n, std::size_t factors) {
  std::vector<std::uint32_t> primes;
  for (Rank p = 2; n > 1; ++p) {
    for (; n % p == 0; n /= p) primes.push_back(p);
    if (std::uint64_t{p} * p > n && n > 1) primes.push_back(std::exchange(n, 1));
  }
  std::vector<std::uint32_t> found(factors, 1);
  for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime) {
    *std::min_element(found.begin(), found.end()) *= *prime;
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

}  // namespace ayatori
