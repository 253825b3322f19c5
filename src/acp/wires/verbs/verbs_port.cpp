#include "verbs_port.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "ayatori/base/descriptor.hpp"
#include "verbs_connections.hpp"
#include "verbs_library.hpp"

namespace ayatori::wires {

namespace {

/// Inline data to ask for: most control packets and short messages fit. From a device that has less, none is asked for.
constexpr std::uint32_t wanted_inline_bytes = 192;

/// RoCE routes like IP; a packet that crosses more routers than this is in a loop.
constexpr std::uint8_t hop_limit = 64;

class VerbsPeer final : public UdPeer {
 public:
  explicit VerbsPeer(VerbsObject<ibv_ah> handle) : handle_(std::move(handle)) {}
  [[nodiscard]] ibv_ah* handle() const { return handle_.get(); }

 private:
  VerbsObject<ibv_ah> handle_;
};

struct DeviceList {
  DeviceList() : devices(ibv_get_device_list(&count)) {}
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;
  ~DeviceList() {
    if (devices) ibv_free_device_list(devices);
  }

  int count = 0;
  ibv_device** devices;
};

std::size_t poll(ibv_cq* queue, std::span<UdCompletion> completions) {
  std::array<ibv_wc, 32> found;
  const std::size_t max_completions = std::min(found.size(), completions.size());
  const int count = ibv_poll_cq(queue, static_cast<int>(max_completions), found.data());
  for (int i = 0; i < count; ++i) {
    const bool good = found[i].status == IBV_WC_SUCCESS;
    completions[i] = {found[i].wr_id, found[i].byte_len, good ? nullptr : ibv_wc_status_str(found[i].status)};
  }
  return static_cast<std::size_t>(std::max(count, 0));
}

}  // namespace

// ---- Opening

Result<std::unique_ptr<VerbsPort>> VerbsPort::open(const VerbsOptions& options) {
  std::unique_ptr<VerbsPort> port(new VerbsPort(options));
  auto opened = port->open_device();
  if (opened) opened = port->query_port();
  if (opened) opened = port->open_queues();
  if (opened) opened = port->start(*port->data_);
  if (opened) opened = port->start(*port->control_);
  if (!opened) return Failure(opened.error());
  return port;
}

Failure VerbsPort::refused_by_device(std::string_view what, int code) const {
  return refused(fmt::format("the RDMA device {} refused {}", ibv_get_device_name(device_->device), what), code);
}

Result<> VerbsPort::open_device() {
  if (const auto loaded = load_verbs_library(); !loaded) return Failure(loaded.error());
  const DeviceList list;
  if (!list.devices || list.count == 0) {
    return with_hint(with_code(fail("this machine has no RDMA device"), ENODEV),
                     "over an Ethernet interface, `rdma link add rxe0 type rxe netdev eth0` makes one (Soft-RoCE)");
  }
  const std::span devices(list.devices, static_cast<std::size_t>(list.count));
  const auto wanted = std::ranges::find_if(
      devices, [&](ibv_device* one) { return options_.device.empty() || options_.device == ibv_get_device_name(one); });
  if (wanted == devices.end()) {
    return with_hint(with_code(fail("this machine has no RDMA device '{}'", options_.device), ENODEV),
                     "`rdma link` lists those that there are");
  }
  device_.reset(ibv_open_device(*wanted));
  if (!device_) return refused(fmt::format("the RDMA device {} can't be opened", ibv_get_device_name(*wanted)), errno);
  return {};
}

Result<> VerbsPort::query_port() {
  const char* const name = ibv_get_device_name(device_->device);
  if (const int code = ibv_query_port(device_.get(), options_.port, &port_); code != 0) {
    return refused_by_device(fmt::format("to describe port {}", options_.port), code);
  }
  if (port_.state != IBV_PORT_ACTIVE) {
    return fail("port {} of {} is {}; it must be active", options_.port, name, ibv_port_state_str(port_.state));
  }
  gid_index_ = options_.gid_index.value_or(choose_gid());
  if (ibv_query_gid(device_.get(), options_.port, gid_index_, &gid_) != 0) {
    return fail("port {} of {} has no GID with index {}", options_.port, name, gid_index_);
  }
  return {};
}

std::uint8_t VerbsPort::choose_gid() const {
  if (port_.link_layer != IBV_LINK_LAYER_ETHERNET) return 0;
  constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};  // RFC 4291, 2.5.5.2
  std::optional<std::uint8_t> routable;
  for (int i = 0; i < std::min(port_.gid_tbl_len, 256); ++i) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(device_.get(), options_.port, static_cast<std::uint32_t>(i), &entry, 0) != 0) continue;
    if (entry.gid_type != IBV_GID_TYPE_ROCE_V2) continue;
    if (std::equal(mapped.begin(), mapped.end(), entry.gid.raw)) return static_cast<std::uint8_t>(i);
    if (!routable) routable = static_cast<std::uint8_t>(i);
  }
  return routable.value_or(0);
}

