#include "ayatori/artefacts/calibration.hpp"

#include <algorithm>

#include "artefact_reader.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"
#include "costs_json.hpp"

namespace ayatori {

namespace {

using Json = nlohmann::ordered_json;

constexpr ArtefactHead calibration_head = {
    .format = "ayatori-calibration",
    .name = "a calibration",
    .made_by = "`ayatori calibrate --out FILE` writes one",
};

Json optional_costs_as_json(const std::optional<MessageCosts>& costs) {
  return costs ? message_costs_as_json(*costs) : Json(nullptr);
}

Json errors_as_json(const std::vector<FitError>& errors) {
  Json list = Json::array();
  for (const FitError& error : errors) {
    list.push_back({{"what", error.what},
                    {"fitted", error.fitted},
                    {"points", error.points},
                    {"median", error.median},
                    {"max", error.max}});
  }
  return list;
}

/// Null says that it was not measured; a member that is missing does not.
Result<std::optional<MessageCosts>> optional_costs_at(const JsonValue& document, std::string_view key) {
  if (!document.has(key)) return document.wrong(fmt::format("expected a member '{}'", key));
  const auto value = document.find(key);
  if (!value) return Failure(value.error());
  if (!*value) return std::nullopt;
  auto costs = read_message_costs(**value);
  if (!costs) return Failure(costs.error());
  return std::move(*costs);
}

Result<FitError> read_error(const JsonValue& item) {
  FitError error;
  auto what = filled_text_at(item, "what");
  if (!what) return Failure(what.error());
  error.what = std::move(*what);
  const auto fitted = item.truth_at("fitted");
  if (!fitted) return Failure(fitted.error());
  error.fitted = *fitted;
  const auto points = count_at(item, "points", 1, max_count);
  if (!points) return Failure(points.error());
  error.points = *points;
  const auto median = amount_at(item, "median");
  if (!median) return Failure(median.error());
  error.median = *median;
  const auto max = amount_at(item, "max");
  if (!max) return Failure(max.error());
  error.max = *max;
  return error;
}

class CalibrationReader {
 public:
  explicit CalibrationReader(JsonValue document) : document_(std::move(document)) {}

  Result<Calibration> read() {
    if (auto checked = read_head(document_, calibration_head); !checked) return Failure(checked.error());
    for (const auto& step :
         {&CalibrationReader::read_origin, &CalibrationReader::read_costs, &CalibrationReader::read_errors}) {
      if (auto read = (this->*step)(); !read) return Failure(read.error());
    }
    return std::move(calibration_);
  }

 private:
  Result<> read_origin() {
    auto machine = filled_text_at(document_, "machine");
    if (!machine) return Failure(machine.error());
    calibration_.machine = std::move(*machine);
    auto mpi = filled_text_at(document_, "mpi");
    if (!mpi) return Failure(mpi.error());
    calibration_.mpi = std::move(*mpi);
    const auto remarks = list_at(document_, "remarks");
    if (!remarks) return Failure(remarks.error());
    for (const JsonValue& item : *remarks) {
      auto remark = item.text();
      if (!remark) return Failure(remark.error());
      calibration_.remarks.push_back(std::move(*remark));
    }
    return {};
  }

