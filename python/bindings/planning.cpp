#include <fmt/core.h>

#include <nanobind/stl/shared_ptr.h>
#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/all_pairs.hpp"
#include "ayatori/contention/concurrent_bandwidth.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/contention/jobs_together.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/planning/make_steps.hpp"
#include "ayatori/planning/plan_concurrent.hpp"
#include "ayatori/planning/plan_for_traffics.hpp"
#include "ayatori/planning/plan_jointly.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

using Endpoints = std::vector<PortId>;

void bind_plans(nb::module_& module) {
  nb::enum_<Method>(module, "Method")
      .value("base_lids", Method::base_lids)
      .value("rule", Method::rule)
      .value("colour", Method::colour)
      .value("pair", Method::pair)
      .def_prop_ro("word", [](Method method) { return to_word(method); }, "As the command line calls it.");
  nb::class_<Plan>(module, "Plan")
      .def_static("base_lids", &Plan::base_lids, nb::arg("ranks"))
      .def_static("per_destination", &Plan::per_destination, nb::arg("method"), nb::arg("path_bits"))
      .def("__repr__",
           [](const Plan& plan) {
             return "<Plan of " + counted(plan.rank_count(), "rank") + ": one path a " +
                    (plan.is_per_pair() ? "pair" : "destination") + ">";
           })
      .def_prop_ro("method", &Plan::method)
      .def_prop_ro("rank_count", &Plan::rank_count)
      .def_prop_ro("is_per_pair", &Plan::is_per_pair)
      .def("path_bits", &Plan::path_bits, nb::arg("from_rank"), nb::arg("to_rank"));
  nb::class_<Planned>(module, "Planned")
      .def("__repr__",
           [](const Planned& planned) {
             return text("<Planned: " + counted(planned.hot_spots, "hot spot") + ", " + planned.reason + ">");
           })
      .def_ro("plan", &Planned::plan, nb::rv_policy::reference_internal)
      .def_ro("optimal", &Planned::optimal)
      .def_ro("reason", &Planned::reason)
      .def_ro("contention", &Planned::contention, nb::rv_policy::reference_internal,
              "Of the steps that the plan was made for.")
      .def_ro("hot_spots", &Planned::hot_spots)
      .def_ro("lower_bound", &Planned::lower_bound)
      .def_ro("max_relative_bandwidth", &Planned::max_relative_bandwidth);
  module.def(
      "make_plan",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const StepSequence& steps,
         Method method, const SearchControl& control) {
        return unwrap(make_plan(network, routes, endpoints, steps, method, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("steps"), nb::arg("method"),
      nb::arg("control") = SearchControl());
}

std::vector<Traffic> traffics_of(const std::vector<const StepSequence*>& steps, const std::vector<bool>& permutations,
                                 std::size_t named) {
  if (steps.empty() || steps.size() != permutations.size() || named > steps.size()) {
    throw nb::value_error("steps and permutations are lists of one length, and not empty");
  }
  std::vector<Traffic> traffics;
  for (std::size_t i = 0; i < steps.size(); ++i) traffics.push_back({*steps[i], permutations[i]});
  return traffics;
}

void bind_traffics(nb::module_& module) {
  nb::class_<TrafficShare>(module, "TrafficShare", "The relative bandwidth of a traffic.")
      .def("__repr__",
           [](const TrafficShare& share) {
             return fmt::format("<TrafficShare: {:.4f} without, {:.4f} with the plan>", share.without, share.with);
           })
      .def_ro("without", &TrafficShare::without, "With base LIDs on the same tables.")
      .def_ro("planned", &TrafficShare::with);
  nb::class_<PlannedForTraffics>(module, "PlannedForTraffics")
      .def("__repr__",
           [](const PlannedForTraffics& planned) {
             return "<PlannedForTraffics: " + counted(planned.shares.size(), "traffic") + ">";
           })
      .def_ro("planned", &PlannedForTraffics::planned, nb::rv_policy::reference_internal,
              "Its contention and bounds are those of the first traffic.")
      .def_ro("shares", &PlannedForTraffics::shares);
  module.attr("TOLERATED_LOSS") = tolerated_loss;
  module.def(
      "plan_for_traffics",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints,
         const std::vector<const StepSequence*>& steps, const std::vector<bool>& permutations, std::size_t named,
         const SearchControl& control) {
        const std::vector<Traffic> traffics = traffics_of(steps, permutations, named);
        return unwrap(plan_for_traffics(network, routes, endpoints, traffics, named, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("steps"),
      nb::arg("permutations"), nb::arg("named") = 0, nb::arg("control") = SearchControl());
  module.def(
      "judged_share",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const Plan& plan,
         const StepSequence& steps, const std::vector<Footprint>& others, const SearchControl& control) {
        return unwrap(judged_share(network, routes, endpoints, plan, steps, others, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("plan"), nb::arg("steps"),
      nb::arg("others") = std::vector<Footprint>(), nb::arg("control") = SearchControl(),
      "The relative bandwidth by which plans are judged.");
}

void bind_steps(nb::module_& module) {
  nb::class_<LoadBound>(module, "LoadBound",
                        "Times of an all-to-all on given paths; see ayatori/planning/make_steps.hpp.")
      .def("__repr__", [](const LoadBound& bound) { return fmt::format("<LoadBound: at least {:g}>", bound.time); })
      .def_ro("time", &LoadBound::time, "No order of the messages takes less.")
      .def_ro("busiest", &LoadBound::busiest, "A directed link that needs it.")
      .def_ro("endpoint_time", &LoadBound::endpoint_time, "What no paths and no order can beat.");
  nb::class_<MadeSteps>(module, "MadeSteps")
      .def("__repr__", [](const MadeSteps& made) { return text("<MadeSteps: " + made.reason + ">"); })
      .def_prop_ro("steps", [](const MadeSteps& made) { return std::const_pointer_cast<PlannedSteps>(made.steps); })
      .def_ro("contention", &MadeSteps::contention)
      .def_ro("time", &MadeSteps::time, "Of all steps, in units of one message on an endpoint's cable.")
      .def_ro("bound", &MadeSteps::bound)
      .def_ro("reason", &MadeSteps::reason);
  module.def(
      "alltoall_bound",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const Plan& plan) {
        return unwrap(alltoall_bound(network, routes, endpoints, plan));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("plan"));
  module.def(
      "make_steps",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const Plan& plan,
         const SearchControl& control) {
        return unwrap(make_steps(network, routes, endpoints, plan, default_search_effort, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("plan"),
      nb::arg("control") = SearchControl());
}

void bind_all_pairs(nb::module_& module) {
  readable(nb::class_<AllPairs>(module, "AllPairs"), Named{"paths", &AllPairs::paths},
           Named{"unreachable", &AllPairs::unreachable}, Named{"longest", &AllPairs::longest},
           Named{"links", &AllPairs::links}, Named{"idle", &AllPairs::idle}, Named{"busiest", &AllPairs::busiest},
           Named{"busiest_link", &AllPairs::busiest_link}, Named{"mean", &AllPairs::mean})
      .def_prop_ro("imbalance", &AllPairs::imbalance)
      .def("__repr__", [](const AllPairs& pairs) {
        return fmt::format("<AllPairs: the busiest link has {:.2f} times the mean>", pairs.imbalance());
      });
  module.def(
      "measure_all_pairs",
      [](const Network& network, const Routes& routes, bool all_lids) {
        return measure_all_pairs(network, routes, all_lids ? LidsOfPairs::all : LidsOfPairs::base);
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("all_lids") = false,
      "Paths of all pairs of hosts over each link; see ayatori/contention/all_pairs.hpp.");
}

void bind_contention(nb::module_& module) {
  nb::class_<HotLink>(module, "HotLink")
      .def("__repr__",
           [](const HotLink& hot) {
             return "<HotLink " + std::to_string(hot.link) + ": " + counted(hot.hot_steps, "hot step") + ", " +
                    counted(hot.worst_load, "message") + " in the worst>";
           })
      .def_ro("link", &HotLink::link)
      .def_ro("worst_load", &HotLink::worst_load)
      .def_ro("worst_step", &HotLink::worst_step)
      .def_ro("hot_steps", &HotLink::hot_steps);
  nb::class_<Contention>(module, "Contention")
      .def("__repr__",
           [](const Contention& contention) {
             const std::string steps = " in " + counted(contention.steps, "step");
             if (contention.free) return "<Contention: no hot spot" + steps + ">";
             return fmt::format("<Contention: {}{}, {:.4f} of the bandwidth>",
                                counted(contention.hot_spots, "hot spot"), steps, contention.relative_bandwidth);
           })
      .def_ro("steps", &Contention::steps)
      .def_ro("unmeasured", &Contention::unmeasured, "Further steps, where the measurement was stopped.")
      .def_ro("free", &Contention::free)
      .def_ro("relative_bandwidth", &Contention::relative_bandwidth)
      .def_ro("mean_time", &Contention::mean_time)
      .def_ro("worst_time", &Contention::worst_time)
      .def_ro("worst_step", &Contention::worst_step)
      .def_ro("hot_spots", &Contention::hot_spots)
      .def_ro("hot_links", &Contention::hot_links);
  module.def(
      "measure_contention",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const Plan& plan,
         const StepSequence& steps, const SearchControl& control) {
        return unwrap(measure_contention(network, routes, endpoints, plan, steps, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("plan"), nb::arg("steps"),
      nb::arg("control") = SearchControl());
  module.def(
      "measure_multipath_contention",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const StepSequence& steps) {
        return unwrap(measure_multipath_contention(network, routes, endpoints, steps));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("steps"),
      "Every message in equal parts over all paths that its destination's LIDs name.");
  module.def(
      "link_loads",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const Plan& plan,
         const StepSequence& steps,
         std::size_t step) { return unwrap(link_loads(network, routes, endpoints, plan, steps, step)); },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("plan"), nb::arg("steps"),
      nb::arg("step"));
}

JobsTogether measured_together(const Network& network, const Routes& routes, const std::vector<std::string>& names,
                               const std::vector<Endpoints>& endpoints, const std::vector<const Plan*>& plans,
                               const std::vector<const StepSequence*>& steps, std::uint32_t rounds,
                               std::uint64_t seed) {
  if (endpoints.size() != names.size() || plans.size() != names.size() || steps.size() != names.size()) {
    throw Raised(Error{"as many names, endpoints, plans and steps as jobs are needed", {}, {}, Error::Blame::us});
  }
  std::vector<JobOnFabric> jobs;
  for (std::size_t j = 0; j < names.size(); ++j) jobs.push_back({names[j], endpoints[j], *plans[j], *steps[j]});
  return unwrap(measure_together(network, routes, jobs, {rounds, seed}));
}

void bind_concurrent(nb::module_& module) {
  nb::class_<LinkUse>(module, "LinkUse")
      .def(nb::init<PortId, std::uint64_t, std::uint32_t, std::uint64_t>(), nb::arg("link"), nb::arg("steps"),
           nb::arg("worst_load"), nb::arg("in_steps"))
      .def_ro("link", &LinkUse::link)
      .def_ro("steps", &LinkUse::steps)
      .def_ro("worst_load", &LinkUse::worst_load)
      .def_ro("in_steps", &LinkUse::in_steps, "Bit s: in step s; 0 if that is not known.");
  nb::class_<Footprint>(module, "Footprint")
      .def(nb::init<std::uint64_t, std::vector<LinkUse>>(), nb::arg("steps"), nb::arg("links"))
      .def("__repr__",
           [](const Footprint& footprint) { return "<Footprint of " + counted(footprint.links.size(), "link") + ">"; })
      .def_ro("steps", &Footprint::steps)
      .def_ro("links", &Footprint::links);
  module.def(
      "footprint_of",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const Plan& plan,
         const StepSequence& steps) { return unwrap(footprint_of(network, routes, endpoints, plan, steps)); },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("plan"), nb::arg("steps"));
  nb::class_<ConcurrentPlan>(module, "ConcurrentPlan")
      .def("__repr__", [](const ConcurrentPlan& planned) { return text("<ConcurrentPlan: " + planned.reason + ">"); })
      .def_ro("plan", &ConcurrentPlan::plan, nb::rv_policy::reference_internal)
      .def_ro("footprint", &ConcurrentPlan::footprint, nb::rv_policy::reference_internal)
      .def_ro("isolated", &ConcurrentPlan::isolated)
      .def_ro("conflicts", &ConcurrentPlan::conflicts)
      .def_ro("least_conflicts", &ConcurrentPlan::least_conflicts)
      .def_ro("reason", &ConcurrentPlan::reason);
  module.def(
      "plan_concurrent",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const StepSequence& steps,
         const std::vector<Footprint>& others, const SearchControl& control) {
        return unwrap(plan_concurrent(network, routes, endpoints, steps, others, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("steps"), nb::arg("others"),
      nb::arg("control") = SearchControl());
  module.def(
      "plan_jointly",
      [](const Network& network, const Routes& routes, const std::vector<Endpoints>& endpoints,
         const std::vector<const StepSequence*>& steps, const std::vector<Footprint>& others,
         const SearchControl& control) {
        if (endpoints.size() != steps.size()) throw nb::value_error("endpoints and steps are lists of one length");
        std::vector<JobToPlan> jobs;
        for (std::size_t i = 0; i < endpoints.size(); ++i) jobs.push_back({endpoints[i], *steps[i]});
        return unwrap(plan_jointly(network, routes, jobs, others, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("steps"), nb::arg("others"),
      nb::arg("control") = SearchControl());
}

void bind_plans_among_others(nb::module_& module) {
  module.def(
      "judge_among",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const StepSequence& steps,
         const Plan& plan, const std::vector<Footprint>& others, const SearchControl& control) {
        return unwrap(judge_among(network, routes, endpoints, steps, plan, others, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("steps"), nb::arg("plan"),
      nb::arg("others"), nb::arg("control") = SearchControl());
  module.def(
      "plan_for_traffics_among",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints,
         const std::vector<const StepSequence*>& steps, const std::vector<bool>& permutations, std::size_t named,
         const std::vector<Footprint>& others, const ConcurrentPlan& made, const SearchControl& control) {
        const std::vector<Traffic> traffics = traffics_of(steps, permutations, named);
        return unwrap(plan_for_traffics_among(network, routes, endpoints, traffics, named, others, made, control));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("steps"),
      nb::arg("permutations"), nb::arg("named"), nb::arg("others"), nb::arg("made"),
      nb::arg("control") = SearchControl());
}

void bind_expected_bandwidth(nb::module_& module) {
  module.def(
      "bandwidth_at_random_phases",
      [](const Network& network, const Routes& routes, const Endpoints& endpoints, const Plan& plan,
         const StepSequence& steps, const std::vector<Footprint>& others) {
        return unwrap(bandwidth_at_random_phases(network, routes, endpoints, plan, steps, others));
      },
      WithoutGil(), nb::arg("network"), nb::arg("routes"), nb::arg("endpoints"), nb::arg("plan"), nb::arg("steps"),
      nb::arg("others"));
  module.def(
      "planned",
      [](const Plan& plan, std::string reason) {
        Planned planned;
        planned.plan = plan;
        planned.reason = std::move(reason);
        return planned;
      },
      nb::arg("plan"), nb::arg("reason"), "A plan that was made elsewhere, with what is to be said of it.");
}

void bind_jobs_together(nb::module_& module) {
  nb::class_<JobInterference>(module, "JobInterference")
      .def("__repr__",
           [](const JobInterference& job) {
             return fmt::format("<JobInterference: {:.4f} of the bandwidth, alone {:.4f}>", job.together, job.alone);
           })
      .def_ro("alone", &JobInterference::alone)
      .def_ro("together", &JobInterference::together)
      .def_ro("delayed_rounds", &JobInterference::delayed_rounds)
      .def_ro("worst_neighbour", &JobInterference::worst_neighbour)
      .def_ro("with_worst_neighbour", &JobInterference::with_worst_neighbour);
  nb::class_<SharedLink>(module, "SharedLink")
      .def("__repr__",
           [](const SharedLink& shared) {
             return fmt::format("<SharedLink {}: jobs {} and {}, {:.4f} of the time>", shared.link, shared.first,
                                shared.second, shared.conflict_probability);
           })
      .def_ro("link", &SharedLink::link)
      .def_ro("first", &SharedLink::first)
      .def_ro("second", &SharedLink::second)
      .def_ro("conflict_probability", &SharedLink::conflict_probability);
  nb::class_<JobsTogether>(module, "JobsTogether")
      .def("__repr__",
           [](const JobsTogether& together) {
             return "<JobsTogether: " + counted(together.jobs.size(), "job") + ", " +
                    counted(together.shared.size(), "shared link") + ">";
           })
      .def_ro("rounds", &JobsTogether::rounds)
      .def_ro("jobs", &JobsTogether::jobs)
      .def_ro("shared", &JobsTogether::shared);
  module.def("measure_together", &measured_together, WithoutGil(), nb::arg("network"), nb::arg("routes"),
             nb::arg("names"), nb::arg("endpoints"), nb::arg("plans"), nb::arg("steps"), nb::arg("rounds"),
             nb::arg("seed"));
}

}  // namespace

void bind_planning(nb::module_& module) {
  bind_plans(module);
  bind_traffics(module);
  bind_all_pairs(module);
  bind_contention(module);
  bind_concurrent(module);
  bind_plans_among_others(module);
  bind_expected_bandwidth(module);
  bind_steps(module);
  bind_jobs_together(module);
}

}  // namespace ayatori::python
