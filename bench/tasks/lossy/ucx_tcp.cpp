// UCX's active messages over TCP.

#include <poll.h>
#include <ucp/api/ucp.h>

#include <cstring>
#include <deque>

#include "lossy.hpp"

namespace {

using namespace ayatori;
using lossy::Part;

constexpr unsigned message_id = 0;

void need(ucs_status_t status, const char* what) {
  if (status != UCS_OK) lossy::give_up(std::string(what) + ": " + ucs_status_string(status));
}

class UcxPlayer final : public lossy::MessagePlayer {
 public:
  UcxPlayer(const Part& part, lossy::SharedState& shared) : MessagePlayer(part), endpoints_(part.procs) {
    make_worker();
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = message_id;
    handler.cb = arrived;
    handler.arg = this;
    need(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
    ucp_address_t* address = nullptr;
    std::size_t size = 0;
    need(ucp_worker_get_address(worker_, &address, &size), "ucp_worker_get_address");
    lossy::publish(shared, part.self, std::span(reinterpret_cast<const std::byte*>(address), size));
    ucp_worker_release_address(worker_, address);
    for (Rank peer = 0; peer < part.procs; ++peer) {
      if (peer == part.self) continue;
      ucp_ep_params_t params{};
      params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
      params.address = reinterpret_cast<const ucp_address_t*>(lossy::await_address(shared, peer).data());
      need(ucp_ep_create(worker_, &params, &endpoints_[peer]), "ucp_ep_create");
    }
  }

 private:
  struct Header {
    Rank from = 0;
    std::uint32_t number = 0;
  };
  struct Incoming {
    UcxPlayer* player = nullptr;
    Header head;
    std::vector<std::byte> memory;
  };

  void make_worker() {
    ucp_config_t* config = nullptr;
    need(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    need(ucp_config_modify(config, "TLS", "tcp"), "UCX_TLS=tcp");
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
    need(ucp_init(&params, config, &context_), "ucp_init");
    ucp_config_release(config);
    ucp_worker_params_t worker{};
    worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    worker.thread_mode = UCS_THREAD_MODE_SINGLE;
    need(ucp_worker_create(context_, &worker, &worker_), "ucp_worker_create");
    need(ucp_worker_get_efd(worker_, &descriptor_), "ucp_worker_get_efd");
  }

  bool send(Rank to, std::span<const std::byte> message) override {
    if (under_way_ >= 64) return false;
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.send = sent;
    param.user_data = this;
    headers_.push_back({part().self, sent_[to]++});
    const auto request = ucp_am_send_nbx(endpoints_[to], message_id, &headers_.back(), sizeof(Header), message.data(),
                                         message.size(), &param);
    if (UCS_PTR_IS_ERR(request)) need(UCS_PTR_STATUS(request), "ucp_am_send_nbx");
    if (request != nullptr) ++under_way_;
    return true;
  }
  [[nodiscard]] bool all_sent() const override { return under_way_ == 0; }

  void progress() override {
    if (ucp_worker_progress(worker_) != 0 || part().spins || ucp_worker_arm(worker_) != UCS_OK) return;
    pollfd polled{descriptor_, POLLIN, 0};
    poll(&polled, 1, 1);
  }

  static void sent(void* request, ucs_status_t status, void* self) {
    need(status, "sending");
    --static_cast<UcxPlayer*>(self)->under_way_;
    ucp_request_free(request);
  }

  /// Messages come at once or, by rendezvous, are fetched.
  static ucs_status_t arrived(void* self, const void* header, std::size_t, void* data, std::size_t size,
                              const ucp_am_recv_param_t* how) {
    auto* player = static_cast<UcxPlayer*>(self);
    Header head;
    std::memcpy(&head, header, sizeof head);
    if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      player->take(head.from, head.number, std::span(static_cast<const std::byte*>(data), size));
      return UCS_OK;
    }
    auto* incoming = new Incoming{player, head, std::vector<std::byte>(size)};
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.recv_am = fetched;
    param.user_data = incoming;
    const auto request = ucp_am_recv_data_nbx(player->worker_, data, incoming->memory.data(), size, &param);
    if (UCS_PTR_IS_ERR(request)) need(UCS_PTR_STATUS(request), "ucp_am_recv_data_nbx");
    if (request == nullptr) take_fetched(incoming);
    return UCS_INPROGRESS;
  }
  static void fetched(void* request, ucs_status_t status, std::size_t, void* incoming) {
    need(status, "receiving");
    take_fetched(static_cast<Incoming*>(incoming));
    ucp_request_free(request);
  }
  static void take_fetched(Incoming* incoming) {
    incoming->player->take(incoming->head.from, incoming->head.number, incoming->memory);
    delete incoming;
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;
  std::vector<ucp_ep_h> endpoints_;
  std::deque<Header> headers_;  // must stay until their message was sent; few enough to keep all
  std::array<std::uint32_t, lossy::max_procs> sent_{};
  std::uint32_t under_way_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return lossy::run(argc, argv, {"ucx_tcp", [](const Part& part, lossy::SharedState& shared) {
                                   return std::make_unique<UcxPlayer>(part, shared);
                                 }});
}