Result<> VerbsPort::open_queues() {
  domain_.reset(ibv_alloc_pd(device_.get()));
  if (!domain_) return refused_by_device("a protection domain", errno);
  events_.reset(ibv_create_comp_channel(device_.get()));
  if (!events_) return refused_by_device("an event channel", errno);
  if (fcntl(events_->fd, F_SETFL, O_NONBLOCK) != 0)
    return refused_by_device("an event channel that never waits", errno);

  const std::uint32_t receives = options_.receive_buffers + options_.control_buffers;
  sent_.reset(ibv_create_cq(device_.get(), static_cast<int>(options_.send_buffers), nullptr, nullptr, 0));
  if (!sent_) return refused_by_device(fmt::format("a completion queue for {} sends", options_.send_buffers), errno);
  received_.reset(ibv_create_cq(device_.get(), static_cast<int>(receives), nullptr, events_.get(), 0));
  if (!received_) return refused_by_device(fmt::format("a completion queue for {} receives", receives), errno);

  auto control = queue_pair(0, options_.control_buffers);
  if (!control) return Failure(control.error());
  control_ = std::move(*control);
  // Last, so that inline_bytes_ is that of this queue pair: everything is sent from it, control packets, too.
  auto data = queue_pair(options_.send_buffers, options_.receive_buffers);
  if (!data) return Failure(data.error());
  data_ = std::move(*data);
  return {};
}

Result<VerbsObject<ibv_qp>> VerbsPort::queue_pair(std::uint32_t sends, std::uint32_t receives) {
  int code = 0;
  for (const std::uint32_t inlined : {wanted_inline_bytes, 0U}) {
    ibv_qp_init_attr wanted{};
    wanted.qp_type = IBV_QPT_UD;
    wanted.send_cq = sent_.get();
    wanted.recv_cq = received_.get();
    wanted.cap.max_send_wr = std::max(sends, 1U);
    wanted.cap.max_recv_wr = receives;
    wanted.cap.max_send_sge = 1;
    wanted.cap.max_recv_sge = 1;
    wanted.cap.max_inline_data = inlined;
    VerbsObject<ibv_qp> made(ibv_create_qp(domain_.get(), &wanted));
    if (made) {
      inline_bytes_ = wanted.cap.max_inline_data;
      return made;
    }
    code = errno;
  }
  return refused_by_device(fmt::format("a queue pair for {} sends and {} receives", sends, receives), code);
}

