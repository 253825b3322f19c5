#include "ayatori/flow/side_by_side.hpp"
#include "ayatori/flow/simulate.hpp"
#include "ayatori/flow/smpi_platform.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <functional>
#include <tuple>

#include "bindings.hpp"

namespace ayatori::python {

namespace {

/// How routes are found: by forwarding tables and a plan, or over all LIDs; without tables in dimension order.
struct Routing {
  const Network& network;
  const Routes* routes;  ///< nullptr: dimension order
  LinkDefaults links;
  RailUse rails = RailUse::own;  ///< otherwise plans are those of the job's NICs
  PathChoice choice = PathChoice::plan;
  std::uint64_t hash_seed = 0;
  std::vector<double> plane_seconds = {};  ///< RailMap's

  [[nodiscard]] Result<std::unique_ptr<Paths>> paths(const Plan* plan, const Job& job,
                                                     std::span<const DeviceId> routers) const {
    if (routes == nullptr) return grid_paths_of_job(network, job, links);
    if (rails == RailUse::own) return paths_by_tables(plan, job, routers);
    RailMap map(network, job, rails, plane_seconds);
    const auto sends = [&map](Rank leaves, Rank arrives) { return map.may_connect(leaves, arrives); };
    auto of_nics = paths_by_tables(plan, map.nics(), routers, sends);
    if (!of_nics) return of_nics;
    return rail_paths(std::move(*of_nics), std::move(map));
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<Paths>> paths_by_tables(const Plan* plan, const Job& job,
                                                               std::span<const DeviceId> routers,
                                                               const Sends& sends = {}) const {
    if (choice == PathChoice::load) return adaptive_paths(network, *routes, job, links, routers, sends);
    if (choice == PathChoice::hash) return ecmp_paths(network, *routes, job, links, hash_seed, routers, sends);
    if (plan == nullptr) return multipath_paths(network, *routes, job, links, routers, sends);
    return routed_paths(network, *routes, *plan, job, links, routers, sends);
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

/// By plane, the seconds of a message without bytes in addition to its links.
std::vector<double> plane_seconds(const Network& network, const FlowOptions& options) {
  std::vector<double> seconds;
  for (std::size_t plane = 0; plane < network.planes().size(); ++plane) {
    const bool is_own = plane < options.on_planes.size() && options.on_planes[plane];
    const MessageCosts& costs = is_own ? *options.on_planes[plane] : options.costs.between;
    seconds.push_back(costs.latency + seconds_of(costs.send, 0) + seconds_of(costs.receive, 0));
  }
  return seconds;
}

/// With the network's background.
FlowOptions with_background(const Routing& routing, FlowOptions options) {
  if (routing.network.background().empty()) return options;
  if (routing.routes == nullptr) {
    throw Raised(Error{"background traffic has paths by tables, not by dimension order", {}, {}, Error::Blame::user});
  }
  options.background = unwrap(steady_flows(routing.network, *routing.routes));
  return options;
}

std::vector<Prediction> predict(const Routing& routing, const std::vector<PlannedRun>& planned,
                                const FlowOptions& asked) {
  const FlowOptions options = with_background(routing, asked);
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

/// What is to be run, from Python's lists. Raises Error for lists of different lengths.
std::vector<PlannedRun> planned_runs(const Routes* routes, const std::vector<const Plan*>& plans,
                                     const std::vector<const Job*>& jobs,
                                     const std::vector<std::shared_ptr<Schedule>>& schedules,
                                     const std::vector<std::vector<DeviceId>>& routers) {
  const auto one_a_job = [&](std::size_t count) { return count == jobs.size(); };
  if (!one_a_job(schedules.size()) || (routes != nullptr && !one_a_job(plans.size())) ||
      (!routers.empty() && !one_a_job(routers.size()))) {
    throw Raised(Error{"as many plans and schedules as jobs are needed", {}, {}, Error::Blame::us});
  }
  std::vector<PlannedRun> planned;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    planned.push_back({routes == nullptr ? nullptr : plans[i], jobs[i], schedules[i],
                       routers.empty() ? std::vector<DeviceId>{} : routers[i]});
  }
  return planned;
}

nb::list simulate_jobs(const Network& network, const Routes* routes, const std::vector<const Plan*>& plans,
                       const std::vector<const Job*>& jobs, const std::vector<std::shared_ptr<Schedule>>& schedules,
                       const FlowOptions& options, const LinkDefaults& links,
                       const std::vector<std::vector<DeviceId>>& routers, RailUse rails, PathChoice choice,
                       std::uint64_t hash_seed) {
  const Routing routing{network, routes, links, rails, choice, hash_seed, plane_seconds(network, options)};
  const auto planned = planned_runs(routes, plans, jobs, schedules, routers);
  std::vector<Prediction> predictions;
  {
    const nb::gil_scoped_release without_gil;
    predictions = predict(routing, planned, options);
  }
  nb::list result;
  for (std::size_t i = 0; i < jobs.size(); ++i) result.append(as_dict(predictions[i], link_names(routing, *jobs[i])));
  return result;
}

/// Jobs with their paths, which are followed once for all runs.
class JobsSideBySide {
 public:
  JobsSideBySide(const Network& network, const Routes* routes, const std::vector<const Plan*>& plans,
                 const std::vector<const Job*>& jobs, const std::vector<std::shared_ptr<Schedule>>& schedules,
                 const FlowOptions& options, const LinkDefaults& links,
                 const std::vector<std::vector<DeviceId>>& routers, RailUse rails, PathChoice choice,
                 std::uint64_t hash_seed)
      : options_(options) {
    const Routing routing{network, routes, links, rails, choice, hash_seed, plane_seconds(network, options)};
    options_ = with_background(routing, options);
    for (const PlannedRun& run : planned_runs(routes, plans, jobs, schedules, routers)) {
      schedules_.push_back(run.schedule);
      paths_.push_back(unwrap(routing.paths(run.plan, *run.job, run.routers)));
    }
  }

  JobsSideBySide(const JobsSideBySide&) = delete;

  /// A job of a run: its number, its phase, and whether it is timed.
  using Member = std::tuple<std::uint32_t, double, bool>;

  [[nodiscard]] std::vector<std::vector<double>> seconds(const std::vector<std::vector<Member>>& members) const {
    std::vector<std::vector<JobSideBySide>> runs;
    for (const auto& run : members) {
      std::vector<JobSideBySide>& jobs = runs.emplace_back();
      for (const auto& [job, phase, is_timed] : run) {
        jobs.push_back({*schedules_.at(job), *paths_.at(job), phase, is_timed});
      }
    }
    std::vector<std::vector<double>> seconds;
    for (auto& times : simulate_all_side_by_side(runs, options_)) {
      std::vector<double>& of_run = seconds.emplace_back();
      for (const TimeSideBySide& time : unwrap(std::move(times))) of_run.push_back(time.seconds);
    }
    return seconds;
  }

  [[nodiscard]] std::vector<std::pair<std::uint32_t, double>> busy_links(std::uint32_t job) const {
    std::vector<std::pair<std::uint32_t, double>> busy;
    const auto seconds = seconds_on_links(*schedules_.at(job), *paths_.at(job));
    for (std::uint32_t link = 0; link < seconds.size(); ++link) {
      if (seconds[link] > 0) busy.emplace_back(link, seconds[link]);
    }
    return busy;
  }

  [[nodiscard]] std::string name_of(std::uint32_t link) const { return paths_.at(0)->name(link); }

 private:
  FlowOptions options_;
  std::vector<std::shared_ptr<Schedule>> schedules_;
  std::vector<std::unique_ptr<Paths>> paths_;
};

void bind_side_by_side(nb::module_& module) {
  nb::class_<JobsSideBySide>(module, "JobsSideBySide",
                             "Jobs that run at the same time; see ayatori/flow/side_by_side.hpp.")
      .def(nb::init<const Network&, const Routes*, const std::vector<const Plan*>&, const std::vector<const Job*>&,
                    const std::vector<std::shared_ptr<Schedule>>&, const FlowOptions&, const LinkDefaults&,
                    const std::vector<std::vector<DeviceId>>&, RailUse, PathChoice, std::uint64_t>(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::arg("network"),
           nb::arg("routes").none(), nb::arg("plans"), nb::arg("jobs"), nb::arg("schedules"), nb::arg("options"),
           nb::arg("links"), nb::arg("routers"), nb::arg("rails") = RailUse::own, nb::arg("choice") = PathChoice::plan,
           nb::arg("hash_seed") = 0, "As simulate_jobs takes them.")
      .def("seconds", &JobsSideBySide::seconds, WithoutGil(), nb::arg("runs"),
           "Of each run, the mean time of a call of each of its jobs. A job of a run: its number, its phase in "
           "seconds, and whether it is timed. In parallel.")
      .def("busy_links", &JobsSideBySide::busy_links, WithoutGil(), nb::arg("job"),
           "The links that a job uses, and how many seconds each needs for the bytes of one call.")
      .def(
          "link_name", [](const JobsSideBySide& jobs, std::uint32_t link) { return text(jobs.name_of(link)); },
          nb::arg("link"));
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
  settable(nb::class_<PacketOptions>(module, "PacketOptions"), Named{"buffer", &PacketOptions::buffer},
           Named{"seed", &PacketOptions::seed})
      .def_ro_static("mtu", &PacketOptions::mtu)
      .def_ro_static("max_buffer", &PacketOptions::max_buffer);
  settable(nb::class_<FlowOptions>(module, "FlowOptions", "The model's numbers; see ayatori/flow/simulate.hpp."),
           Named{"steps", &FlowOptions::steps}, Named{"costs", &FlowOptions::costs},
           Named{"on_planes", &FlowOptions::on_planes}, Named{"head_of_line", &FlowOptions::head_of_line},
           Named{"in_order", &FlowOptions::in_order}, Named{"late", &FlowOptions::late},
           Named{"packets", &FlowOptions::packets});
  nb::enum_<PathChoice>(module, "PathChoice", "Who chooses the path of a message; see ayatori/flow/paths.hpp.")
      .value("plan", PathChoice::plan)
      .value("load", PathChoice::load)
      .value("hash", PathChoice::hash);
  settable(nb::class_<LinkDefaults>(module, "LinkDefaults"), Named{"bytes_per_second", &LinkDefaults::bytes_per_second},
           Named{"latency", &LinkDefaults::latency});
  module.def("simulate_jobs", &simulate_jobs, nb::arg("network"), nb::arg("routes").none(), nb::arg("plans"),
             nb::arg("jobs"), nb::arg("schedules"), nb::arg("options"), nb::arg("links"), nb::arg("routers"),
             nb::arg("rails") = RailUse::own, nb::arg("choice") = PathChoice::plan, nb::arg("hash_seed") = 0,
             "Times one schedule a job, jobs in parallel; a dict each. Without routes (and plans) messages go by "
             "dimension order, without a plan over all LIDs. `routers`: of each job, or none at all. `rails` other "
             "than `own` need plans of the jobs' NICs (job_of_nics).");
  bind_side_by_side(module);
  module.def("smpi_platform", &smpi_platform, nb::arg("network"), nb::arg("routes").none(), nb::arg("plan").none(),
             nb::arg("job"), nb::arg("links"), nb::arg("bus"),
             "The same links and routes for SimGrid, with one host for each rank.");
}

}  // namespace ayatori::python
