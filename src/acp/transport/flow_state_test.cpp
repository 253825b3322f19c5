#include "ayatori/transport/flow_state.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ayatori::transport {
namespace flow_state_test {

/// The states that may follow, by name.
template <typename State>
std::set<std::string> successors(State from, int states) {
  std::set<std::string> names;
  for (int to = 0; to < states; ++to) {
    if (may_follow(from, static_cast<State>(to))) names.insert(std::string(name(static_cast<State>(to))));
  }
  return names;
}

using Names = std::set<std::string>;

TEST(FlowState, PhasesFollowTheDiagram) {
  EXPECT_EQ(successors(Phase::closed, 4), Names({"open"}));
  EXPECT_EQ(successors(Phase::open, 4), Names({"open", "retiring", "closed"}));
  EXPECT_EQ(successors(Phase::retiring, 4), Names({"open", "held", "closed"}));
  EXPECT_EQ(successors(Phase::held, 4), Names({"open", "closed"}));
}

TEST(FlowState, CreditStatesFollowTheDiagram) {
  EXPECT_EQ(successors(CreditState::granted, 4), Names({"ask_due", "asked", "queued"}));
  EXPECT_EQ(successors(CreditState::ask_due, 4), Names({"asked", "granted"}));
  EXPECT_EQ(successors(CreditState::asked, 4), Names({"granted", "queued", "ask_due"}));
  EXPECT_EQ(successors(CreditState::queued, 4), Names({"granted", "ask_due"}));
}

TEST(FlowState, ActivitiesFollowTheDiagram) {
  EXPECT_EQ(successors(Activity::idle, 3), Names({"active", "probing"}));
  EXPECT_EQ(successors(Activity::active, 3), Names({"idle", "probing"}));
  EXPECT_EQ(successors(Activity::probing, 3), Names({"idle", "active"}));
}

TEST(FlowState, ExpressStatesFollowTheDiagram) {
  EXPECT_EQ(successors(ExpressState::off, 4), Names({}));
  EXPECT_EQ(successors(ExpressState::allowed, 4), Names({"unconfirmed", "suspended"}));
  EXPECT_EQ(successors(ExpressState::unconfirmed, 4), Names({"suspended"}));
  EXPECT_EQ(successors(ExpressState::suspended, 4), Names({"allowed"}));
}

}  // namespace flow_state_test
}  // namespace ayatori::transport
