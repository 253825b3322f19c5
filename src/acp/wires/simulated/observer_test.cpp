// What observers are told, written as qlog and read back: every packet that is sent is acknowledged, lost or in flight,
// and every change of state is an edge of the diagrams in flow_state.hpp.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>

#include "../../../base/thoroughness_fixtures.hpp"
#include "ayatori/qlog/qlog.hpp"
#include "ayatori/simulated/incast.hpp"
#include "town_fixtures.hpp"

namespace ayatori::simulated {
namespace {

using Json = nlohmann::json;

/// The endpoint, the peer and the lane.
using FlowPlace = std::tuple<std::string, PeerId, std::string>;

/// Follows one of a flow's state machines; `State` is the enum.
template <typename State>
class Walk {
 public:
  explicit Walk(std::optional<State> start) : current_(start) {}

  void step(const std::string& from, const std::string& to) {
    const State before = parsed(from);
    const State after = parsed(to);
    if (current_) {
      EXPECT_EQ(name(*current_), from);
    }
    EXPECT_TRUE(may_follow(before, after)) << from << " to " << to;
    current_ = after;
  }

 private:
  static State parsed(const std::string& text) {
    for (int value = 0; value < 4; ++value) {
      if (std::is_same_v<State, Activity> && value == 3) break;
      if (name(static_cast<State>(value)) == text) return static_cast<State>(value);
    }
    ADD_FAILURE() << "no state is called " << text;
    return {};
  }

  std::optional<State> current_;
};

struct FlowStates {
  Walk<Phase> phase{Phase::closed};
  Walk<CreditState> credit{CreditState::granted};
  Walk<Activity> activity{Activity::idle};
  Walk<ExpressState> express{std::nullopt};  // off or allowed, by the wire
};

/// Reads a qlog and checks it.
class Auditor {
 public:
  void read(std::string_view text) {
    while (!text.empty() && !testing::Test::HasFailure()) {
      ASSERT_EQ(text.front(), '\x1e');
      const std::size_t end = text.find('\n');
      ASSERT_NE(end, text.npos);
      const Json record = Json::parse(text.substr(1, end - 1));
      SCOPED_TRACE(record.dump());
      if (record.contains("name")) take(record);
      text.remove_prefix(end + 1);
    }
  }

  [[nodiscard]] std::uint64_t in_flight() const {
    const auto flying = [](const auto& packet) { return packet.second == Status::in_flight; };
    return static_cast<std::uint64_t>(std::ranges::count_if(packets_, flying));
  }

  std::uint64_t sent = 0;  // data packets, puts and gets, with all their copies
  std::uint64_t acknowledged = 0;
  std::uint64_t acknowledged_late = 0;
  std::uint64_t lost = 0;
  std::map<std::string, std::uint64_t> events;
  std::map<std::string, std::uint64_t> edges;  // "machine: from to"

 private:
  enum class Status : std::uint8_t { in_flight, lost, acknowledged };
  using PacketName = std::tuple<FlowPlace, std::uint64_t, std::uint32_t>;

  static FlowPlace place_of(const Json& record) {
    const Json& flow = record["data"]["flow"];
    return {record["group_id"], flow["peer"].get<PeerId>(), flow["lane"]};
  }
  static PacketName packet_of(const Json& record, const Json& number) {
    return {place_of(record), record["data"]["flow"]["epoch"].get<std::uint64_t>(), number.get<std::uint32_t>()};
  }

  void take(const Json& record) {
    const std::string what = record["name"];
    const Json& data = record["data"];
    ++events[what];
    EXPECT_GE(record["time"].get<double>(), time_);
    time_ = record["time"];
    if (what == "transport:packet_sent") take_sent(record);
    if (what == "transport:packets_acked") {
      for (const Json& number : data["packet_numbers"]) take_acknowledged(packet_of(record, number), data["late"]);
    }
    if (what == "recovery:packet_lost") {
      Status& status = known(packet_of(record, data["header"]["packet_number"]));
      EXPECT_EQ(status, Status::in_flight);
      status = Status::lost;
      ++lost;
    }
    if (what == "ayatori:flow_state_updated") take_state(record);
  }

  void take_sent(const Json& record) {
    const Json& data = record["data"];
    const std::string type = data["header"]["packet_type"];
    if (type != "data" && type != "put" && type != "get") return;
    ++sent;
    const PacketName packet = packet_of(record, data["header"]["packet_number"]);
    if (data["is_retransmission"]) {
      EXPECT_EQ(known(packet), Status::lost);
    } else {
      EXPECT_FALSE(packets_.contains(packet));
    }
    packets_[packet] = Status::in_flight;
  }

  void take_acknowledged(const PacketName& packet, bool late) {
    Status& status = known(packet);
    EXPECT_EQ(status, late ? Status::lost : Status::in_flight);
    status = Status::acknowledged;
    ++(late ? acknowledged_late : acknowledged);
  }

  Status& known(const PacketName& packet) {
    EXPECT_TRUE(packets_.contains(packet)) << "a packet that was never sent";
    return packets_[packet];
  }

  void take_state(const Json& record) {
    const FlowPlace place = place_of(record);
    FlowStates& states = states_[place];
    const std::string machine = record["data"]["machine"];
    const std::string from = record["data"]["old"];
    const std::string to = record["data"]["new"];
    ++edges[machine + ": " + from + " " + to];
    if (machine == "phase") states.phase.step(from, to);
    if (machine == "credit") states.credit.step(from, to);
    if (machine == "activity") states.activity.step(from, to);
    if (machine == "express") states.express.step(from, to);
    if (machine != "phase" || (to == "retiring" || (from == "held" && to == "open"))) return;
    expect_nothing_in_flight(place);
    if (to == "closed") states_.erase(place);
  }

