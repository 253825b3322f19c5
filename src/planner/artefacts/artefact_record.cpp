#include "artefact_record.hpp"

namespace ayatori {

namespace {

/// Moves what was read to its place.
template <typename T>
Result<> put(Result<T> read, T& into) {
  if (!read) return Failure(read.error());
  into = std::move(*read);
  return {};
}

/// As many as a job may have (network/job.hpp).
constexpr std::uint64_t max_job_ranks = std::uint64_t{1} << 24;

constexpr auto describe_host = [](auto& fields, auto& host) {
  fields.member("host", host.host, FilledText{});
  fields.member("ranks", host.ranks, Count{1, max_job_ranks});
};

}  // namespace

Result<> read_head(const JsonValue& document, const ArtefactHead& head) {
  const auto format = document.is_object() ? document.text_at("format") : Result<std::string>("");
  if (!format || *format != head.format) {
    return with_hint(
        document.wrong(fmt::format("expected {}: an object with the format \"{}\"", head.name, head.format)),
        std::string(head.made_by));
  }
  std::uint64_t version = 0;
  MemberReader fields(document);
  fields.member("version", version, Count{1});
  if (!fields.result()) return fields.result();
  if (version != artefact_version) {
    return with_hint(document.wrong(fmt::format("version {} of the format {}; this program reads version {}", version,
                                                head.format, artefact_version)),
                     std::string(head.made_by));
  }
  return {};
}

void MemberReader::no_others(std::string_view of) {
  if (!result_) return;
  const auto other = object_.other_member(known_);
  if (!other) {
    result_ = Failure(other.error());
  } else if (*other) {
    result_ = (*other)->wrong(fmt::format("no member of {}", of));
  }
}

Result<> Text::read(const JsonValue& value, std::string& into) const { return put(value.text(), into); }

Result<> FilledText::read(const JsonValue& value, std::string& into) const {
  if (auto read = put(value.text(), into); !read) return read;
  return into.empty() ? value.wrong("expected a string that is not empty") : Result<>();
}

Result<> Truth::read(const JsonValue& value, bool& into) const { return put(value.truth(), into); }

Result<> Amount::read(const JsonValue& value, double& into) const {
  const auto amount = value.number();
  if (!amount || *amount < 0) return value.wrong("expected a number, 0 or more");
  into = *amount;
  return {};
}

Result<std::uint64_t> Count::read(const JsonValue& value) const {
  const auto count = value.count();
  if (count && *count >= min && *count <= max) return *count;
  return value.wrong(max == max_count ? fmt::format("expected a whole number, {} or more", min)
                                      : fmt::format("expected a whole number from {} to {}", min, max));
}

Result<> Machines::read(const JsonValue& value, std::vector<JobHost>& into) const {
  if (auto read = List{Record{describe_host}, true}.read(value, into); !read) return read;
  std::uint64_t ranks = 0;
  for (std::size_t i = 0; i < into.size(); ++i) {
    ranks += into[i].ranks;
    if (ranks > max_job_ranks) {
      return value.item(i)->wrong(fmt::format("more than {} ranks together with those before", max_job_ranks));
    }
  }
  return {};
}

Json Machines::write(const std::vector<JobHost>& machines) const { return List{Record{describe_host}}.write(machines); }

}  // namespace ayatori
