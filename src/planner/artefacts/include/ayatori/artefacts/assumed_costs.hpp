#pragma once
/// \file
/// Assumed costs of messages without a calibration: by the rate of the links, from published measurements.
/// docs/prediction-model.md has the source of each number, and says which are interpolated.

#include "ayatori/artefacts/message_costs.hpp"
#include "ayatori/network/link_rate.hpp"

namespace ayatori {

struct AssumedCosts {
  CommunicationCosts costs;
  double link_latency = 0;  ///< seconds of each link, with that of the switch after it
};

/// For links of NICs of this rate; of a rate that is not known, as for 4xHDR. `direct`: machines have built-in routers.
[[nodiscard]] AssumedCosts assumed_costs(LinkRate rate, bool direct);

}  // namespace ayatori
