#include "ayatori/artefacts/running_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>

#include "artefact_reader.hpp"
#include "ayatori/base/files.hpp"

namespace ayatori {

namespace {

using Json = nlohmann::ordered_json;

constexpr ArtefactHead running_head = {
    .format = "ayatori-running",
    .name = "a file of running jobs",
    .made_by = "`ayatori plan SOURCE --job HOSTFILE --running FOLDER` writes one",
};
constexpr std::uint64_t max_port = 65535;
constexpr std::uint64_t max_listed_steps = 64;  ///< bits of UsedLink::in_steps

bool lists_steps(const RunningJob& job) {
  return !job.links.empty() && std::ranges::all_of(job.links, [](const UsedLink& link) { return link.in_steps != 0; });
}

/// Of each link the numbers of the steps.
Json used_in_as_json(const RunningJob& job) {
  Json used_in = Json::array();
  for (const UsedLink& link : job.links) {
    Json steps = Json::array();
    for (std::uint64_t left = link.in_steps; left != 0; left &= left - 1) steps.push_back(std::countr_zero(left));
    used_in.push_back(std::move(steps));
  }
  return used_in;
}

Json job_as_json(const RunningJob& job) {
  Json machines = Json::array();
  for (const JobHost& machine : job.machines) machines.push_back({{"host", machine.host}, {"ranks", machine.ranks}});
  Json links = Json::array();
  for (const UsedLink& link : job.links) links.push_back(Json::array({link.device, link.port, link.steps}));
  Json written = {{"name", job.name},
                  {"method", job.method},
                  {"machines", std::move(machines)},
                  {"steps", job.steps},
                  {"links", std::move(links)}};
  if (lists_steps(job)) written["used_in"] = used_in_as_json(job);
  return written;
}

class RunningFileReader {
 public:
  explicit RunningFileReader(JsonValue document) : document_(std::move(document)) {}

  Result<RunningFile> read() {
    if (auto checked = read_head(document_, running_head); !checked) return Failure(checked.error());
    const auto lmc = count_at(document_, "lmc", 0, max_lmc);
    if (!lmc) return Failure(lmc.error());
    file_.lmc = static_cast<int>(*lmc);
    if (auto read = read_devices(); !read) return Failure(read.error());
    const auto jobs = list_at(document_, "jobs");
    if (!jobs) return Failure(jobs.error());
    for (const JsonValue& item : *jobs) {
      auto job = read_job(item);
      if (!job) return Failure(job.error());
      if (!names_.insert(job->name).second) return item.wrong("the second job of this name");
      file_.jobs.push_back(std::move(*job));
    }
    return std::move(file_);
  }

 private:
  Result<> read_devices() {
    const auto devices = list_at(document_, "devices");
    if (!devices) return Failure(devices.error());
    for (const JsonValue& item : *devices) {
      auto device = item.text();
      if (!device) return Failure(device.error());
      file_.devices.push_back(std::move(*device));
    }
    return {};
  }

  Result<RunningJob> read_job(const JsonValue& item) {
    RunningJob job;
    auto name = filled_text_at(item, "name");
    if (!name) return Failure(name.error());
    job.name = std::move(*name);
    auto method = filled_text_at(item, "method");
    if (!method) return Failure(method.error());
    job.method = std::move(*method);
    auto machines = read_machines(item);
    if (!machines) return Failure(machines.error());
    job.machines = std::move(*machines);
    const auto steps = count_at(item, "steps", 0, max_count);
    if (!steps) return Failure(steps.error());
    job.steps = *steps;
    const auto links = list_at(item, "links");
    if (!links) return Failure(links.error());
    for (const JsonValue& link : *links) {
      const auto read = read_link(link, job.steps);
      if (!read) return Failure(read.error());
      job.links.push_back(*read);
    }
    if (const auto read = read_used_in(item, job); !read) return Failure(read.error());
    return job;
  }

  /// The steps of each link, which a file may leave out.
  static Result<> read_used_in(const JsonValue& item, RunningJob& job) {
    if (!item.has("used_in")) return {};
    const auto used_in = list_at(item, "used_in");
    if (!used_in) return Failure(used_in.error());
    if (used_in->size() != job.links.size()) return item.wrong("'used_in' needs a list of steps for each link");
    if (job.steps > max_listed_steps) return item.wrong("'used_in' is for jobs of up to 64 steps");
    for (std::size_t i = 0; i < job.links.size(); ++i) {
      const auto numbers = used_in->at(i).items();
      if (!numbers) return Failure(numbers.error());
      for (const JsonValue& each : *numbers) {
        const auto step = number(each, 0, job.steps - 1);
        if (!step) return Failure(step.error());
        job.links[i].in_steps |= std::uint64_t{1} << *step;
      }
      const auto steps = static_cast<std::uint64_t>(std::popcount(job.links[i].in_steps));
      if (steps != job.links[i].steps || numbers->size() != steps) {
        return used_in->at(i).wrong(fmt::format("expected {} different steps, as its link says", job.links[i].steps));
      }
    }
    return {};
  }

  /// [device, port, steps]
  Result<UsedLink> read_link(const JsonValue& item, std::uint64_t steps) const {
    const auto numbers = item.items();
    if (!numbers) return Failure(numbers.error());
    if (numbers->size() != 3) return item.wrong("expected three numbers: device, port, steps");
    const auto device = number(numbers->at(0), 0, file_.devices.size());
    if (!device) return Failure(device.error());
    if (*device == file_.devices.size()) return numbers->at(0).wrong("a device that is not listed");
    const auto port = number(numbers->at(1), 0, max_port);
    if (!port) return Failure(port.error());
    const auto used = number(numbers->at(2), 1, steps);
    if (!used) return Failure(used.error());
    return UsedLink{static_cast<std::uint32_t>(*device), static_cast<PortNumber>(*port), *used};
  }

  static Result<std::uint64_t> number(const JsonValue& value, std::uint64_t min, std::uint64_t max) {
    const auto count = value.count();
    if (count && *count >= min && *count <= max) return *count;
    return value.wrong(fmt::format("expected a whole number from {} to {}", min, max));
  }

  JsonValue document_;
  RunningFile file_;
  std::set<std::string> names_;
};

}  // namespace

std::string running_file_text(const RunningFile& file) {
  Json jobs = Json::array();
  for (const RunningJob& job : file.jobs) jobs.push_back(job_as_json(job));
  const Json document = {{"format", running_head.format},
                         {"version", artefact_version},
                         {"lmc", file.lmc},
                         {"devices", file.devices},
                         {"jobs", std::move(jobs)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<> write_running_file(const RunningFile& file, const std::filesystem::path& path) {
  return write_file(path, running_file_text(file));
}

Result<RunningFile> parse_running_file(std::string_view text, std::string_view file) {
  auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  return RunningFileReader(std::move(*document)).read();
}

Result<RunningFile> read_running_file(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse_running_file(*text, path.string());
}

}  // namespace ayatori
