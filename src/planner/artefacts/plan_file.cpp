#include "ayatori/artefacts/plan_file.hpp"

#include <fmt/core.h>

#include "artefact_record.hpp"
#include "ayatori/artefacts/pair_plan_file.hpp"

namespace ayatori {

namespace {

constexpr ArtefactHead plan_head = {
    .format = "ayatori-plan",
    .name = "a plan",
    .made_by = "`ayatori plan SOURCE --job HOSTFILE --out FILE` writes one",
};
constexpr std::uint64_t max_path_bits = (1U << max_lmc) - 1;

constexpr TextFor method_word{parse_method, [](Method method) { return to_word(method); },
                              "expected base-lids, rule, colour or pair"};

/// A file of that name in the same folder, and nothing else: a plan must not make its reader open other files.
struct CompanionName : FilledText {
  [[nodiscard]] Result<> read(const JsonValue& value, std::string& into) const {
    if (auto read = FilledText::read(value, into); !read) return read;
    const bool leads_elsewhere = into.find('/') != std::string::npos || into == "." || into == "..";
    return leads_elsewhere ? value.wrong("expected the name of a file in the folder of the plan") : Result<>();
  }
};

/// As "0x0badcafe".
constexpr TextFor checksum_text{[](std::string_view text) -> std::optional<std::uint32_t> {
                                  if (text.size() != 10 || !text.starts_with("0x")) return std::nullopt;
                                  const auto number = parse_guid(text);
                                  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
                                },
                                [](std::uint32_t checksum) { return fmt::format("{:#010x}", checksum); },
                                "expected a checksum like \"0x0badcafe\""};

/// A rank as the file has it.
struct RankEntry {
  RankAddress address;
  std::uint8_t path_bits = 0;  ///< this one and `lid`: only of plans with one path a destination
  Lid lid = 0;
};

constexpr auto describe_rank = [](bool per_pair) {
  return [per_pair](auto& fields, auto& rank) {
    constexpr Count unicast{first_unicast_lid, last_unicast_lid};
    fields.member("port_guid", rank.address.port_guid, guid_text);
    fields.member("base_lid", rank.address.base_lid, unicast);
    if (per_pair) return;
    fields.member("path_bits", rank.path_bits, Count{0, max_path_bits});
    fields.member("lid", rank.lid, unicast);
    fields.check([&](const JsonValue& entry) -> Result<> {
      const int expected = rank.address.base_lid + rank.path_bits;
      if (rank.lid == expected) return {};
      return entry.at("lid")->wrong(fmt::format("expected base_lid + path_bits, {}", expected));
    });
  };
};

/// A plan as the file has it. Of `file` the ranks and the plan are elsewhere.
struct WrittenPlan {
  PlanFile file;
  Method method = Method::base_lids;
  std::vector<RankEntry> ranks;
  std::string companion;       ///< with the paths of pairs; empty if it has one path a destination
  std::uint32_t checksum = 0;  ///< of the companion
};

Result<> check_rank_count(const JsonValue& document, const WrittenPlan& plan) {
  std::size_t expected = 0;
  for (const JobHost& machine : plan.file.machines) expected += machine.ranks;
  if (plan.ranks.size() == expected) return {};
  return document.at("ranks")->wrong(
      fmt::format("{} entries, but the machines have {} ranks", plan.ranks.size(), expected));
}

constexpr auto describe_plan = [](auto& fields, auto& plan) {
  fields.member("method", plan.method, method_word);
  fields.member("reason", plan.file.reason, Text{});
  fields.member("lmc", plan.file.lmc, Count{0, max_lmc});
  fields.member("tables", plan.file.tables, Text{});
  fields.member("machines", plan.file.machines, Machines{});
  const bool per_pair = plan.method == Method::pair;
  fields.member("ranks", plan.ranks, List{Record{describe_rank(per_pair)}, true});
  fields.check([&](const JsonValue& document) { return check_rank_count(document, plan); });
  fields.optional_if(plan.file.of_nics, "of_nics", plan.file.of_nics, Truth{});
  if (!per_pair) return;
  fields.member("pairs", plan.companion, CompanionName{});
  fields.member("pairs_crc32", plan.checksum, checksum_text);
};

/// The paths of pairs. A companion of another plan may have the same name: who copies a plan and plans again has one.
Result<Plan> read_pairs(std::string_view file, const WrittenPlan& written, const ReadCompanion& read_companion) {
  const std::string& name = written.companion;
  const std::size_t ranks = written.ranks.size();
  const auto contents = read_companion(name);
  auto plan = contents ? parse_pair_plan(*contents, name) : Failure(contents.error());
  if (!plan) return with_cause(fail("{}: its companion '{}' can't be read", file, name), plan.error().message);
  if (plan->rank_count() != ranks) {
    return fail("{}: {} ranks, but its companion '{}' has the paths of {}", file, ranks, name, plan->rank_count());
  }
  if (checksum_of_pair_plan(*contents) != written.checksum) {
    return with_hint(fail("{}: '{}' is now the companion of another plan", file, name),
                     "copy both files of a plan, and keep the companion's name");
  }
  return plan;
}

}  // namespace

std::string plan_file_text(const PlanFile& file, std::string_view companion) {
  WrittenPlan written{file, file.plan.method(), {}, std::string(companion)};
  if (file.plan.is_per_pair()) written.checksum = write_pair_plan(file.plan, [](std::string_view) {});
  for (Rank rank = 0; rank < file.ranks.size(); ++rank) {
    const std::uint8_t path_bits = file.plan.is_per_pair() ? std::uint8_t{0} : file.plan.path_bits(rank, rank);
    const RankAddress& address = file.ranks[rank];
    written.ranks.push_back({address, path_bits, static_cast<Lid>(address.base_lid + path_bits)});
  }
  return artefact_text(plan_head, written, describe_plan);
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
  auto written = parse_artefact<WrittenPlan>(plan_head, text, file, describe_plan);
  if (!written) return Failure(written.error());
  std::vector<std::uint8_t> path_bits;
  for (const RankEntry& rank : written->ranks) {
    written->file.ranks.push_back(rank.address);
    path_bits.push_back(rank.path_bits);
  }
  auto plan = written->method == Method::pair
                  ? read_pairs(file, *written, read_companion)
                  : Result<Plan>(Plan::per_destination(written->method, std::move(path_bits)));
  if (!plan) return Failure(plan.error());
  written->file.plan = std::move(*plan);
  return std::move(written->file);
}

Result<PlanFile> read_plan_file(const std::filesystem::path& path) {
  return read_artefact(path, [&](std::string_view text, std::string_view file) {
    return parse_plan_file(text, file, [&](std::string_view name) { return read_file(path.parent_path() / name); });
  });
}

}  // namespace ayatori
