#include "ayatori/artefacts/running_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <set>

#include "artefact_record.hpp"

namespace ayatori {

namespace {

constexpr ArtefactHead running_head = {
    .format = "ayatori-running",
    .name = "a file of running jobs",
    .made_by = "`ayatori plan SOURCE --job HOSTFILE --running FOLDER` writes one",
};
constexpr std::uint64_t max_port = 65535;
constexpr std::uint64_t max_listed_steps = 64;  ///< bits of UsedLink::in_steps

/// [device, port, steps]
struct LinkNumbers {
  std::size_t devices;
  std::uint64_t steps;

  [[nodiscard]] Result<> read(const JsonValue& value, UsedLink& into) const {
    const auto numbers = value.items();
    if (!numbers) return Failure(numbers.error());
    if (numbers->size() != 3) return value.wrong("expected three numbers: device, port, steps");
    if (auto read = Count{0, devices}.read(numbers->at(0), into.device); !read) return read;
    if (into.device == devices) return numbers->at(0).wrong("a device that is not listed");
    if (auto read = Count{0, max_port}.read(numbers->at(1), into.port); !read) return read;
    return Count{1, steps}.read(numbers->at(2), into.steps);
  }
  [[nodiscard]] Json write(const UsedLink& link) const { return Json::array({link.device, link.port, link.steps}); }
};

bool lists_steps(const RunningJob& job) {
  return !job.links.empty() && std::ranges::all_of(job.links, [](const UsedLink& link) { return link.in_steps != 0; });
}

/// Of each link the numbers of the steps.
struct StepsOfLinks {
  std::uint64_t steps;

  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<UsedLink>& links) const {
    const auto used_in = value.items();
    if (!used_in) return Failure(used_in.error());
    if (used_in->size() != links.size()) return value.wrong("expected a list of steps for each link");
    if (steps > max_listed_steps) return value.wrong("only of jobs of up to 64 steps");
    for (std::size_t i = 0; i < links.size(); ++i) {
      std::vector<std::uint64_t> numbers;
      if (auto read = List{Count{0, steps - 1}}.read(used_in->at(i), numbers); !read) return read;
      for (const std::uint64_t step : numbers) links[i].in_steps |= std::uint64_t{1} << step;
      const auto different = static_cast<std::uint64_t>(std::popcount(links[i].in_steps));
      if (different != links[i].steps || numbers.size() != different) {
        return used_in->at(i).wrong(fmt::format("expected {} different steps, as its link says", links[i].steps));
      }
    }
    return {};
  }
  [[nodiscard]] Json write(const std::vector<UsedLink>& links) const {
    Json used_in = Json::array();
    for (const UsedLink& link : links) {
      Json numbers = Json::array();
      for (std::uint64_t left = link.in_steps; left != 0; left &= left - 1) numbers.push_back(std::countr_zero(left));
      used_in.push_back(std::move(numbers));
    }
    return used_in;
  }
};

constexpr auto describe_job = [](std::size_t devices) {
  return [devices](auto& fields, auto& job) {
    fields.member("name", job.name, FilledText{});
    fields.member("method", job.method, FilledText{});
    fields.member("machines", job.machines, Machines{});
    fields.member("steps", job.steps, Count{});
    fields.member("links", job.links, List{LinkNumbers{devices, job.steps}});
    fields.optional_if(lists_steps(job), "used_in", job.links, StepsOfLinks{job.steps});
    fields.optional_if(!job.tables.empty(), "tables", job.tables, Text{});
  };
};

Result<> check_names(const JsonValue& document, const std::vector<RunningJob>& jobs) {
  std::set<std::string_view> met;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!met.insert(jobs[i].name).second) return document.at("jobs")->item(i)->wrong("the second job of this name");
  }
  return {};
}

constexpr auto describe_running_file = [](auto& fields, auto& file) {
  fields.member("lmc", file.lmc, Count{0, max_lmc});
  fields.member("devices", file.devices, List{Text{}});
  fields.member("jobs", file.jobs, List{Record{describe_job(file.devices.size())}});
  fields.check([&](const JsonValue& document) { return check_names(document, file.jobs); });
};

}  // namespace

std::string running_file_text(const RunningFile& file) {
  return artefact_text(running_head, file, describe_running_file, -1);
}

Result<> write_running_file(const RunningFile& file, const std::filesystem::path& path) {
  return write_file(path, running_file_text(file));
}

Result<RunningFile> parse_running_file(std::string_view text, std::string_view file) {
  return parse_artefact<RunningFile>(running_head, text, file, describe_running_file);
}

Result<RunningFile> read_running_file(const std::filesystem::path& path) {
  return read_artefact(path, parse_running_file);
}

}  // namespace ayatori
