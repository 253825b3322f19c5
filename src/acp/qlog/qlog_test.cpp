#include "ayatori/qlog/qlog.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ayatori::qlog {
namespace {

using namespace transport;
using namespace std::chrono_literals;
using Json = nlohmann::json;

/// The records of a JSON text sequence; fails if it is not one.
std::vector<Json> records_of(std::string_view text) {
  std::vector<Json> records;
  while (!text.empty()) {
    EXPECT_EQ(text.front(), '\x1e');
    const std::size_t end = text.find('\n');
    EXPECT_NE(end, text.npos);
    records.push_back(Json::parse(text.substr(1, end - 1)));
    text.remove_prefix(end + 1);
  }
  return records;
}

struct QlogTest : testing::Test {
  Json last() { return records_of(text).back(); }

  std::string text;
  Sink sink = [this](std::string_view part) { text += part; };
  QlogTrace trace{"a \"title\"\n", sink};
  QlogObserver observer{trace, 3};
  FlowName flow{.peer = 7, .lane = Lane::replies, .epoch = 99};
};

TEST_F(QlogTest, HeaderNamesFormatVersionAndTitle) {
  const Json header = last();
  EXPECT_EQ(header["qlog_format"], "JSON-SEQ");
  EXPECT_EQ(header["qlog_version"], "0.3");
  EXPECT_EQ(header["title"], "a \"title\"\n");
  EXPECT_EQ(header["trace"]["common_fields"]["protocol_type"], Json::array({"AYATORI"}));
}

TEST_F(QlogTest, TitleThatIsNotUtf8StaysReadable) {
  std::string other;
  const Sink into = [&](std::string_view part) { other += part; };
  const QlogTrace bad("\xff", into);
  EXPECT_EQ(records_of(other).size(), 1U);
}

TEST_F(QlogTest, EventsHaveTimeNameGroupAndFlow) {
  observer.packet_sent(Time(1500us), {PacketKind::data, flow, 5, 120, true});
  const Json event = last();
  EXPECT_DOUBLE_EQ(event["time"].get<double>(), 1.5);
  EXPECT_EQ(event["name"], "transport:packet_sent");
  EXPECT_EQ(event["group_id"], "3");
  EXPECT_EQ(event["data"]["header"]["packet_type"], "data");
  EXPECT_EQ(event["data"]["header"]["packet_number"], 5);
  EXPECT_EQ(event["data"]["raw"]["length"], 120);
  EXPECT_EQ(event["data"]["is_retransmission"], true);
  EXPECT_EQ(event["data"]["flow"], Json({{"peer", 7}, {"lane", "replies"}, {"epoch", 99}}));
}

TEST_F(QlogTest, EveryDecisionIsAnEventOfItsOwn) {
  observer.packet_received(Time{}, {PacketKind::ask, flow, 5, 36, false});
  observer.packet_acknowledged(Time{}, flow, 4, true);
  observer.packet_lost(Time{}, flow, 6, LossReason::overtaken);
  observer.state_changed(Time{}, flow, Phase::open, Phase::retiring);
  observer.state_changed(Time{}, flow, CreditState::asked, CreditState::queued);
  observer.state_changed(Time{}, flow, Activity::idle, Activity::active);
  observer.state_changed(Time{}, flow, ExpressState::allowed, ExpressState::unconfirmed);
  observer.credit_received(Time{}, flow, {.limit = 9, .rationed = true, .queued = false});
  observer.credit_granted(Time{}, flow, 2);
  observer.timer_fired(Time{}, flow, Timer::loss);
  observer.congestion_window_changed(Time{}, flow, 4, 5);
  trace.packet_dropped(Time{}, 8, "buffer_overflow");
  const std::vector<Json> records = records_of(text);
  const std::vector<std::string> names{
      "transport:packet_received",   "transport:packets_acked",    "recovery:packet_lost",
      "ayatori:flow_state_updated",  "ayatori:flow_state_updated", "ayatori:flow_state_updated",
      "ayatori:flow_state_updated",  "ayatori:credit_updated",     "ayatori:credit_granted",
      "recovery:loss_timer_updated", "recovery:metrics_updated",   "transport:packet_dropped"};
  ASSERT_EQ(records.size(), names.size() + 1);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(records[i + 1]["name"], names[i]);
  EXPECT_EQ(records[2]["data"]["packet_numbers"], Json::array({4}));
  EXPECT_EQ(records[3]["data"]["trigger"], "overtaken");
  EXPECT_EQ(records[5]["data"]["machine"], "credit");
  EXPECT_EQ(records[5]["data"]["old"], "asked");
  EXPECT_EQ(records[5]["data"]["new"], "queued");
  EXPECT_EQ(records[8]["data"]["limit"], 9);
  EXPECT_EQ(records[11]["data"]["congestion_window"], 5);
  EXPECT_EQ(records[12]["group_id"], "network");
}

}  // namespace
}  // namespace ayatori::qlog