  Result<> read_costs() {
    auto inside = optional_costs_at(document_, "inside");
    if (!inside) return Failure(inside.error());
    calibration_.inside = std::move(*inside);
    auto between = optional_costs_at(document_, "between");
    if (!between) return Failure(between.error());
    calibration_.between = std::move(*between);
    const auto links = count_at(document_, "links_between", 0, max_links);
    if (!links) return Failure(links.error());
    calibration_.links_between = static_cast<std::uint32_t>(*links);
    auto copy = size_cost_at(document_, "copy");
    if (!copy) return Failure(copy.error());
    calibration_.copy = std::move(*copy);
    auto reduce = size_cost_at(document_, "reduce");
    if (!reduce) return Failure(reduce.error());
    calibration_.reduce = std::move(*reduce);
    using Amount = std::pair<std::string_view, double Calibration::*>;
    for (const auto& [name, member] : {Amount{"engine", &Calibration::engine}, Amount{"start", &Calibration::start},
                                       Amount{"first_turn", &Calibration::first_turn}}) {
      if (!document_.has(name)) continue;
      const auto amount = amount_at(document_, name);
      if (!amount) return Failure(amount.error());
      calibration_.*member = *amount;
    }
    auto turn = size_cost_if_any(document_, "turn");
    if (!turn) return Failure(turn.error());
    calibration_.turn = std::move(*turn);
    if (document_.has("cores")) {
      const auto cores = count_at(document_, "cores", 0, max_cores);
      if (!cores) return Failure(cores.error());
      calibration_.cores = static_cast<std::uint32_t>(*cores);
    }
    using Cost = std::pair<std::string_view, SizeCost Calibration::*>;
    for (const auto& [name, member] : {Cost{"again", &Calibration::again}, Cost{"crowded", &Calibration::crowded}}) {
      auto cost = size_cost_if_any(document_, name);
      if (!cost) return Failure(cost.error());
      calibration_.*member = std::move(*cost);
    }
    return {};
  }

  Result<> read_errors() {
    const auto errors = list_at(document_, "errors");
    if (!errors) return Failure(errors.error());
    for (const JsonValue& item : *errors) {
      auto error = read_error(item);
      if (!error) return Failure(error.error());
      calibration_.errors.push_back(std::move(*error));
    }
    return {};
  }

  static constexpr std::uint64_t max_links = 1000;
  static constexpr std::uint64_t max_cores = 1'000'000;

  JsonValue document_;
  Calibration calibration_;
};

}  // namespace

std::string processor_name(std::string_view cpuinfo, std::string_view architecture) {
  LineReader lines(cpuinfo);
  while (const auto line = lines.next()) {
    const std::size_t colon = line->find(':');
    if (!line->starts_with("model name") || colon == std::string_view::npos) continue;
    const std::string_view name = trimmed(line->substr(colon + 1));
    if (!name.empty()) return std::string(name);
  }
  return std::string(architecture);
}

std::string_view processor_of(const Calibration& calibration) {
  std::string_view text = calibration.machine;
  const std::size_t host = text.find(": ");
  if (host != std::string_view::npos) text.remove_prefix(host + 2);
  const std::size_t comma = text.rfind(", ");
  if (comma == std::string_view::npos) return text;
  const std::string_view cores = text.substr(comma + 2);
  const std::size_t digits = std::min(cores.find_first_not_of("0123456789"), cores.size());
  return digits > 0 && cores.substr(digits).starts_with(" core") ? text.substr(0, comma) : text;
}

bool is_of_a_faster_network(const Calibration& calibration, double bytes_per_second) {
  constexpr double what_fits_are_wrong_by = 0.05;
  return calibration.between && bytes_per_second > 0 &&
         calibration.between->bandwidth > bytes_per_second * (1 + what_fits_are_wrong_by);
}

std::string calibration_text(const Calibration& calibration) {
  const Json document = {{"format", calibration_head.format},
                         {"version", artefact_version},
                         {"machine", calibration.machine},
                         {"mpi", calibration.mpi},
                         {"remarks", calibration.remarks},
                         {"inside", optional_costs_as_json(calibration.inside)},
                         {"between", optional_costs_as_json(calibration.between)},
                         {"links_between", calibration.links_between},
                         {"copy", size_cost_as_json(calibration.copy)},
                         {"reduce", size_cost_as_json(calibration.reduce)},
                         {"again", size_cost_as_json(calibration.again)},
                         {"start", calibration.start},
                         {"engine", calibration.engine},
                         {"cores", calibration.cores},
                         {"turn", size_cost_as_json(calibration.turn)},
                         {"first_turn", calibration.first_turn},
                         {"crowded", size_cost_as_json(calibration.crowded)},
                         {"errors", errors_as_json(calibration.errors)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<> write_calibration(const Calibration& calibration, const std::filesystem::path& path) {
  return write_file(path, calibration_text(calibration));
}

Result<Calibration> parse_calibration(std::string_view text, std::string_view file) {
  auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  return CalibrationReader(std::move(*document)).read();
}

Result<Calibration> read_calibration(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse_calibration(*text, path.string());
}

}  // namespace ayatori
