#include "ayatori/simulated/traced_incast.hpp"

#include <deque>

#include "ayatori/base/files.hpp"
#include "ayatori/qlog/qlog.hpp"

namespace ayatori::simulated {

Result<IncastResult> trace_incast(const Incast& incast, const Scenario& scenario, const transport::Options& options,
                                  const std::filesystem::path& path) {
  if (auto good = check(scenario); !good) return Failure(good.error());
  if (auto good = check(options); !good) return Failure(good.error());
  IncastResult result;
  const auto written = write_file(path, [&](const Sink& sink) {
    qlog::QlogTrace trace(
        fmt::format("{} clients send {} messages of {} bytes each to rank 0; receive buffers: {}, seed: {}",
                    incast.clients, incast.messages, incast.bytes, scenario.receive_buffers, scenario.seed),
        sink);
    std::deque<qlog::QlogObserver> observers;
    result =
        run_incast(incast, scenario, options,
                   {.of_endpoint = [&](PeerId rank) { return &observers.emplace_back(trace, rank); },
                    .dropped = [&](Time now, PeerId to, Drop reason) { trace.packet_dropped(now, to, name(reason)); }});
  });
  if (!written) return Failure(written.error());
  return result;
}

}  // namespace ayatori::simulated
