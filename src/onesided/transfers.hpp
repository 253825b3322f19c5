#pragma once
/// \file
/// Bytes between this process's memory and a peer's, by puts and gets. What a peer has registered is fetched when it is
/// needed (transport/regions.hpp).

#include <utility>
#include <vector>

#include "ayatori/onesided/address_space.hpp"
#include "ayatori/transport/regions.hpp"

namespace ayatori::onesided {

/// Why something could not be carried out.
enum class Fault : std::uint8_t {
  none,
  no_memory,  ///< the rank has not registered what was named
  lost,       ///< the rank is lost
};

struct Transfer {
  Location remote;
  std::byte* local = nullptr;
  Bytes size = 0;
  bool put = false;          ///< from here to there; otherwise from there to here
  std::uint64_t key = 0;     ///< of the remote region, once begun
  bool asked_again = false;  ///< what was known of the region turned out to be old
};

class Transfers {
 public:
  static constexpr std::uint32_t fetches = 4;  ///< at a time; their tokens are 0 … fetches - 1

  explicit Transfers(std::uint32_t known) : known_(known, fetches, 0) {}

  enum class Begun : std::uint8_t { under_way, later, impossible };

  /// `later`: try again when the endpoint has told anything. `impossible`: fault() tells why.
  [[nodiscard]] Begun begin(transport::Time now, transport::Endpoint& endpoint, Transfer& transfer,
                            transport::Token token);
  /// Whether the endpoint was asked for anything since the last call.
  [[nodiscard]] bool take_asked() { return std::exchange(asked_, false); }
  [[nodiscard]] Fault fault() const { return fault_; }

  /// The peer refused it. True: it may have been for an old key; begin it again.
  [[nodiscard]] bool refused(Transfer& transfer);

  /// How the endpoint's gets for this ended. False: the token is none of ours.
  bool fetch_completed(transport::Token token);
  bool fetch_failed(transport::Token token, Fault why);
  void forget(Rank peer) { known_.forget(peer); }

 private:
  struct Missing {
    transport::KnownRegions::Name name;
    Fault why;
  };
  void note_missing(const transport::KnownRegions::Name& name, Fault why);

  transport::KnownRegions known_;
  std::vector<Missing> missing_;  // fetched in vain, until who waited for it has been told
  Fault fault_ = Fault::none;
  bool asked_ = false;
};

}  // namespace ayatori::onesided
