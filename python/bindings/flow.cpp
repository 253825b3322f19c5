#include "ayatori/flow/simulate.hpp"
#include "ayatori/flow/smpi_platform.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <functional>

#include "bindings.hpp"

namespace ayatori::python {

namespace {

/// How routes are found: by forwarding tables and a plan, or without tables in dimension order.
struct Routing {
  const Network& network;
  const Routes* routes;  ///< nullptr: dimension order
  LinkDefaults links;

  [[nodiscard]] Result<std::unique_ptr<Paths>> paths(const Plan* plan, const Job& job,
                                                     std::span<const DeviceId> routers) const {
    if (routes == nullptr) return grid_paths_of_job(network, job, links);
    return routed_paths(network, *routes, *plan, job, links, routers);
  }
};

/// One job, planned, with what it runs. Holds on to its Python objects by being called with them.
struct PlannedRun {
  const Plan* plan = nullptr;
  const Job* job = nullptr;
  std::shared_ptr<Schedule> schedule;
  std::vector<DeviceId> routers;
};

using LinkName = std::function<std::string(std::uint32_t)>;

nb::dict as_dict(const Prediction& prediction, const LinkName& name_of) {
  nb::list hot_links;
  for (const HotLinkTime& hot : prediction.hot_links) {
    nb::dict link;
    link["link"] = hot.link;
    link["name"] = text(name_of(hot.link));
    link["busy"] = hot.busy;
    link["saturated"] = hot.saturated;
    link["bytes"] = hot.bytes;
    hot_links.append(link);
  }
  nb::dict result;
  result["seconds"] = prediction.seconds;
  result["rank_seconds"] = prediction.rank_seconds;
  result["messages"] = prediction.messages;
  result["network_bytes"] = prediction.network_bytes;
  result["hot_links"] = hot_links;
  return result;
}

std::vector<Prediction> predict(const Routing& routing, const std::vector<PlannedRun>& planned,
                                const FlowOptions& options) {
  std::vector<SimulationRun> runs;
  for (const PlannedRun& run : planned) {
    runs.push_back({run.schedule, [&] { return routing.paths(run.plan, *run.job, run.routers); }});
  }
  std::vector<Prediction> predictions;
  for (auto& prediction : simulate_all(runs, options)) predictions.push_back(unwrap(std::move(prediction)));
  return predictions;
}

LinkName link_names(const Routing& routing, const Job& job) {
  if (routing.routes != nullptr) return [&routing](std::uint32_t link) { return routing.network.describe_link(link); };
  return [paths = std::shared_ptr<Paths>(unwrap(grid_paths_of_job(routing.network, job, routing.links)))](
             std::uint32_t link) { return paths->name(link); };
}

nb::list simulate_jobs(const Network& network, const Routes* routes, const std::vector<const Plan*>& plans,
                       const std::vector<const Job*>& jobs, const std::vector<std::shared_ptr<Schedule>>& schedules,
                       const FlowOptions& options, const LinkDefaults& links,
                       const std::vector<std::vector<DeviceId>>& routers) {
  const auto one_a_job = [&](std::size_t count) { return count == jobs.size(); };
  if (!one_a_job(schedules.size()) || (routes != nullptr && !one_a_job(plans.size())) ||
      (!routers.empty() && !one_a_job(routers.size()))) {
    throw Raised(Error{"as many plans and schedules as jobs are needed", {}, {}, Error::Blame::us});
  }
  const Routing routing{network, routes, links};
  std::vector<PlannedRun> planned;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    planned.push_back({routes == nullptr ? nullptr : plans[i], jobs[i], schedules[i],
                       routers.empty() ? std::vector<DeviceId>{} : routers[i]});
  }
  std::vector<Prediction> predictions;
  {
    const nb::gil_scoped_release without_gil;
    predictions = predict(routing, planned, options);
  }
  nb::list result;
  for (std::size_t i = 0; i < jobs.size(); ++i) result.append(as_dict(predictions[i], link_names(routing, *jobs[i])));
  return result;
}

nb::bytes smpi_platform(const Network& network, const Routes* routes, const Plan* plan, const Job& job,
                        const LinkDefaults& links, double bus) {
  const auto paths = unwrap(Routing{network, routes, links}.paths(plan, job, {}));
  std::string platform;
  write_smpi_platform(*paths, static_cast<Rank>(job.rank_count()), bus,
                      [&](std::string_view piece) { platform += piece; });
  return nb::bytes(platform.data(), platform.size());
}

}  // namespace

void bind_flow(nb::module_& module) {
  nb::enum_<StepMode>(module, "StepMode").value("drift", StepMode::drift).value("synchronous", StepMode::synchronous);
  nb::class_<FlowOptions>(module, "FlowOptions", "The model's numbers; see ayatori/flow/simulate.hpp.")
      .def(nb::init<>())
      .def_rw("steps", &FlowOptions::steps)
      .def_rw("eager_limit", &FlowOptions::eager_limit)
      .def_rw("overhead", &FlowOptions::overhead)
      .def_rw("injection", &FlowOptions::injection)
      .def_rw("bus", &FlowOptions::bus)
      .def_rw("bus_latency", &FlowOptions::bus_latency)
      .def_rw("copy_bytes_per_second", &FlowOptions::copy_bytes_per_second)
      .def_rw("reduce_bytes_per_second", &FlowOptions::reduce_bytes_per_second)
      .def_rw("head_of_line", &FlowOptions::head_of_line);
  nb::class_<LinkDefaults>(module, "LinkDefaults")
      .def(nb::init<>())
      .def_rw("bytes_per_second", &LinkDefaults::bytes_per_second)
      .def_rw("latency", &LinkDefaults::latency);
  module.def("simulate_jobs", &simulate_jobs, nb::arg("network"), nb::arg("routes").none(), nb::arg("plans"),
             nb::arg("jobs"), nb::arg("schedules"), nb::arg("options"), nb::arg("links"), nb::arg("routers"),
             "Times one schedule a job, jobs in parallel; a dict each. Without routes (and plans) messages go by "
             "dimension order. `routers`: of each job, or none at all.");
  module.def("smpi_platform", &smpi_platform, nb::arg("network"), nb::arg("routes").none(), nb::arg("plan").none(),
             nb::arg("job"), nb::arg("links"), nb::arg("bus"),
             "The same links and routes for SimGrid, with one host for each rank.");
}

}  // namespace ayatori::python
