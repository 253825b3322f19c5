#pragma once
/// \file
/// A process that uses UCX's active messages over TCP.

#include <poll.h>
#include <ucp/api/ucp.h>

#include <cstddef>
#include <span>
#include <string>

#include "harness/processes.hpp"

namespace ayatori::bench {

inline void need(ucs_status_t status, const char* what) {
  if (status != UCS_OK) give_up(std::string(what) + ": " + ucs_status_string(status));
}

/// A context and a worker of its own, on TCP only. They live as long as the process.
class UcxProcess {
 public:
  UcxProcess() {
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
  /// `callback` is given `self`, and each active message that arrives.
  void handle_messages(ucp_am_recv_callback_t callback, void* self) {
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = message_id;
    handler.cb = callback;
    handler.arg = self;
    need(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
  }

  /// Gives `publish` the bytes by which others reach this process.
  template <typename Publish>
  void publish_address(Publish publish) {
    ucp_address_t* address = nullptr;
    std::size_t size = 0;
    need(ucp_worker_get_address(worker_, &address, &size), "ucp_worker_get_address");
    publish(std::span(reinterpret_cast<const std::byte*>(address), size));
    ucp_worker_release_address(worker_, address);
  }

  [[nodiscard]] ucp_ep_h connect(std::span<const std::byte> address) {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(address.data());
    ucp_ep_h endpoint = nullptr;
    need(ucp_ep_create(worker_, &params, &endpoint), "ucp_ep_create");
    return endpoint;
  }

  /// Does what there is to do, and never sleeps; false if there was nothing.
  bool spin() { return ucp_worker_progress(worker_) != 0; }

  /// Sleeps if there is nothing to do, for at most a millisecond: with more processes than cores that is several times
  /// faster than spinning.
  void step() {
    if (spin() || ucp_worker_arm(worker_) != UCS_OK) return;
    pollfd polled{descriptor_, POLLIN, 0};
    poll(&polled, 1, 1);
  }

  static constexpr unsigned message_id = 0;
  [[nodiscard]] ucp_worker_h worker() const { return worker_; }

 private:
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace ayatori::bench
