#include "ayatori/simulated/peers.hpp"
#include "ayatori/simulated/reliable_connections.hpp"
#include "ayatori/simulated/scenario_file.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

using simulated::Incast;
using simulated::IncastResult;
using simulated::Scenario;
using transport::Duration;
using transport::Options;

double to_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }
Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

nb::dict as_data(const IncastResult& result) {
  nb::dict data;
  data["complete"] = result.complete;
  data["delivered"] = result.delivered;
  data["data_packets"] = result.data_packets;
  data["retransmissions"] = result.retransmissions;
  data["duplicates"] = result.duplicates;
  data["overflowed"] = result.overflowed;
  data["asks"] = result.asks;
  data["broken"] = result.broken;
  data["credit"] = result.credit;
  data["messages_per_s"] = result.messages_per_second;
  data["steady_messages_per_s"] = result.steady_messages_per_second;
  data["fairness"] = result.fairness;
  data["latency_s"] = std::vector{to_seconds(result.latency.median), to_seconds(result.latency.p99),
                                  to_seconds(result.latency.p999), to_seconds(result.latency.longest)};
  return data;
}

template <typename Body>
auto without_gil(Body body) {
  nb::gil_scoped_release released;
  return body();
}

IncastResult checked_incast(const Incast& incast, const Scenario& scenario, const Options& options) {
  unwrap(check(scenario));
  unwrap(check(options));
  return run_incast(incast, scenario, options);
}

Options adaptive(bool admission, std::uint32_t receive_buffers) {
  Options options;
  options.receive_buffers = receive_buffers;
  options.retransmission.admission = admission;
  return options;
}

Options fixed(double timeout, bool admission, std::uint32_t receive_buffers) {
  Options options = admission ? Options{} : transport::stop_and_wait(from_seconds(timeout));
  options.receive_buffers = receive_buffers;
  options.retransmission.timer = transport::Retransmission::Timer::fixed;
  options.retransmission.fixed_timeout = from_seconds(timeout);
  return options;
}

nb::dict many_peers(std::uint32_t count, std::uint32_t at_once, std::uint32_t contexts, const Scenario& scenario) {
  unwrap(check(scenario));
  const auto result =
      without_gil([&] { return run_many_peers({.count = count, .at_once = at_once, .contexts = contexts}, scenario); });
  nb::dict data;
  data["to_peers"] = result.to_peers;
  data["from_peers"] = result.from_peers;
  data["wrong"] = result.wrong;
  data["renewals"] = result.renewals;
  data["virtual_s"] = result.virtual_seconds;
  return data;
}

}  // namespace

void bind_transport(nb::module_& module) {
  nb::class_<Scenario>(module, "NetworkScenario", "What a simulated network does; see ayatori/simulated/scenario.hpp.")
      .def(nb::init<>())
      .def_rw("seed", &Scenario::seed)
      .def_rw("receive_buffers", &Scenario::receive_buffers)
      .def_rw("rnr_retry", &Scenario::rnr_retry)
      .def_rw("drop", &Scenario::drop)
      .def_rw("duplicate", &Scenario::duplicate)
      .def_rw("reorder", &Scenario::reorder);
  module.def(
      "load_network_scenario", [](const std::string& path) { return unwrap(simulated::load_scenario(path)); },
      nb::arg("path"));

  nb::class_<Incast>(module, "IncastLoad", "Who sends how much to one; see ayatori/simulated/incast.hpp.")
      .def(nb::init<>())
      .def_rw("clients", &Incast::clients)
      .def_rw("messages", &Incast::messages)
      .def_rw("queued", &Incast::queued)
      .def_rw("bytes", &Incast::bytes);

  nb::class_<Options>(module, "TransportOptions", "How an endpoint behaves; see ayatori/transport/options.hpp.");
  module.def("adaptive_transport", &adaptive, nb::arg("admission"), nb::arg("receive_buffers"));
  module.def("fixed_transport", &fixed, nb::arg("timeout"), nb::arg("admission"), nb::arg("receive_buffers"),
             "Without admission the protocol of paper 5, section 5.2.");

  module.def(
      "run_incast",
      [](const Incast& incast, const Scenario& scenario, const Options& options) {
        return as_data(without_gil([&] { return checked_incast(incast, scenario, options); }));
      },
      "Times in seconds; latency_s: median, 99%, 99.9%, longest.", nb::arg("load"), nb::arg("scenario"),
      nb::arg("options"));
  module.def(
      "run_reliable_connections",
      [](const Incast& incast, const Scenario& scenario, double not_ready_delay) {
        unwrap(check(scenario));
        return as_data(
            without_gil([&] { return run_reliable_connections(incast, scenario, from_seconds(not_ready_delay)); }));
      },
      "Paper 5's other protocol: RC with a shared receive queue. The delay is of RNR NAKs, in seconds.",
      nb::arg("load"), nb::arg("scenario"), nb::arg("not_ready_delay"));
  module.def("run_many_peers", &many_peers, nb::arg("count"), nb::arg("at_once"), nb::arg("contexts"),
             nb::arg("scenario"));
}

}  // namespace ayatori::python
