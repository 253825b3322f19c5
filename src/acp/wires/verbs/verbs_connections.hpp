#pragma once
/// \file
/// The reliable connections of an RDMA port, by libibverbs: one queue pair for each direction, all of them with one
/// completion queue.
///
/// An adapter gives a connection up when the other end has not answered some tries. Nothing is lost by that: the queue
/// pair is reset, and begins again with the packet that was not acknowledged. To the other end, whose queue pair has
/// noticed nothing, these are repetitions as of a lost packet (InfiniBand Architecture Specification 1.2, section
/// 9.7.5.1.2): it carries out what it has not yet, and answers the rest again, atomics from what it remembers of them.
/// Not so reads: an adapter that had a part of the answer has asked for the rest alone, and the other end may not
/// answer the whole any more (Soft-RoCE does not). So an adapter never has reads and others of one connection at a
/// time, and reads that were not answered are handed back.
///
/// A queue pair also begins again where an adapter completes an atomic without its value, as Soft-RoCE of Linux 6.1
/// does on networks that lose packets: such a place still has the number that was written there before, another one
/// each time.

#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "ayatori/verbs/ud_port.hpp"
#include "verbs_object.hpp"

namespace ayatori::wires {

/// The port that the connections belong to, which outlives them.
struct RcPort {
  ibv_context* device = nullptr;
  ibv_pd* domain = nullptr;
  ibv_comp_channel* events = nullptr;
  std::uint8_t number = 1;
  std::uint8_t mtu = IBV_MTU_1024;
  UdAddress own;
  std::function<ibv_ah_attr(const UdAddress&)> address_handle_to;
};

class VerbsConnections final : public RcConnections {
 public:
  /// `tries`: how often the adapter sends again before it gives up, and is reset.
  VerbsConnections(RcPort port, UdResolver resolve, std::uint8_t tries)
      : port_(std::move(port)), resolve_(std::move(resolve)), tries_(tries) {}

  [[nodiscard]] bool make_room(std::uint32_t connections) override;
  [[nodiscard]] Atomics atomics() const override { return atomics_; }

  [[nodiscard]] std::optional<transport::RdmaKeys> add_memory(std::span<std::byte> memory) override;
  void remove_memory(const transport::RdmaKeys& keys) override;

  [[nodiscard]] std::optional<transport::RdmaEnd> open(Rank peer) override;
  [[nodiscard]] bool connect(Rank peer, const transport::RdmaEnd& other) override;
  [[nodiscard]] std::optional<transport::RdmaEnd> accept(Rank peer, const transport::RdmaEnd& other) override;
  std::vector<transport::Token> close(Rank peer) override;
  void forget(Rank peer) override { accepted_.erase(peer); }

  void start(Rank peer, const transport::RdmaRequest& request) override;
  [[nodiscard]] std::optional<transport::RdmaCompletion> poll() override;
  [[nodiscard]] bool ask_for_event() override;

  [[nodiscard]] std::optional<std::uint64_t> compare_swap_here(std::byte* word, const transport::RdmaKeys& keys,
                                                               std::uint64_t expected, std::uint64_t desired) override;

  [[nodiscard]] std::uint64_t resumed() const override { return resumed_; }

 private:
  struct Connection {
    VerbsObject<ibv_qp> pair;
    UdAddress address;
    transport::RdmaEnd own;
    transport::RdmaEnd other;
    std::uint32_t results = 0;       // the first of the places for what atomics return
    std::uint32_t first_packet = 0;  // of the first request
    std::uint64_t first = 0;         // the number of the first request, from 0 on
    std::deque<transport::RdmaRequest> requests;
    std::size_t posted = 0;  // of the requests, which the adapter has
    std::size_t failed = 0;  // of these, which it has returned unfinished: in the end all
    ibv_wc_status why = IBV_WC_SUCCESS;
    std::uint32_t tries_in_vain = 0;                 // of the adapter, since it last completed a request
    std::uint64_t no_value = 0xfeed'0000'0000'0000;  // in the places of atomics that have returned nothing yet
    bool dead = false;                               // to be closed by the caller
  };

  [[nodiscard]] VerbsObject<ibv_qp> queue_pair(ibv_cq* completions) const;
  [[nodiscard]] transport::RdmaEnd end_of(const ibv_qp& pair);
  [[nodiscard]] bool make_ready(ibv_qp& pair, const UdAddress& address, const transport::RdmaEnd& other,
                                std::uint32_t first_packet) const;
  [[nodiscard]] bool connect_to_self();

  void post_more(Connection& connection);
  [[nodiscard]] bool post(Connection& connection, std::size_t index);
  void collect();
  void completed(Rank peer, Connection& connection, const ibv_wc& found);
  void returned(Rank peer, Connection& connection);
  [[nodiscard]] bool resume(Connection& connection);

  RcPort port_;
  UdResolver resolve_;
  std::uint8_t tries_;
  Atomics atomics_ = Atomics::none;
  std::uint8_t reads_ = 1;
  std::uint32_t ends_ = 0;  // made so far

  VerbsObject<ibv_cq> completions_;
  std::vector<std::uint64_t> results_;  // of atomics; the last one for compare_swap_here()
  VerbsObject<ibv_mr> results_region_;
  std::vector<std::uint32_t> free_results_;
  std::unordered_map<std::uint32_t, VerbsObject<ibv_mr>> regions_;  // by local key

  std::unordered_map<Rank, Connection> opened_;
  std::unordered_map<std::uint32_t, Rank> peers_;  // of the queue pairs of `opened_`
  std::unordered_map<Rank, VerbsObject<ibv_qp>> accepted_;
  std::deque<transport::RdmaCompletion> found_;
  std::uint64_t resumed_ = 0;

  VerbsObject<ibv_cq> completions_here_;
  VerbsObject<ibv_qp> from_here_;
  VerbsObject<ibv_qp> to_here_;
};

}  // namespace ayatori::wires
