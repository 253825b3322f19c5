// UCX's active messages over TCP.

#include <cstring>
#include <deque>

#include "harness/ucx_process.hpp"
#include "lossy.hpp"

namespace {

using namespace ayatori;
using bench::need;
using lossy::Part;

class UcxExecutor final : public lossy::MessageExecutor, bench::UcxProcess {
 public:
  UcxExecutor(const Part& part, lossy::SharedState& shared) : MessageExecutor(part), endpoints_(part.procs) {
    handle_messages(arrived, this);
    publish_address([&](std::span<const std::byte> address) { lossy::publish(shared, part.self, address); });
    for (Rank peer = 0; peer < part.procs; ++peer) {
      if (peer != part.self) endpoints_[peer] = connect(lossy::await_address(shared, peer));
    }
  }

 private:
  struct Header {
    Rank from = 0;
    std::uint32_t number = 0;
  };
  struct Incoming {
    UcxExecutor* executor = nullptr;
    Header head;
    std::vector<std::byte> memory;
  };

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
    if (part().spins) {
      spin();
    } else {
      step();
    }
  }

  static void sent(void* request, ucs_status_t status, void* self) {
    need(status, "sending");
    --static_cast<UcxExecutor*>(self)->under_way_;
    ucp_request_free(request);
  }

  /// Messages come at once or, by rendezvous, are fetched.
  static ucs_status_t arrived(void* self, const void* header, std::size_t, void* data, std::size_t size,
                              const ucp_am_recv_param_t* how) {
    auto* executor = static_cast<UcxExecutor*>(self);
    Header head;
    std::memcpy(&head, header, sizeof head);
    if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
      executor->take(head.from, head.number, std::span(static_cast<const std::byte*>(data), size));
      return UCS_OK;
    }
    auto* incoming = new Incoming{executor, head, std::vector<std::byte>(size)};
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.recv_am = fetched;
    param.user_data = incoming;
    const auto request = ucp_am_recv_data_nbx(executor->worker(), data, incoming->memory.data(), size, &param);
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
    incoming->executor->take(incoming->head.from, incoming->head.number, incoming->memory);
    delete incoming;
  }

  std::vector<ucp_ep_h> endpoints_;
  std::deque<Header> headers_;  // must stay until their message was sent; few enough to keep all
  std::array<std::uint32_t, lossy::max_procs> sent_{};
  std::uint32_t under_way_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return lossy::run(argc, argv, {"ucx_tcp", [](const Part& part, lossy::SharedState& shared) {
                                   return std::make_unique<UcxExecutor>(part, shared);
                                 }});
}
