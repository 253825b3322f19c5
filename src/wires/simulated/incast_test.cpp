#include "ayatori/simulated/incast.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ayatori/simulated/network.hpp"

namespace ayatori::simulated {
namespace {
using namespace std::chrono_literals;
using transport::Options;
using transport::stop_and_wait;

TEST(Explore, Sweep) {
  for (std::uint32_t bytes : {8, 1024, 2048}) {
    for (std::uint32_t buffers : {1, 10}) {
      Plan plan; plan.receive_buffers = buffers;
      Incast incast; incast.bytes = bytes;
      for (auto t : {1us, 10us, 100us, 1000us, 10000us}) {
        auto r = run_incast(incast, plan, stop_and_wait(t));
        fmt::print("{} B, {} buffers, {:6} us: {} {:.0f}/s re {} dup {} over {}\n", bytes, buffers, t.count(), r.complete, r.messages_per_second, r.retransmissions, r.duplicates, r.overflowed);
      }
      for (int mode = 0; mode < 3; ++mode) {
        Options o; o.receive_buffers = buffers;
        if (mode == 0) o.retransmission.admission = false;
        if (mode == 1) { o.retransmission.timer = transport::Retransmission::Timer::fixed; }
        auto r = run_incast(incast, plan, o);
        fmt::print("{} B, {} buffers, mode {}: {} {:.0f}/s re {} dup {} over {} asks {} places {}\n", bytes, buffers, mode, r.complete, r.messages_per_second, r.retransmissions, r.duplicates, r.overflowed, r.asks, r.places);
      }
    }
  }
}
}
}
