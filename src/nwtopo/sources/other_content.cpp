#include <algorithm>
#include <array>
#include <string>

#include "ayatori/base/terminal_text.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/job.hpp"
#include "content.hpp"

namespace ayatori {

namespace {

bool has_line(std::string_view text, bool (*holds)(std::string_view line)) {
  LineReader lines(text);
  while (const auto line = lines.next()) {
    if (holds(trimmed(*line))) return true;
  }
  return false;
}

///       4    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   17[  ] "leaf-1" ( )
bool is_of_iblinkinfo(std::string_view line) { return line.contains("==(") && line.contains(")==>"); }

/// Unicast lids [0x0-0x132] of switch Lid 1 guid 0x00066a02e8001310 (leaf-1):
bool is_of_ibroute(std::string_view line) { return line.starts_with("Unicast lids"); }

/// Switch  : 0x08c0eb0300f6fc26 ports 41 "leaf-1" enhanced port 0 lid 4 lmc 0
bool is_of_ibnodes(std::string_view line) {
  const std::string_view rest = trimmed(line.substr(std::min(line.find_first_of(" \t"), line.size())));
  return (line.starts_with("Switch") || line.starts_with("Ca")) && rest.starts_with(": 0x");
}

/// { CA Ports:01 SystemGUID:… } of ibdiagnet and OpenSM, and ibdiagnet's START_NODES
bool is_of_ibdiagnet(std::string_view line) {
  return line == "START_NODES" || (line.starts_with("{ ") && line.contains(" Ports:") && line.contains("GUID:"));
}

/// 0006:6a00:ec00:2dd9,18,1,0:1,'leaf-1',  and, in JSON, "phy_id":"0002:c903:0006:dc31"
bool is_of_netloc(std::string_view line) {
  constexpr std::string_view form = "xxxx:xxxx:xxxx:xxxx,";
  constexpr std::string_view digits = "0123456789abcdef";
  if (line.starts_with('{') && line.contains("\"phy_id\"")) return true;
  return line.size() > form.size() && std::ranges::equal(form, line.substr(0, form.size()), [&](char is, char c) {
           return is == 'x' ? digits.contains(c) : c == is;
         });
}

/// "compounded_links": [
bool is_of_netq(std::string_view line) { return line.starts_with("\"compounded_links\""); }

struct Telltale {
  bool (*is_line_of)(std::string_view line);
  OtherContent content;
};

constexpr std::string_view run_ibnetdiscover = "save what ibnetdiscover prints: ibnetdiscover > FILE";

constexpr std::array telltales = {
    Telltale{is_of_iblinkinfo, {"the output of iblinkinfo", run_ibnetdiscover}},
    Telltale{is_of_ibroute, {"a forwarding table", run_ibnetdiscover}},
    Telltale{is_of_ibnodes, {"a list of devices without cables", run_ibnetdiscover}},
    Telltale{is_of_ibdiagnet, {"a file of ibdiagnet or OpenSM", run_ibnetdiscover}},
    Telltale{is_of_netq,
             {"a graph of NetQ", "topograph reads it, and its engine graph writes what topograph:FILE reads"}},
    Telltale{is_of_netloc,
             {"a file of netloc", "take the file of ibnetdiscover that it was made of, ib-raw/ib-subnet-…"}},
};

}  // namespace

std::optional<OtherContent> other_content(std::string_view text) {
  std::string storage;
  const std::string_view shown = as_shown(text, storage);
  for (const Telltale& telltale : telltales) {
    if (has_line(shown, telltale.is_line_of)) return telltale.content;
  }
  if (parse_hostfile(shown, "")) return OtherContent{"a list of hosts", "give the hosts of a job by --job FILE"};
  return std::nullopt;
}

}  // namespace ayatori
