#include "verbs_incast.hpp"

#include <unistd.h>

#include <chrono>

#include "ayatori/base/text.hpp"

namespace ayatori::verbs_incast {

namespace {

/// A protocol that comes to a stop ends the run.
constexpr unsigned max_seconds = 120;

constexpr int words = 7;

std::uint32_t number(const char* word, std::uint32_t least = 1) {
  const auto value = parse_unsigned<std::uint32_t>(word);
  if (!value || *value < least) bench::give_up(fmt::format("'{}' is not a number from {} on", word, least));
  return *value;
}

}  // namespace

int run(int argc, char** argv, Part receive, Part send) {
  if (argc < words) bench::give_up("RECEIVER_DEVICE SENDER_DEVICE BUFFERS BYTES MESSAGES HANDLING are missing");
  const Settings settings{argv[1], argv[2], number(argv[3]), number(argv[4]), number(argv[5]), number(argv[6], 0)};
  Shared& shared = bench::shared<Shared>();
  alarm(max_seconds);
  const std::vector<pid_t> children{bench::start([&] { receive(settings, shared, argc - words, argv + words); }),
                                    bench::start([&] { send(settings, shared, argc - words, argv + words); })};
  if (!bench::all_succeed(children)) return 2;
  const std::uint64_t wanted = std::uint64_t{senders} * settings.messages;
  fmt::print(
      "{{\"buffers\": {}, \"bytes\": {}, \"handling_us\": {}, \"messages\": {}, \"delivered\": {}, \"messages_per_s\": "
      "{:.0f}, "
      "\"retransmissions\": {}, \"duplicates\": {}, \"errors\": {}}}\n",
      settings.buffers, settings.bytes, settings.handling_us, wanted, shared.delivered.load(),
      static_cast<double>(shared.delivered) / shared.seconds, shared.retransmissions, shared.duplicates.load(),
      shared.errors);
  return 0;
}

void await(const std::atomic<bool>& flag) {
  while (!flag) usleep(100);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void handle(const Settings& settings) {
  if (settings.handling_us == 0) return;
  const double end = seconds_now() + settings.handling_us * 1e-6;
  while (seconds_now() < end) {
  }
}

}  // namespace ayatori::verbs_incast
