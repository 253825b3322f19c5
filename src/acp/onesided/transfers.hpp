#pragma once
/// \file
/// Puts and gets between the memory of this process and that of a peer. The regions that a peer has registered are
/// fetched when they are needed (transport/regions.hpp).

#include <utility>
#include <vector>

#include "ayatori/onesided/address_space.hpp"
#include "ayatori/transport/regions.hpp"

namespace ayatori::onesided {

/// Why an operation failed.
enum class Fault : std::uint8_t {
  none,
  no_memory,  ///< the rank has not registered the memory
  lost,       ///< the rank is lost
};

struct Transfer {
  Location remote;
  std::byte* local = nullptr;
  std::uint32_t local_region = 0;  ///< that it is in
  Bytes size = 0;
  bool put = false;          ///< from this process to the peer; otherwise a get
  std::uint64_t key = 0;     ///< of the remote region, once begun
  bool asked_again = false;  ///< what was known of the region turned out to be old
};

class Connections;

class Transfers {
 public:
  static constexpr std::uint32_t fetches = 4;  ///< of regions at a time; their tokens are 0 to fetches - 1

  explicit Transfers(std::uint32_t known) : known_(known, fetches, 0) {}

  enum class Begun : std::uint8_t { under_way, later, impossible };

  /// `later`: to be tried again when the endpoint has called back. `impossible`: fault() is the reason.
  [[nodiscard]] Begun begin(transport::Time now, transport::Endpoint& endpoint, Connections& connections,
                            Transfer& transfer, transport::Token token);

  /// A region of a peer, if it is known; it is asked for otherwise.
  [[nodiscard]] std::optional<transport::Region> known(transport::Time now, transport::Endpoint& endpoint,
                                                       const transport::KnownRegions::Name& name);
  /// Whether the endpoint was given anything to send since the last call.
  [[nodiscard]] bool take_asked() { return std::exchange(asked_, false); }
  [[nodiscard]] Fault fault() const { return fault_; }

  /// The peer refused the transfer. True: its key may be out of date, and it must be begun again.
  [[nodiscard]] bool refused(Transfer& transfer);

  /// The end of a get that fetches a region. False: the token belongs to something else.
  bool fetch_completed(transport::Token token);
  bool fetch_failed(transport::Token token, Fault why);
  void forget(Rank peer) { known_.forget(peer); }

 private:
  struct Missing {
    transport::KnownRegions::Name name;
    Fault why;
  };
  void note(const transport::KnownRegions::Name& name, Fault why);

  transport::KnownRegions known_;
  std::vector<transport::KnownRegions::Name> unneeded_;  // regions that are fetched, but that no transfer waits for
  std::vector<Missing> missing_;  // regions that do not exist, until the transfer that asked for them is tried again
  Fault fault_ = Fault::none;
  bool asked_ = false;
};

}  // namespace ayatori::onesided
