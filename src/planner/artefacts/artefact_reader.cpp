#include "artefact_reader.hpp"

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

/// As many as a job may have (network/job.hpp).
constexpr std::uint64_t max_ranks = std::uint64_t{1} << 24;

}  // namespace

Result<> read_head(const JsonValue& document, const ArtefactHead& head) {
  const auto format = document.is_object() ? document.text_at("format") : Result<std::string>("");
  if (!format || *format != head.format) {
    return with_hint(
        document.wrong(fmt::format("expected {}: an object with the format \"{}\"", head.name, head.format)),
        std::string(head.made_by));
  }
  const auto version = count_at(document, "version", 1, max_count);
  if (!version) return Failure(version.error());
  if (*version != artefact_version) {
    return with_hint(document.wrong(fmt::format("version {} of the format {}; this program reads version {}", *version,
                                                head.format, artefact_version)),
                     std::string(head.made_by));
  }
  return {};
}

Result<std::uint64_t> count_at(const JsonValue& object, std::string_view key, std::uint64_t min, std::uint64_t max) {
  const auto member = object.at(key);
  if (!member) return Failure(member.error());
  const auto count = member->count();
  if (count && *count >= min && *count <= max) return *count;
  return member->wrong(max == max_count ? fmt::format("expected a whole number, {} or more", min)
                                        : fmt::format("expected a whole number from {} to {}", min, max));
}

Result<double> amount_at(const JsonValue& object, std::string_view key) {
  const auto member = object.at(key);
  if (!member) return Failure(member.error());
  const auto amount = member->number();
  if (amount && *amount >= 0) return *amount;
  return member->wrong("expected a number, 0 or more");
}

Result<std::string> filled_text_at(const JsonValue& object, std::string_view key) {
  const auto member = object.at(key);
  if (!member) return Failure(member.error());
  auto text = member->text();
  if (text && text->empty()) return member->wrong("expected a string that is not empty");
  return text;
}

Result<std::vector<JsonValue>> list_at(const JsonValue& object, std::string_view key) {
  const auto member = object.at(key);
  if (!member) return Failure(member.error());
  return member->items();
}

Result<std::vector<JsonValue>> filled_list_at(const JsonValue& object, std::string_view key) {
  const auto member = object.at(key);
  if (!member) return Failure(member.error());
  auto items = member->items();
  if (items && items->empty()) return member->wrong("expected an array that is not empty");
  return items;
}

Result<std::vector<JobHost>> read_machines(const JsonValue& document) {
  const auto items = filled_list_at(document, "machines");
  if (!items) return Failure(items.error());
  std::vector<JobHost> machines;
  std::uint64_t ranks = 0;
  for (const JsonValue& item : *items) {
    auto host = filled_text_at(item, "host");
    if (!host) return Failure(host.error());
    const auto here = count_at(item, "ranks", 1, max_ranks);
    if (!here) return Failure(here.error());
    ranks += *here;
    if (ranks > max_ranks) return item.wrong(fmt::format("more than {} ranks together with those before", max_ranks));
    machines.push_back({std::move(*host), static_cast<std::uint32_t>(*here)});
  }
  return machines;
}

}  // namespace ayatori
