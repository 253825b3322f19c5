#pragma once
/// \file
/// This process in its job, for all endpoints of libfabric that it has: one transport over the wires of the job, the
/// operations that are under way, and one lock. A process joins its job with the first domain.
///
///     send ── Frame in a message ──▶ Port::arrived ── Matching ──▶ completion
///     long message ── its header in a message; the receiver gets the bytes, and answers ──▶ completion
///     write, read ── put, get ──▶ memory that the peer has registered
///     atomic ── call ──▶ the peer's memory
///
/// Progress is made by whoever calls, and by a thread if a program asks for it. All functions but join() and lock() are
/// called under the lock.

#include <unistd.h>

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "atomics.hpp"
#include "ayatori/base/descriptor.hpp"
#include "ayatori/driver/driver.hpp"
#include "ayatori/joining/network.hpp"
#include "ayatori/transport/endpoint.hpp"
#include "frame.hpp"
#include "operations.hpp"

namespace ayatori::fabric {

class Port;

/// Sent or started here, counted when the call succeeds; `received` when a receive has the message.
struct NodeStatistics {
  std::uint64_t messages = 0;
  std::uint64_t long_messages = 0;  ///< of these, fetched by their receiver
  std::uint64_t received = 0;
  std::uint64_t unexpected = 0;  ///< messages that came before their receive
  std::uint64_t writes = 0;
  std::uint64_t reads = 0;
  std::uint64_t atomics = 0;
  Bytes address_bytes = 0;    ///< of address vectors, taken so far
  Bytes transport_bytes = 0;  ///< of all peers together, however many there are
};

class Node final : public transport::Application {
 public:
  /// The node of this process, which joins its job now if it has not yet. Later calls give the same one. Errors: those
  /// of launch::find_launcher(), acp::read_job_setup(), acp::open_wire().
  [[nodiscard]] static Result<Node*> join();
  /// Closes the node of this process, if there is one.
  static void leave();
  ~Node() override;

  class Lock {
   public:
    explicit Lock(Node& node) : node_(node) { node.acquire(); }
    ~Lock() { node_.mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    Node& node_;
  };

  [[nodiscard]] const launch::Placement& placement() const { return setup_.placement; }
  [[nodiscard]] std::uint64_t seed_of_keys() const { return acp::seed_of(setup_.placement); }
  [[nodiscard]] const NodeStatistics& statistics() const { return statistics_; }

  // ---- Ports

  [[nodiscard]] EndpointNumber attach(Port& port);
  /// Waits a moment for what the port has under way, then drops it.
  void detach(Port& port);

  // ---- Operations. 0, or -FI_EAGAIN: try again after progress, or -FI_EHOSTDOWN: the peer is lost

  struct Message {
    Frame frame{};  ///< its payload is the message
    Address to{};
    Report report{};
    std::shared_ptr<Pieces> pieces{};  ///< of which the payload is the whole
  };
  [[nodiscard]] int send(Port& port, const Message& message);

  struct Access {
    Address to{};
    transport::RemoteAddress at{};
    std::span<std::byte> local{};
    std::shared_ptr<Pieces> pieces{};  ///< of which `local` is the whole
    Report report{};
    bool inject = false;
    bool has_data = false;
    std::uint64_t data = 0;
  };
  [[nodiscard]] int write(Port& port, const Access& access);
  [[nodiscard]] int read(Port& port, const Access& access);
  [[nodiscard]] int atomic(Port& port, Address to, AtomicRequest request, void* result, const Report& report);

  /// The receive gets what has arrived, now or once its bytes are here.
  void receive(Port& port, const Receive& receive, Arrival arrival);

  /// Drops what has arrived, as if the receive had got it.
  void discard(Port& port, const Receive& receive, Arrival arrival);

  void count_unexpected() { ++statistics_.unexpected; }
  void count_address_bytes(Bytes more) { statistics_.address_bytes += more; }
  [[nodiscard]] bool is_lost(Rank rank) const { return lost_.contains(rank); }

  // ---- Progress

  bool round();
  /// From now on progress is also made while nobody calls. Error: the system refuses a descriptor.
  [[nodiscard]] Result<> make_progress_by_itself();

