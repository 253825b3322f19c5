#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "ayatori/aries/aries.hpp"
#include "ayatori/aws/aws.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/cluster/cluster.hpp"
#include "ayatori/infiniband/infiniband.hpp"
#include "ayatori/json/json.hpp"
#include "ayatori/lldp/lldp.hpp"
#include "ayatori/network/host_aliases.hpp"
#include "ayatori/network/plane_network.hpp"
#include "ayatori/slingshot/slingshot.hpp"
#include "ayatori/slurm/slurm.hpp"
#include "ayatori/sources/source.hpp"
#include "ayatori/synthetic/synthetic.hpp"
#include "ayatori/tofu/tofu.hpp"
#include "ayatori/topograph/topograph.hpp"
#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/image.hpp"
#include "ayatori/topology/network_of.hpp"
#include "content.hpp"

namespace ayatori {

namespace {

/// For kinds that the options do not concern: those are about node descriptions of real hosts.
template <Result<Network> (*open)(std::string_view)>
Result<Network> without_options(std::string_view rest, const SourceOptions&) {
  return open(rest);
}

Result<Network> with_host_pattern(std::string_view rest, const SourceOptions& options) {
  return open_infiniband(rest, options.host_pattern);
}

Result<Network> open_cached(std::string_view rest) {
  const auto topology = open_cache(rest);
  if (!topology) return Failure(topology.error());
  return network_of(**topology);
}

constexpr SourceKind of_files(std::string_view kind, std::string_view synopsis, OpenSource open,
                              std::string_view reads) {
  return {kind, synopsis, open, nullptr, reads};
}

constexpr std::array kinds = {
    SourceKind{"fattree", "fattree:K=6,levels=2,nodes=30", without_options<open_fat_tree>},
    SourceKind{"xgft", "xgft:h=2;m=18,36;w=1,18;p=1,1", without_options<open_xgft>},
    SourceKind{"torus", "torus:4x6x16", without_options<open_torus>, torus_formula},
    SourceKind{"mesh", "mesh:4x6x16", without_options<open_mesh>, mesh_formula},
    SourceKind{"full", "full:8,hosts=4", without_options<open_full>},
    SourceKind{"hyperx", "hyperx:4x4x4,hosts=2", without_options<open_hyperx>},
    SourceKind{"hypercube", "hypercube:10", without_options<open_hypercube>, hypercube_formula},
    SourceKind{"dragonfly", "dragonfly:g=9,a=4,p=2,h=2", without_options<open_dragonfly>},
    SourceKind{"dragonfly+", "dragonfly+:g=5,l=2,s=2,p=2,h=2", without_options<open_dragonfly_plus>},
    of_files("ib", "ib:live or ib:FILE", with_host_pattern, "the output of ibnetdiscover"),
    of_files("cache", "cache:FILE", without_options<open_cached>, "what ayatori convert --to cache writes"),
    of_files("json", "json:FILE", without_options<open_json>, "what ayatori convert --to json writes"),
    of_files("slurm", "slurm:FILE[,topology=NAME]", without_options<open_slurm>,
             "topology.conf, topology.yaml and the output of scontrol show topology"),
    of_files("cluster", "cluster:FILE", without_options<open_cluster>,
             "the TOML that docs/cluster-format.md describes"),
    SourceKind{"tofu", "tofu:4x2x2x2x3x2,view=3d", without_options<open_tofu>, tofu_formula},
    of_files("lldp", "lldp:FILE or lldp:FOLDER[,without=NAME]", without_options<open_lldp>,
             "the output of lldpctl -f json"),
    of_files("aws", "aws:FILE", without_options<open_aws>, "the output of aws ec2 describe-instance-topology"),
    of_files("topograph", "topograph:FILE", without_options<open_topograph>, "the output of topograph's engine graph"),
    of_files("slingshot", "slingshot:FILE", without_options<open_slingshot>,
             "a list of xnames, as /etc/hosts has them"),
    of_files("aries", "aries:FILE", without_options<open_aries>, "the output of rtr --interconnect"),
};

std::string known_kinds() {
  std::vector<std::string_view> synopses;
  for (const SourceKind& kind : kinds) synopses.push_back(kind.synopsis);
  return fmt::format("sources: {}", fmt::join(synopses, ", "));
}

bool has_kind(std::string_view source) {
  const std::size_t colon = source.find(':');
  return colon != std::string_view::npos &&
         std::ranges::find(kinds, source.substr(0, colon), &SourceKind::kind) != kinds.end();
}

/// No refusal of a file's content without what would be read. Files that the system refuses have other troubles.
Failure with_what_is_read(const SourceKind& kind, Failure failure) {
  const bool is_content = failure.error().code == 0 && failure.error().blame == Error::Blame::user;
  if (kind.reads.empty() || !is_content || !failure.error().hint.empty()) return failure;
  return with_hint(std::move(failure), fmt::format("{}:FILE reads {}", kind.kind, kind.reads));
}

/// The kinds that read files, for whoever has one that nobody knows.
std::string kinds_of_files() {
  std::vector<std::string> known;
  for (const SourceKind& kind : kinds) {
    if (!kind.reads.empty()) known.push_back(fmt::format("{}:FILE ({})", kind.kind, kind.reads));
  }
  return fmt::format("name its kind: {}", fmt::join(known, ", "));
}

Result<std::string> with_kind_of_content(std::string_view file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_folder = fs::is_directory(file, error);
  if (!is_folder && !fs::is_regular_file(file, error)) {
    return with_hint(fail("{}: the kind can be detected only of a regular file or a folder", file), kinds_of_files());
  }
  const auto found = kinds_of_content(file);
  if (found.size() == 1) return fmt::format("{}:{}", found.front(), file);
  if (found.size() > 1) {
    return with_hint(fail("{}: this could be {}", file, fmt::join(found, " or ")),
                     fmt::format("name its kind: {}:{}", found.front(), file));
  }
  if (!is_folder) {
    const auto text = read_file(file);  // what can't be read says why
    if (!text) return Failure(text.error());
    if (const auto other = other_content(*text)) {
      return with_hint(fail("{}: {} is not a network", file, other->what), std::string(other->remedy));
    }
  }
  return with_hint(is_folder ? fail("{}: no file in this folder is one of lldpctl", file)
                             : fail("{}: its content is that of no known kind of network", file),
                   kinds_of_files());
}

}  // namespace

std::span<const SourceKind> source_kinds() { return kinds; }

Result<std::string> with_kind(std::string_view source) {
  std::error_code error;
  const bool names_a_file = !has_kind(source) && !source.empty() && std::filesystem::exists(source, error);
  return names_a_file ? with_kind_of_content(source) : std::string(source);
}

Result<Network> open_source(std::string_view named, const SourceOptions& options) {
  const auto whole = with_kind(named);
  if (!whole) return Failure(whole.error());
  const std::string_view source = *whole;
  const std::size_t colon = source.find(':');
  const std::string_view name = source.substr(0, colon);
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const SourceKind& k) { return k.kind == name; });
  if (colon == std::string_view::npos) {
    if (kind == kinds.end())
      return with_hint(fail("'{}' is not a source: expected KIND:…, or a file", source), known_kinds());
    return with_hint(fail("the source '{}' lacks the part after the colon", source), std::string(kind->synopsis));
  }
  if (kind == kinds.end()) return with_hint(fail("unknown kind of source '{}' in '{}'", name, source), known_kinds());
  auto network = kind->open(source.substr(colon + 1), options);
  if (!network) return with_what_is_read(*kind, Failure(network.error()));
  auto found = network_for(std::move(*network), options.purpose);
  if (!found) return fail("{}: {}", source, found.error().message);
  if (options.aliases.empty()) return found;
  const auto aliases = read_file(options.aliases);
  if (!aliases) return Failure(aliases.error());
  return with_aliases(std::move(*found), *aliases, options.aliases);
}

}  // namespace ayatori
