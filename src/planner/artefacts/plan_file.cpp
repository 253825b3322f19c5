#include "ayatori/artefacts/plan_file.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "artefact_reader.hpp"
#include "ayatori/artefacts/pair_plan_file.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

using Json = nlohmann::ordered_json;

constexpr ArtefactHead plan_head = {
    .format = "ayatori-plan",
    .name = "a plan",
    .made_by = "`ayatori plan SOURCE --job HOSTFILE --out FILE` writes one",
};
constexpr std::uint64_t max_path_bits = (1U << max_lmc) - 1;

// --- writing --------------------------------------------------------------------------------------------------------

Json machines_as_json(const std::vector<JobHost>& machines) {
  Json list = Json::array();
  for (const JobHost& machine : machines) list.push_back({{"host", machine.host}, {"ranks", machine.ranks}});
  return list;
}

Json ranks_as_json(const PlanFile& file) {
  Json list = Json::array();
  for (Rank rank = 0; rank < file.ranks.size(); ++rank) {
    const RankAddress& address = file.ranks[rank];
    Json entry = {{"port_guid", fmt::format("{:#018x}", address.port_guid)}, {"base_lid", address.base_lid}};
    if (!file.plan.is_per_pair()) {
      const std::uint8_t path_bits = file.plan.path_bits(rank, rank);
      entry["path_bits"] = path_bits;
      entry["lid"] = address.base_lid + path_bits;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

// --- reading --------------------------------------------------------------------------------------------------------

Result<Method> read_method(const JsonValue& document) {
  const auto word = document.text_at("method");
  if (!word) return Failure(word.error());
  if (const auto method = parse_method(*word)) return *method;
  return document.at("method")->wrong("expected destination-mod-K, rule, colour or pair");
}

Result<Guid> read_guid(const JsonValue& object, std::string_view key) {
  const auto member = object.at(key);
  if (!member) return Failure(member.error());
  const auto text = member->text();
  const auto guid = text && text->starts_with("0x") ? parse_guid(*text) : std::nullopt;
  if (!guid) return member->wrong("expected a GUID like \"0x0002c90300a1b2c3\"");
  return *guid;
}

Result<RankAddress> read_address(const JsonValue& entry) {
  const auto guid = read_guid(entry, "port_guid");
  if (!guid) return Failure(guid.error());
  const auto base_lid = count_at(entry, "base_lid", first_unicast_lid, last_unicast_lid);
  if (!base_lid) return Failure(base_lid.error());
  return RankAddress{*guid, static_cast<Lid>(*base_lid)};
}

Result<std::uint8_t> read_path_bits(const JsonValue& entry, Lid base_lid) {
  const auto path_bits = count_at(entry, "path_bits", 0, max_path_bits);
  if (!path_bits) return Failure(path_bits.error());
  const auto lid = count_at(entry, "lid", first_unicast_lid, last_unicast_lid);
  if (!lid) return Failure(lid.error());
  if (*lid != base_lid + *path_bits) {
    return entry.at("lid")->wrong(fmt::format("expected base_lid + path_bits, {}", base_lid + *path_bits));
  }
  return static_cast<std::uint8_t>(*path_bits);
}

/// A file of that name in the same folder, and nothing else: a plan must not make its reader open other files.
Result<std::string> read_companion_name(const JsonValue& document) {
  auto name = filled_text_at(document, "pairs");
  if (!name) return name;
  if (name->find('/') != std::string::npos || *name == "." || *name == "..") {
    return document.at("pairs")->wrong("expected the name of a file in the folder of the plan");
  }
  return name;
}

class PlanFileReader {
 public:
  PlanFileReader(JsonValue document, std::string_view file) : document_(std::move(document)), file_(file) {}

  Result<PlanFile> read(const ReadCompanion& read_companion) {
    if (auto checked = read_head(document_, plan_head); !checked) return Failure(checked.error());
    const auto method = read_method(document_);
    if (!method) return Failure(method.error());
    if (auto read = read_job(*method == Method::pair); !read) return Failure(read.error());
    if (*method != Method::pair) {
      result_.plan = Plan::per_destination(*method, std::move(path_bits_));
    } else if (auto read = read_pairs(read_companion); !read) {
      return Failure(read.error());
    }
    return std::move(result_);
  }

 private:
  Result<> read_job(bool per_pair) {
    auto reason = document_.text_at("reason");
    if (!reason) return Failure(reason.error());
    result_.reason = std::move(*reason);
    const auto lmc = count_at(document_, "lmc", 0, max_lmc);
    if (!lmc) return Failure(lmc.error());
    result_.lmc = static_cast<int>(*lmc);
    auto tables = document_.text_at("tables");
    if (!tables) return Failure(tables.error());
    result_.tables = std::move(*tables);
    auto machines = read_machines(document_);
    if (!machines) return Failure(machines.error());
    result_.machines = std::move(*machines);
    if (const auto of_nics = read_of_nics(); !of_nics) return of_nics;
    return read_ranks(per_pair);
  }

  Result<> read_of_nics() {
    const auto member = document_.find("of_nics");
    if (!member) return Failure(member.error());
    if (!*member) return {};
    const auto of_nics = (*member)->truth();
    if (!of_nics) return Failure(of_nics.error());
    result_.of_nics = *of_nics;
    return {};
  }

  Result<> read_ranks(bool per_pair) {
    const auto entries = filled_list_at(document_, "ranks");
    if (!entries) return Failure(entries.error());
    std::size_t expected = 0;
    for (const JobHost& machine : result_.machines) expected += machine.ranks;
    if (entries->size() != expected) {
      return document_.at("ranks")->wrong(
          fmt::format("{} entries, but the machines have {} ranks", entries->size(), expected));
    }
    for (const JsonValue& entry : *entries) {
      const auto address = read_address(entry);
      if (!address) return Failure(address.error());
      result_.ranks.push_back(*address);
      if (per_pair) continue;
      const auto path_bits = read_path_bits(entry, address->base_lid);
      if (!path_bits) return Failure(path_bits.error());
      path_bits_.push_back(*path_bits);
    }
    return {};
  }

  Result<> read_pairs(const ReadCompanion& read_companion) {
    const auto name = read_companion_name(document_);
    if (!name) return Failure(name.error());
    const auto contents = read_companion(*name);
    if (!contents)
      return with_cause(fail("{}: its companion '{}' can't be read", file_, *name), contents.error().message);
    auto plan = parse_pair_plan(*contents, *name);
    if (!plan) return with_cause(fail("{}: its companion '{}' can't be read", file_, *name), plan.error().message);
    if (plan->rank_count() != result_.ranks.size()) {
      return fail("{}: {} ranks, but its companion '{}' has the paths of {}", file_, result_.ranks.size(), *name,
                  plan->rank_count());
    }
    result_.plan = std::move(*plan);
    return {};
  }

  JsonValue document_;
  std::string_view file_;
  PlanFile result_;
  std::vector<std::uint8_t> path_bits_;  // by rank
};

}  // namespace

std::string plan_file_text(const PlanFile& file, std::string_view companion) {
  Json document = {{"format", plan_head.format},
                   {"version", artefact_version},
                   {"method", to_word(file.plan.method())},
                   {"reason", file.reason},
                   {"lmc", file.lmc},
                   {"tables", file.tables},
                   {"machines", machines_as_json(file.machines)},
                   {"ranks", ranks_as_json(file)}};
  if (file.of_nics) document["of_nics"] = true;
  if (file.plan.is_per_pair()) document["pairs"] = companion;
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<> write_plan_file(const PlanFile& file, const std::filesystem::path& path) {
  std::filesystem::path companion = path;
  companion += ".pairs";
  if (file.plan.is_per_pair()) {
    const auto written = write_file(companion, [&](const Sink& sink) { write_pair_plan(file.plan, sink); });
    if (!written) return written;
  }
  return write_file(path, plan_file_text(file, companion.filename().string()));
}

Result<PlanFile> parse_plan_file(std::string_view text, std::string_view file, const ReadCompanion& read_companion) {
  auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  return PlanFileReader(std::move(*document), file).read(read_companion);
}

Result<PlanFile> read_plan_file(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse_plan_file(*text, path.string(),
                         [&](std::string_view name) { return read_file(path.parent_path() / name); });
}

}  // namespace ayatori
