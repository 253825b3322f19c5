#pragma once
/// \file
/// A ball of 64 bytes goes back and forth between two processes, each on a core of its own and spinning: what the
/// stacks have in common. Each stack is a program of its own:
///
///     pingpong_NAME …      prints one JSON line
///
/// The ball is carried with its contents checked first, then several times for the clock. Reading the clock takes as
/// long as half of the way through shared memory, so a few round trips at a time are timed.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/processes.hpp"
#include "harness/statistics.hpp"

namespace ayatori::pingpong {

inline constexpr std::size_t ball_bytes = 64;
inline constexpr int repetitions = 9;
inline constexpr std::uint32_t timed_together = 10;  // round trips
inline constexpr unsigned max_seconds = 300;

using Ball = std::array<std::byte, ball_bytes>;

/// The contents that both sides send and expect.
inline Ball make_ball() {
  Ball ball{};
  for (std::size_t i = 0; i < ball.size(); ++i) ball[i] = static_cast<std::byte>(i * 7 + 1);
  return ball;
}

/// A stack's player. It gives up if check(true) was called and a ball differs from make_ball().
template <typename T>
concept Player = requires(T player, std::uint32_t count, bool on) {
  player.ping();        // sends the ball, returns when it is back
  player.pong(count);   // sends the ball back so many times
  player.settle();      // answers what the peer still waits for
  player.check(on);     // whether contents are compared
  player.statistics();  // further fields of the JSON line, as text
};

/// The median of `count` round trips, a multiple of timed_together, in microseconds.
template <Player P>
double round_trip_us(P& player, std::uint32_t count) {
  std::vector<double> all;
  for (std::uint32_t i = 0; i < count; i += timed_together) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t n = 0; n < timed_together; ++n) player.ping();
    all.push_back(bench::seconds_since(start) * 1e6 / timed_together);
  }
  return bench::median(std::move(all));
}

/// Executes with make_player(0) and make_player(1), `count` round trips at a time; the exit status of the program.
template <typename MakePlayer>
int run(std::uint32_t count, MakePlayer make_player) {
  auto& barrier = bench::shared<bench::Barrier>();
  const auto first = [&] {
    auto player = make_player(0);
    barrier.wait(2);
    player->check(true);
    for (std::uint32_t i = 0; i < count; ++i) player->ping();
    player->settle();
    player->check(false);
    std::vector<double> medians;
    for (int i = 0; i < repetitions; ++i) {
      barrier.wait(2);
      medians.push_back(round_trip_us(*player, count));
      player->settle();
    }
    fmt::print("{{\"bytes\": {}, \"round_trip_us\": {:.3f}, \"runs_us\": [{:.3f}]{}}}\n", ball_bytes,
               bench::median(medians), fmt::join(medians, ", "), player->statistics());
  };
  const auto second = [&] {
    auto player = make_player(1);
    barrier.wait(2);
    player->check(true);
    player->pong(count);
    player->settle();
    player->check(false);
    for (int i = 0; i < repetitions; ++i) {
      barrier.wait(2);
      player->pong(count);
      player->settle();
    }
  };
  return bench::run_pair(first, second, max_seconds);
}

}  // namespace ayatori::pingpong