/// From RESET through INIT and RTR to RTS.
Result<> VerbsPort::start(ibv_qp& pair) const {
  ibv_qp_attr wanted{};
  wanted.qp_state = IBV_QPS_INIT;
  wanted.pkey_index = 0;
  wanted.port_num = options_.port;
  wanted.qkey = queue_key();
  int code = ibv_modify_qp(&pair, &wanted, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
  if (code != 0) return refused_by_device("to initialise a queue pair", code);
  wanted.qp_state = IBV_QPS_RTR;
  code = ibv_modify_qp(&pair, &wanted, IBV_QP_STATE);
  if (code != 0) return refused_by_device("to let a queue pair receive", code);
  wanted.qp_state = IBV_QPS_RTS;
  code = ibv_modify_qp(&pair, &wanted, IBV_QP_STATE | IBV_QP_SQ_PSN);
  if (code != 0) return refused_by_device("to let a queue pair send", code);
  return {};
}

/// Keys with the highest bit set need privileges (InfiniBand Architecture Specification 1.2, section 10.2.5).
std::uint32_t VerbsPort::queue_key() const {
  return static_cast<std::uint32_t>(options_.key ^ options_.key >> 32) & 0x7FFF'FFFFU;
}

UdAddress VerbsPort::address() const {
  UdAddress own{.lid = port_.lid, .data_queue = data_->qp_num, .control_queue = control_->qp_num};
  std::ranges::copy(gid_.raw, own.gid.begin());
  return own;
}

std::size_t VerbsPort::datagram_bytes() const { return std::size_t{128} << port_.active_mtu; }

Result<> VerbsPort::use(std::span<std::byte> memory) {
  memory_.reset(ibv_reg_mr(domain_.get(), memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE));
  if (memory_) return {};
  const int code = errno;
  return with_hint(refused_by_device(fmt::format("to register {} bytes", memory.size()), code),
                   "`ulimit -l` may allow less memory to be locked");
}

ibv_ah_attr VerbsPort::address_handle_to(const UdAddress& address) const {
  ibv_ah_attr wanted{};
  wanted.dlid = address.lid;
  wanted.port_num = options_.port;
  const bool same_subnet = std::equal(gid_.raw, gid_.raw + 8, address.gid.begin());
  wanted.is_global = port_.link_layer == IBV_LINK_LAYER_ETHERNET || !same_subnet;
  std::ranges::copy(address.gid, wanted.grh.dgid.raw);
  wanted.grh.sgid_index = gid_index_;
  wanted.grh.hop_limit = hop_limit;
  return wanted;
}

Result<std::unique_ptr<UdPeer>> VerbsPort::reach(const UdAddress& address) {
  ibv_ah_attr wanted = address_handle_to(address);
  VerbsObject<ibv_ah> handle(ibv_create_ah(domain_.get(), &wanted));
  if (!handle) return refused_by_device(fmt::format("an address handle for LID {}", address.lid), errno);
  return std::make_unique<VerbsPeer>(std::move(handle));
}

std::unique_ptr<RcConnections> VerbsPort::connections(const UdResolver& resolve) {
  return std::make_unique<VerbsConnections>(
      RcPort{.device = device_.get(),
             .domain = domain_.get(),
             .events = events_.get(),
             .number = options_.port,
             .mtu = static_cast<std::uint8_t>(port_.active_mtu),
             .own = address(),
             .address_handle_to = [this](const UdAddress& peer) { return address_handle_to(peer); }},
      resolve, options_.tries);
}

// ---- Sending and receiving

int VerbsPort::post_send(const UdSend& send) {
  ibv_sge part{reinterpret_cast<std::uintptr_t>(send.bytes.data()), static_cast<std::uint32_t>(send.bytes.size()),
               memory_->lkey};
  ibv_send_wr request{};
  request.wr_id = send.id;
  request.sg_list = &part;
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND;
  if (send.signalled) request.send_flags |= IBV_SEND_SIGNALED;
  if (send.bytes.size() <= inline_bytes_) request.send_flags |= IBV_SEND_INLINE;
  request.wr.ud.ah = static_cast<const VerbsPeer*>(send.to)->handle();
  request.wr.ud.remote_qpn = send.queue;
  request.wr.ud.remote_qkey = queue_key();
  ibv_send_wr* refused_one = nullptr;
  return ibv_post_send(data_.get(), &request, &refused_one);
}

int VerbsPort::post_receive(UdQueue queue, std::span<std::byte> into, std::uint64_t id) {
  ibv_sge part{reinterpret_cast<std::uintptr_t>(into.data()), static_cast<std::uint32_t>(into.size()), memory_->lkey};
  ibv_recv_wr request{};
  request.wr_id = id;
  request.sg_list = &part;
  request.num_sge = 1;
  ibv_recv_wr* refused_one = nullptr;
  return ibv_post_recv((queue == UdQueue::data ? data_ : control_).get(), &request, &refused_one);
}

/// A send that failed stops the sending side only: SQE, from which RTS is one step away.
int VerbsPort::recover() {
  ibv_qp_attr wanted{};
  wanted.qp_state = IBV_QPS_RTS;
  wanted.cur_qp_state = IBV_QPS_SQE;
  return ibv_modify_qp(data_.get(), &wanted, IBV_QP_STATE | IBV_QP_CUR_STATE);
}

std::size_t VerbsPort::poll_sent(std::span<UdCompletion> completions) { return poll(sent_.get(), completions); }

std::size_t VerbsPort::poll_received(std::span<UdCompletion> completions) { return poll(received_.get(), completions); }

void VerbsPort::ask_for_event() { ibv_req_notify_cq(received_.get(), 0); }

void VerbsPort::take_events() {
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  while (ibv_get_cq_event(events_.get(), &queue, &context) == 0) ibv_ack_cq_events(queue, 1);
}

void VerbsPort::stop() {
  data_.reset();
  control_.reset();
}

}  // namespace ayatori::wires
