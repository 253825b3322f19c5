#include "ayatori/artefacts/applied_file.hpp"
#include "ayatori/artefacts/assumed_costs.hpp"
#include "ayatori/artefacts/calibration.hpp"
#include "ayatori/artefacts/choice_table.hpp"
#include "ayatori/artefacts/plan_file.hpp"
#include "ayatori/artefacts/running_file.hpp"
#include "ayatori/plan_in_use/applied_plan.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

void bind_plan_file(nb::module_& module) {
  constructible(nb::class_<JobHost>(module, "JobHost"), Named{"host", &JobHost::host}, Named{"ranks", &JobHost::ranks});
  constructible(nb::class_<RankAddress>(module, "RankAddress"), Named{"port_guid", &RankAddress::port_guid},
                Named{"base_lid", &RankAddress::base_lid});
  nb::class_<PlanFile>(module, "PlanFile")
      .def(nb::init<std::string, int, std::string, std::vector<JobHost>, std::vector<RankAddress>, Plan, bool>(),
           nb::arg("reason"), nb::arg("lmc"), nb::arg("tables"), nb::arg("machines"), nb::arg("ranks"), nb::arg("plan"),
           nb::arg("of_nics"))
      .def_ro("reason", &PlanFile::reason)
      .def_ro("lmc", &PlanFile::lmc)
      .def_ro("tables", &PlanFile::tables)
      .def_ro("machines", &PlanFile::machines)
      .def_ro("ranks", &PlanFile::ranks)
      .def_ro("plan", &PlanFile::plan, nb::rv_policy::reference_internal)
      .def_ro("of_nics", &PlanFile::of_nics);
  bind_file(module, "read_plan_file", read_plan_file, "write_plan_file", write_plan_file);
}

void bind_applied(nb::module_& module) {
  readable(nb::class_<OtherPath>(module, "OtherPath", "See ayatori/plan_in_use/applied_plan.hpp."),
           Named{"from_rank", &OtherPath::from}, Named{"to_rank", &OtherPath::to}, Named{"slid", &OtherPath::slid},
           Named{"dlid", &OtherPath::dlid}, Named{"count", &OtherPath::count});
  readable(nb::class_<AppliedPlan>(module, "AppliedPlan", "See ayatori/plan_in_use/applied_plan.hpp."),
           Named{"connections", &AppliedPlan::connections}, Named{"as_planned", &AppliedPlan::as_planned},
           Named{"elsewhere", &AppliedPlan::elsewhere}, Named{"port_pairs", &AppliedPlan::port_pairs},
           Named{"connected_pairs", &AppliedPlan::connected_pairs},
           Named{"not_as_planned", &AppliedPlan::not_as_planned})
      .def_ro("plan", &AppliedPlan::plan, nb::rv_policy::reference_internal);
  module.def(
      "apply_records",
      [](const PlanFile& plan, const std::vector<std::string>& files) {
        std::vector<AppliedFile> records;
        for (const std::string& file : files) records.push_back(unwrap(read_applied_file(file)));
        return apply_records(plan, records);
      },
      WithoutGil(), nb::arg("plan"), nb::arg("files"));
}

void bind_costs(nb::module_& module) {
  constructible(nb::class_<CostLine>(module, "CostLine", "seconds + bytes * seconds_per_byte, from a size on."),
                Named{"first", &CostLine::from}, Named{"seconds", &CostLine::seconds},
                Named{"seconds_per_byte", &CostLine::seconds_per_byte});
  settable(nb::class_<MessageCosts>(module, "MessageCosts", "See ayatori/artefacts/message_costs.hpp."),
           Named{"latency", &MessageCosts::latency}, Named{"send", &MessageCosts::send},
           Named{"receive", &MessageCosts::receive}, Named{"gap", &MessageCosts::gap},
           Named{"eager_limit", &MessageCosts::eager_limit}, Named{"rendezvous", &MessageCosts::rendezvous},
           Named{"bandwidth", &MessageCosts::bandwidth}, Named{"burst", &MessageCosts::burst},
           Named{"packet", &MessageCosts::packet}, Named{"header", &MessageCosts::header});
  settable(nb::class_<CommunicationCosts>(module, "CommunicationCosts", "See ayatori/artefacts/message_costs.hpp."),
           Named{"inside", &CommunicationCosts::inside}, Named{"between", &CommunicationCosts::between},
           Named{"copy", &CommunicationCosts::copy}, Named{"reduce", &CommunicationCosts::reduce},
           Named{"cache_refill", &CommunicationCosts::cache_refill}, Named{"start", &CommunicationCosts::start},
           Named{"cores", &CommunicationCosts::cores}, Named{"scheduling_delay", &CommunicationCosts::scheduling_delay},
           Named{"start_skew", &CommunicationCosts::start_skew},
           Named{"oversubscription", &CommunicationCosts::oversubscription});
  readable(nb::class_<AssumedCosts>(module, "AssumedCosts", "See ayatori/artefacts/assumed_costs.hpp."),
           Named{"costs", &AssumedCosts::costs}, Named{"link_latency", &AssumedCosts::link_latency});
  module.def(
      "assumed_costs",
      [](const std::string& rate, bool direct) {
        return assumed_costs(parse_link_rate(rate).value_or(LinkRate{}), direct);
      },
      nb::arg("rate"), nb::arg("direct"));
}

