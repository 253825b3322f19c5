#pragma once
/// \file
/// The content of a list of xnames, before any cable is assumed.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/link_rate.hpp"
#include "xname.hpp"

namespace ayatori {

struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

struct Inventory {
  struct Node {
    Chassis chassis;
    std::string name;      ///< the alias, or the xname
    std::size_t line = 0;  ///< of the list; 0 if only cables name it
  };
  struct Cable {
    Xname a;
    Xname b;
    LinkRate rate;
    std::size_t line = 0;
  };

  std::map<std::string, Node, NaturalOrder> nodes;        ///< by xname
  std::map<std::string, Chassis, NaturalOrder> switches;  ///< by xname
  std::vector<Cable> cables;
  std::uint32_t cabinets_per_group = 1;

  [[nodiscard]] static Result<Inventory> parse(std::string_view text, std::string_view file);
};

}  // namespace ayatori
