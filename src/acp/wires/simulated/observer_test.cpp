// What observers see: every packet that is sent is acknowledged, lost or in flight, and every change of state is
// an edge of the diagrams in flow_state.hpp.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "../../../base/thoroughness_fixtures.hpp"
#include "ayatori/simulated/incast.hpp"
#include "ayatori/transport/observer.hpp"
#include "town_fixtures.hpp"

namespace ayatori::simulated {
namespace {

/// The endpoint, the peer and the lane.
using FlowPlace = std::tuple<PeerId, PeerId, Lane>;

template <typename State>
using Edges = std::set<std::pair<State, State>>;

const Edges<Phase> phase_diagram{
    {Phase::closed, Phase::open},     {Phase::open, Phase::open},     {Phase::open, Phase::retiring},
    {Phase::open, Phase::closed},     {Phase::retiring, Phase::open}, {Phase::retiring, Phase::held},
    {Phase::retiring, Phase::closed}, {Phase::held, Phase::open},     {Phase::held, Phase::closed}};
const Edges<CreditState> credit_diagram{
    {CreditState::granted, CreditState::ask_due}, {CreditState::granted, CreditState::asked},
    {CreditState::granted, CreditState::queued},  {CreditState::ask_due, CreditState::asked},
    {CreditState::ask_due, CreditState::granted}, {CreditState::asked, CreditState::granted},
    {CreditState::asked, CreditState::queued},    {CreditState::asked, CreditState::ask_due},
    {CreditState::queued, CreditState::granted},  {CreditState::queued, CreditState::ask_due}};
const Edges<Activity> activity_diagram{{Activity::idle, Activity::active},  {Activity::idle, Activity::probing},
                                       {Activity::active, Activity::idle},  {Activity::active, Activity::probing},
                                       {Activity::probing, Activity::idle}, {Activity::probing, Activity::active}};

/// Follows one of a flow's state machines.
template <typename State>
void step(std::optional<State>& current, State from, State to, const Edges<State>& diagram, Edges<State>& seen) {
  if (current) {
    EXPECT_EQ(*current, from);
  }
  EXPECT_TRUE(diagram.contains({from, to})) << static_cast<int>(from) << " to " << static_cast<int>(to);
  current = to;
  seen.insert({from, to});
}

struct FlowStates {
  std::optional<Phase> phase = Phase::closed;
  std::optional<CreditState> credit = CreditState::granted;
  std::optional<Activity> activity = Activity::idle;
};

/// Observes all endpoints, and checks them.
class Auditor {
 public:
  /// The observer of an endpoint.
  transport::Observer* of(PeerId self) {
    return observers_.emplace_back(std::make_unique<AtEndpoint>(*this, self)).get();
  }

  [[nodiscard]] std::uint64_t in_flight() const {
    const auto flying = [](const auto& packet) { return packet.second == Status::in_flight; };
    return static_cast<std::uint64_t>(std::ranges::count_if(packets_, flying));
  }

  std::uint64_t sent = 0;  // data packets, puts and gets, with all their copies
  std::uint64_t acknowledged = 0;
  std::uint64_t acknowledged_late = 0;
  std::uint64_t lost = 0;
  Edges<Phase> phases;  // seen
  Edges<CreditState> credits;
  Edges<Activity> activities;

 private:
  enum class Status : std::uint8_t { in_flight, lost, acknowledged };
  using PacketName = std::tuple<FlowPlace, Epoch, Sequence>;

  class AtEndpoint final : public transport::Observer {
   public:
    AtEndpoint(Auditor& auditor, PeerId self) : auditor_(auditor), self_(self) {}

    void packet_sent(Time, const PacketSeen& packet) override {
      const bool counts =
          packet.kind == PacketKind::data || packet.kind == PacketKind::put || packet.kind == PacketKind::get;
      if (counts) auditor_.take_sent(name(packet.flow, packet.sequence), packet.resent);
    }
    void packet_acknowledged(Time, const FlowName& flow, Sequence sequence, bool late) override {
      auditor_.take_acknowledged(name(flow, sequence), late);
    }
    void packet_lost(Time, const FlowName& flow, Sequence sequence, LossReason) override {
      auditor_.take_lost(name(flow, sequence));
    }
    void state_changed(Time, const FlowName& flow, Phase from, Phase to) override {
      auditor_.take_phase(place(flow), from, to);
    }
    void state_changed(Time, const FlowName& flow, CreditState from, CreditState to) override {
      step(auditor_.states_[place(flow)].credit, from, to, credit_diagram, auditor_.credits);
    }
    void state_changed(Time, const FlowName& flow, Activity from, Activity to) override {
      step(auditor_.states_[place(flow)].activity, from, to, activity_diagram, auditor_.activities);
    }

   private:
    [[nodiscard]] FlowPlace place(const FlowName& flow) const { return {self_, flow.peer, flow.lane}; }
    [[nodiscard]] PacketName name(const FlowName& flow, Sequence sequence) const {
      return {place(flow), flow.epoch, sequence};
    }

    Auditor& auditor_;
    PeerId self_;
  };

  void take_sent(const PacketName& packet, bool resent) {
    ++sent;
    if (resent) {
      EXPECT_EQ(known(packet), Status::lost);
    } else {
      EXPECT_FALSE(packets_.contains(packet));
    }
    packets_[packet] = Status::in_flight;
  }

  void take_acknowledged(const PacketName& packet, bool late) {
    EXPECT_EQ(std::exchange(known(packet), Status::acknowledged), late ? Status::lost : Status::in_flight);
    ++(late ? acknowledged_late : acknowledged);
  }

