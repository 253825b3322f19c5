// UCX's active messages over TCP on the loopback.

#include <poll.h>
#include <ucp/api/ucp.h>

#include "incast.hpp"

namespace {

using namespace ayatori::incast;

constexpr unsigned message_id = 0;

void need(ucs_status_t status, const char* what) {
  if (status != UCS_OK) give_up(std::string(what) + ": " + ucs_status_string(status));
}

/// A context and a worker of its own, on TCP only.
class Worker {
 public:
  Worker() {
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

 protected:
  /// Sleeps if there is nothing to do: with more processes than cores that is several times faster than spinning.
  void step() {
    if (ucp_worker_progress(worker_) != 0 || ucp_worker_arm(worker_) != UCS_OK) return;
    pollfd polled{descriptor_, POLLIN, 0};
    poll(&polled, 1, 1);
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;
};

class UcxReceiver final : public Receiver, Worker {
 public:
  UcxReceiver(SharedState& shared, Inbox& inbox) : inbox_(inbox) {
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = message_id;
    handler.cb = take;
    handler.arg = this;
    need(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
    ucp_address_t* address = nullptr;
    std::size_t size = 0;
    need(ucp_worker_get_address(worker_, &address, &size), "ucp_worker_get_address");
    publish(shared, std::span(reinterpret_cast<const std::byte*>(address), size));
    ucp_worker_release_address(worker_, address);
  }
  void progress() override { step(); }

 private:
  static ucs_status_t take(void* self, const void*, std::size_t, void* data, std::size_t size,
                           const ucp_am_recv_param_t*) {
    static_cast<UcxReceiver*>(self)->inbox_.take(std::span(static_cast<const std::byte*>(data), size));
    return UCS_OK;
  }

  Inbox& inbox_;
};

class UcxSender final : public Sender, Worker {
 public:
  UcxSender(SharedState& shared, Outbox& outbox) : outbox_(outbox) {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(await_address(shared).data());
    need(ucp_ep_create(worker_, &params, &endpoint_), "ucp_ep_create");
  }

  bool send(const Message& message) override {
    contexts_[message.buffer] = {this, message.buffer};
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
    param.cb.send = sent;
    param.user_data = &contexts_[message.buffer];
    param.flags = UCP_AM_SEND_FLAG_EAGER;
    const auto request =
        ucp_am_send_nbx(endpoint_, message_id, nullptr, 0, message.bytes.data(), message.bytes.size(), &param);
    if (UCS_PTR_IS_ERR(request)) need(UCS_PTR_STATUS(request), "ucp_am_send_nbx");
    if (request == nullptr) done_.push_back(message.buffer);
    return true;
  }

  void progress() override {
    step();
    for (const std::uint32_t buffer : done_) outbox_.done(buffer);
    done_.clear();
  }

  void finish() override {
    const ucp_request_param_t param{};
    const auto request = ucp_ep_flush_nbx(endpoint_, &param);
    if (request == nullptr) return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) step();
    ucp_request_free(request);
  }

 private:
  struct Context {
    UcxSender* sender = nullptr;
    std::uint32_t buffer = 0;
  };

  static void sent(void* request, ucs_status_t status, void* user_data) {
    need(status, "sending");
    const auto* context = static_cast<Context*>(user_data);
    context->sender->done_.push_back(context->buffer);
    ucp_request_free(request);
  }

  Outbox& outbox_;
  ucp_ep_h endpoint_ = nullptr;
  std::array<Context, max_under_way> contexts_{};
  std::vector<std::uint32_t> done_;
};

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.receiver = [](const Settings&, SharedState& shared,
                             Inbox& inbox) { return std::make_unique<UcxReceiver>(shared, inbox); },
              .sender = [](const Settings&, SharedState& shared, Outbox& outbox,
                           std::uint32_t) { return std::make_unique<UcxSender>(shared, outbox); }});
}
