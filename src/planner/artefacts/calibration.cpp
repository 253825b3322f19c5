#include "ayatori/artefacts/calibration.hpp"

#include "costs_json.hpp"

namespace ayatori {

namespace {

constexpr ArtefactHead calibration_head = {
    .format = "ayatori-calibration",
    .name = "a calibration",
    .made_by = "`ayatori calibrate --out FILE` writes one",
};

constexpr std::uint64_t max_links = 1000;
constexpr std::uint64_t max_cores = 1'000'000;

constexpr auto describe_error = [](auto& fields, auto& error) {
  fields.member("what", error.what, FilledText{});
  fields.member("fitted", error.fitted, Truth{});
  fields.member("points", error.points, Count{1});
  fields.member("median", error.median, Amount{});
  fields.member("max", error.max, Amount{});
};

constexpr auto describe_calibration = [](auto& fields, auto& calibration) {
  fields.member("machine", calibration.machine, FilledText{});
  fields.member("mpi", calibration.mpi, FilledText{});
  fields.member("remarks", calibration.remarks, List{Text{}});
  fields.nullable("inside", calibration.inside, Record{describe_message_costs});
  fields.nullable("between", calibration.between, Record{describe_message_costs});
  fields.member("links_between", calibration.links_between, Count{0, max_links});
  fields.member("copy", calibration.copy, CostLines{});
  fields.member("reduce", calibration.reduce, CostLines{});
  fields.optional("cache_refill", calibration.cache_refill, CostLines{});
  fields.optional("start", calibration.start, Amount{});
  fields.optional("engine", calibration.engine, Amount{});
  fields.optional("cores", calibration.cores, Count{0, max_cores});
  fields.optional("scheduling_delay", calibration.scheduling_delay, CostLines{});
  fields.optional("start_skew", calibration.start_skew, Amount{});
  fields.optional("oversubscription", calibration.oversubscription, CostLines{});
  fields.member("errors", calibration.errors, List{Record{describe_error}});
};

}  // namespace

std::string calibration_text(const Calibration& calibration) {
  return artefact_text(calibration_head, calibration, describe_calibration);
}

Result<> write_calibration(const Calibration& calibration, const std::filesystem::path& path) {
  return write_file(path, calibration_text(calibration));
}

Result<Calibration> parse_calibration(std::string_view text, std::string_view file) {
  return parse_artefact<Calibration>(calibration_head, text, file, describe_calibration);
}

Result<Calibration> read_calibration(const std::filesystem::path& path) {
  return read_artefact(path, parse_calibration);
}

}  // namespace ayatori