  void take_lost(const PacketName& packet) {
    EXPECT_EQ(std::exchange(known(packet), Status::lost), Status::in_flight);
    ++lost;
  }

  Status& known(const PacketName& packet) {
    EXPECT_TRUE(packets_.contains(packet)) << "a packet that was never sent";
    return packets_[packet];
  }

  void take_phase(const FlowPlace& place, Phase from, Phase to) {
    step(states_[place].phase, from, to, phase_diagram, phases);
    if (to == Phase::retiring || (from == Phase::held && to == Phase::open)) return;
    expect_nothing_in_flight(place);
    if (to == Phase::closed) states_.erase(place);
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

  std::map<PacketName, Status> packets_;
  std::map<FlowPlace, FlowStates> states_;
  std::vector<std::unique_ptr<AtEndpoint>> observers_;
};

TEST(EndpointObserver, PacketsAreConservedAndStatesFollowTheDiagramsOnHostileNetworks) {
  Edges<Phase> phases;
  Edges<CreditState> credits;
  Edges<Activity> activities;
  for (std::uint64_t seed = 0; seed < test::tries(4U, 12U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Auditor auditor;
    Town town(hostile(seed), cramped(seed), static_cast<PeerId>(2 + seed % 4));
    for (PeerId peer = 0; peer < town.peers.size(); ++peer) town.peers[peer]->endpoint().observe(auditor.of(peer));
    (void)chatter(town, 60, random);
    ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, town.network.now() + 60s));
    std::uint64_t copies = 0;
    for (const auto& peer : town.peers) {
      const Statistics& statistics = peer->endpoint().statistics();
      copies += statistics.data_packets + statistics.retransmissions;
    }
    EXPECT_EQ(auditor.sent, copies);
    EXPECT_EQ(auditor.sent, auditor.acknowledged + auditor.lost + auditor.in_flight());
    phases.merge(auditor.phases);
    credits.merge(auditor.credits);
    activities.merge(auditor.activities);
    if (testing::Test::HasFailure()) return;
  }
  // What these towns are known to bring about: else the test would prove little.
  for (const auto& edge : {std::pair{Phase::closed, Phase::open},
                           {Phase::open, Phase::retiring},
                           {Phase::retiring, Phase::held},
                           {Phase::held, Phase::open},
                           {Phase::open, Phase::closed},
                           {Phase::open, Phase::open}}) {
    EXPECT_TRUE(phases.contains(edge)) << static_cast<int>(edge.first) << " to " << static_cast<int>(edge.second);
  }
  EXPECT_TRUE(credits.contains({CreditState::granted, CreditState::ask_due}));
  EXPECT_TRUE(credits.contains({CreditState::ask_due, CreditState::asked}));
  EXPECT_TRUE(credits.contains({CreditState::asked, CreditState::granted}));
  EXPECT_TRUE(activities.contains({Activity::idle, Activity::active}));
  EXPECT_TRUE(activities.contains({Activity::active, Activity::idle}));
}

TEST(EndpointObserver, NothingIsInFlightAfterAPeerIsLost) {
  Options options;
  options.give_up_after = 1s;
  Auditor auditor;
  Town town({}, options, 2);
  town.peers[0]->endpoint().observe(auditor.of(0));
  town.network.scenario().black_holes.push_back({.peer = 1, .from = Time{}});
  for (int i = 0; i < 10; ++i) town.peers[0]->send(1, 3000);
  ASSERT_TRUE(town.network.run_until([&] { return town.all_done(); }, Time(20s)));
  EXPECT_GT(auditor.sent, 0U);
  EXPECT_EQ(auditor.acknowledged, 0U);
  EXPECT_EQ(auditor.in_flight(), 0U);
  EXPECT_EQ(auditor.lost, auditor.sent);
  EXPECT_TRUE(auditor.phases.contains({Phase::open, Phase::closed}));
}

/// An incast into one buffer.
IncastResult run_observed(const Incast& incast, const ObserverOf& observer_of) {
  Scenario scenario;
  scenario.receive_buffers = 1;
  Options options;
  options.receive_buffers = 1;
  options.coalesce = false;
  return run_incast(incast, scenario, options, observer_of);
}

TEST(RunIncast, ObserversSeeAllPacketsAndChangeNothing) {
  const Incast incast{.clients = 4, .messages = 60};
  Auditor auditor;
  const IncastResult watched = run_observed(incast, [&](PeerId peer) { return auditor.of(peer); });
  const IncastResult unwatched = run_observed(incast, {});
  EXPECT_TRUE(watched.complete);
  EXPECT_EQ(watched.retransmissions, unwatched.retransmissions);
  EXPECT_EQ(watched.messages_per_second, unwatched.messages_per_second);
  EXPECT_EQ(auditor.sent, watched.data_packets + watched.retransmissions);
  EXPECT_EQ(auditor.sent, auditor.acknowledged + auditor.lost + auditor.in_flight());
}

/// More clients than there is credit for.
TEST(RunIncast, ClientsThatWaitForCreditAreSeenQueued) {
  Auditor auditor;
  EXPECT_TRUE(run_observed({.clients = 90, .messages = 6}, [&](PeerId peer) { return auditor.of(peer); }).complete);
  EXPECT_TRUE(auditor.credits.contains({CreditState::granted, CreditState::asked}));
  EXPECT_TRUE(auditor.credits.contains({CreditState::asked, CreditState::queued}));
  EXPECT_TRUE(auditor.credits.contains({CreditState::queued, CreditState::granted}));
}

}  // namespace
}  // namespace ayatori::simulated
