#pragma once
/// \file
/// How often tests repeat what they do to be sure.

#include <cstdlib>

namespace ayatori::test {

/// Whether `./run test all` runs the tests, which takes the time for all that they can try.
inline bool all_is_tried() { return std::getenv("ALL_TESTS") != nullptr; }

/// How many cases, seeds or jobs to try: as many as find what a test looks for, or all.
template <typename Count>
Count tries(Count usual, Count thorough) {
  return all_is_tried() ? thorough : usual;
}

}  // namespace ayatori::test