  /// An epoch has ended: none of its packets is heard of again.
  void expect_nothing_in_flight(const FlowPlace& place) {
    const auto first = packets_.lower_bound({place, 0, 0});
    auto end = first;
    for (; end != packets_.end() && std::get<0>(end->first) == place; ++end) {
      EXPECT_NE(end->second, Status::in_flight) << "packet " << std::get<2>(end->first);
    }
    packets_.erase(first, end);
  }

  double time_ = 0;
  std::map<PacketName, Status> packets_;
  std::map<FlowPlace, FlowStates> states_;
};

/// A trace in memory, and an observer of each endpoint.
struct Recording {
  transport::Observer* of(PeerId peer) {
    return observers.emplace_back(std::make_unique<qlog::QlogObserver>(trace, peer)).get();
  }

  std::string text;
  Sink sink = [this](std::string_view part) { text += part; };
  qlog::QlogTrace trace{"test", sink};
  std::vector<std::unique_ptr<qlog::QlogObserver>> observers;
};

TEST(EndpointObserver, PacketsAreConservedAndStatesFollowTheDiagramsOnHostileNetworks) {
  std::map<std::string, std::uint64_t> edges;
  for (std::uint64_t seed = 0; seed < test::tries(4U, 12U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Recording recording;
    Town town(hostile(seed), cramped(seed), static_cast<PeerId>(2 + seed % 4));
    for (PeerId peer = 0; peer < town.peers.size(); ++peer) {
      town.peers[peer]->endpoint().observe(recording.of(peer));
    }
    (void)chatter(town, 60, random);
    ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, town.network.now() + 60s));
    Auditor auditor;
    auditor.read(recording.text);
    std::uint64_t copies = 0;
    for (const auto& peer : town.peers) {
      const Statistics& statistics = peer->endpoint().statistics();
      copies += statistics.data_packets + statistics.retransmissions;
    }
    EXPECT_EQ(auditor.sent, copies);
    EXPECT_EQ(auditor.sent, auditor.acknowledged + auditor.lost + auditor.in_flight());
    for (const auto& [edge, count] : auditor.edges) edges[edge] += count;
    if (testing::Test::HasFailure()) return;
  }
  // What these towns are known to bring about: else the test would prove little.
  for (const char* edge : {"phase: closed open", "phase: open retiring", "phase: retiring held", "phase: held open",
                           "phase: open closed", "phase: open open", "credit: granted ask_due", "credit: ask_due asked",
                           "credit: asked granted", "activity: idle active", "activity: active idle"}) {
    EXPECT_GT(edges[edge], 0U) << edge;
  }
}

TEST(EndpointObserver, NothingIsInFlightAfterAPeerIsLost) {
  Options options;
  options.give_up_after = 1s;
  Recording recording;
  Town town({}, options, 2);
  town.peers[0]->endpoint().observe(recording.of(0));
  town.network.scenario().black_holes.push_back({.peer = 1, .from = Time{}});
  for (int i = 0; i < 10; ++i) town.peers[0]->send(1, 3000);
  ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, Time(20s)));
  Auditor auditor;
  auditor.read(recording.text);
  EXPECT_GT(auditor.sent, 0U);
  EXPECT_EQ(auditor.acknowledged, 0U);
  EXPECT_EQ(auditor.in_flight(), 0U);
  EXPECT_EQ(auditor.lost, auditor.sent);
  EXPECT_EQ(auditor.edges["phase: open closed"], 1U);
}

/// An incast into one buffer, watched and unwatched.
struct WatchedIncast {
  explicit WatchedIncast(const Incast& incast) {
    Scenario scenario;
    scenario.receive_buffers = 1;
    Options options;
    options.receive_buffers = 1;
    options.coalesce = false;
    const IncastObservers observers{
        .of_endpoint = [&](PeerId peer) { return recording.of(peer); },
        .dropped = [&](Time now, PeerId to, Drop why) { recording.trace.packet_dropped(now, to, name(why)); }};
    watched = run_incast(incast, scenario, options, observers);
    unwatched = run_incast(incast, scenario, options);
    auditor.read(recording.text);
  }

  Recording recording;
  IncastResult watched, unwatched;
  Auditor auditor;
};

TEST(RunIncast, ObserversSeeAllDecisionsAndChangeNone) {
  WatchedIncast incast({.clients = 4, .messages = 60});
  const Auditor& auditor = incast.auditor;
  EXPECT_TRUE(incast.watched.complete);
  EXPECT_EQ(incast.watched.retransmissions, incast.unwatched.retransmissions);
  EXPECT_EQ(incast.watched.messages_per_second, incast.unwatched.messages_per_second);
  EXPECT_EQ(auditor.sent, incast.watched.data_packets + incast.watched.retransmissions);
  EXPECT_EQ(auditor.sent, auditor.acknowledged + auditor.lost + auditor.in_flight());
  EXPECT_EQ(auditor.events.at("transport:packet_dropped"), incast.watched.overflowed);
  for (const char* event : {"ayatori:credit_granted", "ayatori:credit_updated", "recovery:loss_timer_updated",
                            "recovery:metrics_updated", "transport:packet_received"}) {
    EXPECT_TRUE(auditor.events.contains(event)) << event;
  }
}

/// More clients than there is credit for.
TEST(RunIncast, ClientsThatWaitForCreditAreSeenQueued) {
  WatchedIncast incast({.clients = 90, .messages = 6});
  EXPECT_TRUE(incast.watched.complete);
  for (const char* edge : {"credit: granted asked", "credit: asked queued", "credit: queued granted"}) {
    EXPECT_TRUE(incast.auditor.edges.contains(edge)) << edge;
  }
}

}  // namespace
}  // namespace ayatori::simulated