void bind_calibration(nb::module_& module) {
  constructible(nb::class_<FitError>(module, "FitError"), Named{"what", &FitError::what},
                Named{"fitted", &FitError::fitted}, Named{"points", &FitError::points},
                Named{"median", &FitError::median}, Named{"max", &FitError::max});
  settable(nb::class_<Calibration>(module, "Calibration", "See ayatori/artefacts/calibration.hpp."),
           Named{"machine", &Calibration::machine}, Named{"mpi", &Calibration::mpi},
           Named{"remarks", &Calibration::remarks}, Named{"inside", &Calibration::inside},
           Named{"between", &Calibration::between}, Named{"links_between", &Calibration::links_between},
           Named{"copy", &Calibration::copy}, Named{"reduce", &Calibration::reduce},
           Named{"cache_refill", &Calibration::cache_refill}, Named{"start", &Calibration::start},
           Named{"engine", &Calibration::engine}, Named{"cores", &Calibration::cores},
           Named{"scheduling_delay", &Calibration::scheduling_delay}, Named{"start_skew", &Calibration::start_skew},
           Named{"oversubscription", &Calibration::oversubscription}, Named{"errors", &Calibration::errors});
  bind_file(module, "read_calibration", read_calibration, "write_calibration", write_calibration);
}

void bind_choice_table(nb::module_& module) {
  settable(nb::class_<ChoiceModel>(module, "ChoiceModel"), Named{"steps", &ChoiceModel::steps},
           Named{"link_bandwidth", &ChoiceModel::link_bandwidth}, Named{"link_latency", &ChoiceModel::link_latency},
           Named{"head_of_line", &ChoiceModel::head_of_line}, Named{"costs_from", &ChoiceModel::costs_from},
           Named{"costs", &ChoiceModel::costs});
  constructible(nb::class_<SizeInterval>(module, "SizeInterval"), Named{"first", &SizeInterval::first},
                Named{"last", &SizeInterval::last}, Named{"algorithm", &SizeInterval::algorithm},
                Named{"chunk_bytes", &SizeInterval::chunk_bytes});
  constructible(nb::class_<CollectiveChoice>(module, "CollectiveChoice"),
                Named{"collective", &CollectiveChoice::collective}, Named{"sampled", &CollectiveChoice::sampled},
                Named{"intervals", &CollectiveChoice::intervals});
  settable(nb::class_<ChoiceMeasurement>(module, "ChoiceMeasurement"), Named{"machine", &ChoiceMeasurement::machine},
           Named{"mpi", &ChoiceMeasurement::mpi}, Named{"date", &ChoiceMeasurement::date},
           Named{"seed", &ChoiceMeasurement::seed});
  nb::class_<ChoiceTable>(module, "ChoiceTable")
      .def(nb::init<std::string, std::vector<JobHost>, std::string, ChoiceModel, std::vector<CollectiveChoice>,
                    std::optional<ChoiceMeasurement>>(),
           nb::arg("source"), nb::arg("machines"), nb::arg("method"), nb::arg("model"), nb::arg("collectives"),
           nb::arg("measured") = nb::none())
      .def_ro("source", &ChoiceTable::source)
      .def_ro("machines", &ChoiceTable::machines)
      .def_ro("method", &ChoiceTable::method)
      .def_ro("model", &ChoiceTable::model)
      .def_ro("collectives", &ChoiceTable::collectives)
      .def_ro("measured", &ChoiceTable::measured)
      .def("find", &ChoiceTable::find, nb::rv_policy::reference_internal, nb::arg("collective"), nb::arg("size"));
  bind_file(module, "read_choice_table", read_choice_table, "write_choice_table", write_choice_table);
}

void bind_running_file(nb::module_& module) {
  nb::class_<UsedLink>(module, "UsedLink")
      .def(nb::init<std::uint32_t, PortNumber, std::uint64_t, std::uint64_t>(), nb::arg("device"), nb::arg("port"),
           nb::arg("steps"), nb::arg("in_steps"))
      .def_ro("device", &UsedLink::device)
      .def_ro("port", &UsedLink::port)
      .def_ro("steps", &UsedLink::steps)
      .def_ro("in_steps", &UsedLink::in_steps, "Bit s: in step s; 0 if that is not known.");
  constructible(nb::class_<RunningJob>(module, "RunningJob"), Named{"name", &RunningJob::name},
                Named{"method", &RunningJob::method}, Named{"machines", &RunningJob::machines},
                Named{"steps", &RunningJob::steps}, Named{"links", &RunningJob::links},
                Named{"tables", &RunningJob::tables});
  constructible(nb::class_<RunningFile>(module, "RunningFile"), Named{"lmc", &RunningFile::lmc},
                Named{"devices", &RunningFile::devices}, Named{"jobs", &RunningFile::jobs});
  bind_file(module, "read_running_file", read_running_file, "write_running_file", write_running_file);
}

}  // namespace

void bind_artefacts(nb::module_& module) {
  bind_costs(module);
  bind_calibration(module);
  bind_plan_file(module);
  bind_applied(module);
  bind_running_file(module);
  bind_choice_table(module);
}

}  // namespace ayatori::python