  /// A round; whether nothing has happened in many rounds.
  bool round_is_idle() {
    idle_rounds_ = round() ? 0 : idle_rounds_ + 1;
    return idle_rounds_ > max_idle_rounds;
  }
  /// How often the program has read completions, of any queue.
  [[nodiscard]] std::uint64_t reads() const { return reads_; }
  void note_read() { ++reads_; }
  /// Starts what a call has left to be started.
  void start_now() {
    if (!waiting_.empty()) start_waiting();
  }

  /// Makes progress until `done()` or for `timeout`, negative: for ever; sleeps when nothing happens. Gives the lock
  /// back meanwhile.
  bool wait(const std::function<bool()>& done, int timeout_in_ms);

  // ---- Called by the transport

  std::byte* reserve(transport::PeerId from, Bytes size, transport::Urgency urgency) override;
  void deliver(transport::PeerId from, std::span<const std::byte> message, std::byte* reserved) override;
  void release(std::byte* reserved) override;
  void acknowledged(transport::Token token) override;
  void failed(transport::Token token) override;
  void lost(transport::PeerId peer, transport::Time since) override;
  transport::OperationResult operate(transport::PeerId from, std::span<const std::byte> request) override;
  void returned(transport::Token token, std::span<const std::byte> result) override;
  bool write(transport::PeerId from, const transport::RemoteRange& range, std::span<const std::byte> bytes) override;
  std::optional<std::span<const std::byte>> read(transport::PeerId from, const transport::RemoteRange& range) override;
  void completed(transport::Token token) override;
  void refused(transport::Token token) override;

 private:
  static constexpr std::uint32_t max_idle_rounds = 50;

  Node() = default;
  [[nodiscard]] Result<> open();
  void acquire();

  [[nodiscard]] Port* port_of(EndpointNumber number) const;
  void take_answer(Rank from, OperationId id);
  static void compose(Operation& operation, const Frame& frame);
  void post(Operation operation, const Frame& frame);
  [[nodiscard]] int begin(OperationId id);
  void answer(const Arrival& arrival);
  void tell_written(Operation write);
  void finish_at_once(Operation operation);
  [[nodiscard]] bool start(OperationId id);
  [[nodiscard]] bool must_wait(OperationId id);
  void start_next(const Operation& ended);
  void start_waiting();
  void finish(OperationId id, int error);
  void settle(OperationId id, Operation::Part part);
  void arrive_at_self(Port& from, const Message& message);
  [[nodiscard]] std::optional<std::span<std::byte>> memory_at(transport::RemoteAddress at, Bytes size,
                                                              std::uint64_t access) const;
  void push_now_and_then(Rank peer);
  [[nodiscard]] transport::Duration prepare_to_sleep(transport::Duration longest, std::vector<pollfd>& polled);
  void run_thread();
  void serve_until_idle();
  void wake_thread() const;
  void end_thread();
  void watch();
  void close_flows();
  void report_statistics() const;

  std::mutex mutex_;
  acp::JobSetup setup_;
  wires::SteadyClock clock_;
  std::unique_ptr<wires::PollableWire> wire_;
  std::optional<transport::Endpoint> endpoint_;
  std::optional<wires::Driver> driver_;
  bool armed_ = false;  // datagrams that arrive wake a thread

  std::vector<Port*> ports_;  // by number
  Operations operations_;
  std::deque<OperationId> waiting_;                   // to be started
  std::map<Rank, std::deque<OperationId>> in_order_;  // of ordered ports, by peer: the first one is under way
  std::set<Rank> lost_;
  bool failure_is_seen_ = false;  // by the program, of an operation to the peer of which lost() is called next
  std::vector<Rank> pushed_to_;   ///< since the last round
  std::uint32_t unpushed_ = 0;
  std::uint64_t reads_ = 0;
  std::uint32_t idle_rounds_ = 0;
  transport::Time next_watch_{};
  NodeStatistics statistics_;
  bool reports_statistics_ = false;
  pid_t process_ = getpid();  // a forked child has another one

  std::thread thread_;  // if there is one that makes progress
  Descriptor wake_event_;
  std::atomic<std::uint64_t> calls_ = 0;  // by other threads
  std::atomic<bool> closing_ = false;
  bool thread_sleeps_ = false;
};

}  // namespace ayatori::fabric
