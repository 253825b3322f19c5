#include "ayatori/artefacts/applied_file.hpp"
#include "ayatori/artefacts/assumed_costs.hpp"
#include "ayatori/artefacts/calibration.hpp"
#include "ayatori/artefacts/choice_table.hpp"
#include "ayatori/artefacts/plan_file.hpp"
#include "ayatori/artefacts/running_file.hpp"
#include "ayatori/connections/applied_plan.hpp"
#include "bindings.hpp"

namespace ayatori::python {

namespace {

void bind_plan_file(nb::module_& module) {
  nb::class_<JobHost>(module, "JobHost")
      .def(nb::init<std::string, std::uint32_t>(), nb::arg("host"), nb::arg("ranks"))
      .def_ro("host", &JobHost::host)
      .def_ro("ranks", &JobHost::ranks);
  nb::class_<RankAddress>(module, "RankAddress")
      .def(nb::init<Guid, Lid>(), nb::arg("port_guid"), nb::arg("base_lid"))
      .def_ro("port_guid", &RankAddress::port_guid)
      .def_ro("base_lid", &RankAddress::base_lid);
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
  module.def(
      "read_plan_file", [](const std::string& path) { return unwrap(read_plan_file(path)); }, WithoutGil(),
      nb::arg("path"));
  module.def(
      "write_plan_file", [](const PlanFile& file, const std::string& path) { unwrap(write_plan_file(file, path)); },
      WithoutGil(), nb::arg("file"), nb::arg("path"));
}

void bind_applied(nb::module_& module) {
  nb::class_<OtherPath>(module, "OtherPath", "See ayatori/connections/applied_plan.hpp.")
      .def_ro("from_rank", &OtherPath::from)
      .def_ro("to_rank", &OtherPath::to)
      .def_ro("slid", &OtherPath::slid)
      .def_ro("dlid", &OtherPath::dlid)
      .def_ro("count", &OtherPath::count);
  nb::class_<AppliedPlan>(module, "AppliedPlan", "See ayatori/connections/applied_plan.hpp.")
      .def_ro("plan", &AppliedPlan::plan, nb::rv_policy::reference_internal)
      .def_ro("connections", &AppliedPlan::connections)
      .def_ro("as_planned", &AppliedPlan::as_planned)
      .def_ro("elsewhere", &AppliedPlan::elsewhere)
      .def_ro("port_pairs", &AppliedPlan::port_pairs)
      .def_ro("connected_pairs", &AppliedPlan::connected_pairs)
      .def_ro("not_as_planned", &AppliedPlan::not_as_planned);
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
  nb::class_<CostLine>(module, "CostLine", "seconds + bytes * seconds_per_byte, from a size on.")
      .def(nb::init<Bytes, double, double>(), nb::arg("first"), nb::arg("seconds"), nb::arg("seconds_per_byte"))
      .def_ro("first", &CostLine::from)
      .def_ro("seconds", &CostLine::seconds)
      .def_ro("seconds_per_byte", &CostLine::seconds_per_byte);
  nb::class_<MessageCosts>(module, "MessageCosts", "See ayatori/artefacts/message_costs.hpp.")
      .def(nb::init<>())
      .def_rw("latency", &MessageCosts::latency)
      .def_rw("send", &MessageCosts::send)
      .def_rw("receive", &MessageCosts::receive)
      .def_rw("gap", &MessageCosts::gap)
      .def_rw("eager_limit", &MessageCosts::eager_limit)
      .def_rw("rendezvous", &MessageCosts::rendezvous)
      .def_rw("bandwidth", &MessageCosts::bandwidth)
      .def_rw("burst", &MessageCosts::burst)
      .def_rw("packet", &MessageCosts::packet)
      .def_rw("header", &MessageCosts::header);
  nb::class_<CommunicationCosts>(module, "CommunicationCosts", "See ayatori/artefacts/message_costs.hpp.")
      .def(nb::init<>())
      .def_rw("inside", &CommunicationCosts::inside)
      .def_rw("between", &CommunicationCosts::between)
      .def_rw("copy", &CommunicationCosts::copy)
      .def_rw("reduce", &CommunicationCosts::reduce)
      .def_rw("again", &CommunicationCosts::again)
      .def_rw("start", &CommunicationCosts::start)
      .def_rw("cores", &CommunicationCosts::cores)
      .def_rw("turn", &CommunicationCosts::turn)
      .def_rw("first_turn", &CommunicationCosts::first_turn)
      .def_rw("crowded", &CommunicationCosts::crowded);
  nb::class_<AssumedCosts>(module, "AssumedCosts", "See ayatori/artefacts/assumed_costs.hpp.")
      .def_ro("costs", &AssumedCosts::costs)
      .def_ro("link_latency", &AssumedCosts::link_latency);
  module.def(
      "assumed_costs",
      [](const std::string& rate, bool direct) {
        return assumed_costs(parse_link_rate(rate).value_or(LinkRate{}), direct);
      },
      nb::arg("rate"), nb::arg("direct"));
}

void bind_calibration(nb::module_& module) {
  nb::class_<FitError>(module, "FitError")
      .def(nb::init<std::string, bool, std::uint64_t, double, double>(), nb::arg("what"), nb::arg("fitted"),
           nb::arg("points"), nb::arg("median"), nb::arg("max"))
      .def_ro("what", &FitError::what)
      .def_ro("fitted", &FitError::fitted)
      .def_ro("points", &FitError::points)
      .def_ro("median", &FitError::median)
      .def_ro("max", &FitError::max);
  nb::class_<Calibration>(module, "Calibration", "See ayatori/artefacts/calibration.hpp.")
      .def(nb::init<>())
      .def_rw("machine", &Calibration::machine)
      .def_rw("mpi", &Calibration::mpi)
      .def_rw("remarks", &Calibration::remarks)
      .def_rw("inside", &Calibration::inside, nb::arg().none())
      .def_rw("between", &Calibration::between, nb::arg().none())
      .def_rw("links_between", &Calibration::links_between)
      .def_rw("copy", &Calibration::copy)
      .def_rw("reduce", &Calibration::reduce)
      .def_rw("again", &Calibration::again)
      .def_rw("start", &Calibration::start)
      .def_rw("engine", &Calibration::engine)
      .def_rw("cores", &Calibration::cores)
      .def_rw("turn", &Calibration::turn)
      .def_rw("first_turn", &Calibration::first_turn)
      .def_rw("crowded", &Calibration::crowded)
      .def_rw("errors", &Calibration::errors);
  module.def(
      "read_calibration", [](const std::string& path) { return unwrap(read_calibration(path)); }, WithoutGil(),
      nb::arg("path"));
  module.def(
      "write_calibration",
      [](const Calibration& calibration, const std::string& path) { unwrap(write_calibration(calibration, path)); },
      WithoutGil(), nb::arg("calibration"), nb::arg("path"));
}

void bind_choice_table(nb::module_& module) {
  nb::class_<ChoiceModel>(module, "ChoiceModel")
      .def(nb::init<>())
      .def_rw("steps", &ChoiceModel::steps)
      .def_rw("link_bandwidth", &ChoiceModel::link_bandwidth)
      .def_rw("link_latency", &ChoiceModel::link_latency)
      .def_rw("head_of_line", &ChoiceModel::head_of_line)
      .def_rw("costs_from", &ChoiceModel::costs_from)
      .def_rw("costs", &ChoiceModel::costs);
  nb::class_<SizeInterval>(module, "SizeInterval")
      .def(nb::init<Bytes, std::optional<Bytes>, std::string, Bytes>(), nb::arg("first"), nb::arg("last").none(),
           nb::arg("algorithm"), nb::arg("chunk_bytes"))
      .def_ro("first", &SizeInterval::first)
      .def_ro("last", &SizeInterval::last)
      .def_ro("algorithm", &SizeInterval::algorithm)
      .def_ro("chunk_bytes", &SizeInterval::chunk_bytes);
  nb::class_<CollectiveChoice>(module, "CollectiveChoice")
      .def(nb::init<std::string, std::vector<Bytes>, std::vector<SizeInterval>>(), nb::arg("collective"),
           nb::arg("sampled"), nb::arg("intervals"))
      .def_ro("collective", &CollectiveChoice::collective)
      .def_ro("sampled", &CollectiveChoice::sampled)
      .def_ro("intervals", &CollectiveChoice::intervals);
  nb::class_<ChoiceTable>(module, "ChoiceTable")
      .def(nb::init<std::string, std::vector<JobHost>, std::string, ChoiceModel, std::vector<CollectiveChoice>>(),
           nb::arg("source"), nb::arg("machines"), nb::arg("method"), nb::arg("model"), nb::arg("collectives"))
      .def_ro("source", &ChoiceTable::source)
      .def_ro("machines", &ChoiceTable::machines)
      .def_ro("method", &ChoiceTable::method)
      .def_ro("model", &ChoiceTable::model)
      .def_ro("collectives", &ChoiceTable::collectives)
      .def("find", &ChoiceTable::find, nb::rv_policy::reference_internal, nb::arg("collective"), nb::arg("size"));
  module.def(
      "read_choice_table", [](const std::string& path) { return unwrap(read_choice_table(path)); }, WithoutGil(),
      nb::arg("path"));
  module.def(
      "write_choice_table",
      [](const ChoiceTable& table, const std::string& path) { unwrap(write_choice_table(table, path)); }, WithoutGil(),
      nb::arg("table"), nb::arg("path"));
}

void bind_running_file(nb::module_& module) {
  nb::class_<UsedLink>(module, "UsedLink")
      .def(nb::init<std::uint32_t, PortNumber, std::uint64_t, std::uint64_t>(), nb::arg("device"), nb::arg("port"),
           nb::arg("steps"), nb::arg("in_steps"))
      .def_ro("device", &UsedLink::device)
      .def_ro("port", &UsedLink::port)
      .def_ro("steps", &UsedLink::steps)
      .def_ro("in_steps", &UsedLink::in_steps, "Bit s: in step s; 0 if that is not known.");
  nb::class_<RunningJob>(module, "RunningJob")
      .def(nb::init<std::string, std::string, std::vector<JobHost>, std::uint64_t, std::vector<UsedLink>>(),
           nb::arg("name"), nb::arg("method"), nb::arg("machines"), nb::arg("steps"), nb::arg("links"))
      .def_ro("name", &RunningJob::name)
      .def_ro("method", &RunningJob::method)
      .def_ro("machines", &RunningJob::machines)
      .def_ro("steps", &RunningJob::steps)
      .def_ro("links", &RunningJob::links);
  nb::class_<RunningFile>(module, "RunningFile")
      .def(nb::init<int, std::vector<std::string>, std::vector<RunningJob>>(), nb::arg("lmc"), nb::arg("devices"),
           nb::arg("jobs"))
      .def_ro("lmc", &RunningFile::lmc)
      .def_ro("devices", &RunningFile::devices)
      .def_ro("jobs", &RunningFile::jobs);
  module.def(
      "read_running_file", [](const std::string& path) { return unwrap(read_running_file(path)); }, WithoutGil(),
      nb::arg("path"));
  module.def(
      "write_running_file",
      [](const RunningFile& file, const std::string& path) { unwrap(write_running_file(file, path)); }, WithoutGil(),
      nb::arg("file"), nb::arg("path"));
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
