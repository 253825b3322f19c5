// UCX's active messages over TCP on the loopback.

#include "harness/ucx_process.hpp"
#include "incast.hpp"

namespace {

using namespace ayatori::incast;
using ayatori::bench::need;
using ayatori::bench::UcxProcess;

class UcxReceiver final : public Receiver, UcxProcess {
 public:
  UcxReceiver(SharedState& shared, Inbox& inbox) : inbox_(inbox) {
    handle_messages(take, this);
    publish_address([&](std::span<const std::byte> address) { publish(shared, address); });
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

class UcxSender final : public Sender, UcxProcess {
 public:
  UcxSender(SharedState& shared, Outbox& outbox) : outbox_(outbox), endpoint_(connect(await_address(shared))) {}

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
  ucp_ep_h endpoint_;
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
