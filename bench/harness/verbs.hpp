#pragma once
/// \file
/// Reliable connections of libibverbs, for benchmarks: what fails ends the run, and all objects go with the process.

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "processes.hpp"

namespace ayatori::bench {

inline constexpr std::uint8_t verbs_port = 1;
inline constexpr std::uint8_t verbs_gid_index = 1;  // IPv4 on Soft-RoCE

template <typename T>
T* need_object(T* made, std::string_view what) {
  if (!made) give_up(fmt::format("no {}: {}", what, std::strerror(errno)));
  return made;
}

inline void need_success(int code, std::string_view what) {
  if (code != 0) give_up(fmt::format("{}: {}", what, std::strerror(code)));
}

/// An adapter with registered memory and one completion queue.
struct Adapter {
  Adapter(const std::string& name, std::uint32_t completions, std::size_t memory_bytes) : memory(memory_bytes) {
    int count = 0;
    ibv_device** const list = ibv_get_device_list(&count);
    for (int i = 0; i < count; ++i) {
      if (name == ibv_get_device_name(list[i])) context = ibv_open_device(list[i]);
    }
    need_object(context, "device " + name);
    domain = need_object(ibv_alloc_pd(context), "protection domain");
    queue = need_object(ibv_create_cq(context, static_cast<int>(completions), nullptr, nullptr, 0), "completion queue");
    constexpr int access =
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    region = need_object(ibv_reg_mr(domain, memory.data(), memory.size(), access), "memory region");
    need_success(ibv_query_gid(context, verbs_port, verbs_gid_index, &gid), "GID");
  }

  /// A queue pair of a reliable connection; it takes its receive buffers from `shared_queue` if there is one.
  ibv_qp* queue_pair(ibv_srq* shared_queue, std::uint32_t sends = 4) const {
    ibv_qp_init_attr wanted{};
    wanted.qp_type = IBV_QPT_RC;
    wanted.send_cq = wanted.recv_cq = queue;
    wanted.srq = shared_queue;
    wanted.cap = {.max_send_wr = sends, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 0};
    return need_object(ibv_create_qp(domain, &wanted), "queue pair");
  }

  /// The part with this number, of parts of so many bytes.
  ibv_sge part(std::size_t index, std::uint32_t bytes) {
    return {reinterpret_cast<std::uint64_t>(memory.data() + index * bytes), bytes, region->lkey};
  }

  std::vector<std::byte> memory;
  ibv_context* context = nullptr;
  ibv_pd* domain = nullptr;
  ibv_cq* queue = nullptr;
  ibv_mr* region = nullptr;
  ibv_gid gid{};
};

/// The end of a connection, as its peer must know it.
struct QueueAddress {
  ibv_gid gid{};
  std::uint32_t queue = 0;
};

/// When an interface gives up (InfiniBand Architecture Specification 1, section 9.7.5.2.8).
struct ConnectionRetries {
  std::uint8_t timer = 12;  ///< min_rnr_timer: 12 is 640 us, 1 is 10 us
  std::uint8_t limit = 7;   ///< rnr_retry; 7: without end
};

/// From RESET through INIT and RTR to RTS.
inline void connect(ibv_qp* pair, const QueueAddress& peer, const ConnectionRetries& retries = {}) {
  ibv_qp_attr wanted{};
  wanted.qp_state = IBV_QPS_INIT;
  wanted.port_num = verbs_port;
  wanted.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  need_success(ibv_modify_qp(pair, &wanted, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
               "INIT");
  wanted.qp_state = IBV_QPS_RTR;
  wanted.path_mtu = IBV_MTU_4096;
  wanted.dest_qp_num = peer.queue;
  wanted.max_dest_rd_atomic = 16;
  wanted.min_rnr_timer = retries.timer;
  wanted.ah_attr.is_global = 1;
  wanted.ah_attr.grh.dgid = peer.gid;
  wanted.ah_attr.grh.sgid_index = verbs_gid_index;
  wanted.ah_attr.grh.hop_limit = 64;
  wanted.ah_attr.port_num = verbs_port;
  need_success(ibv_modify_qp(pair, &wanted,
                             IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
               "RTR");
  wanted.qp_state = IBV_QPS_RTS;
  wanted.max_rd_atomic = 16;
  wanted.timeout = 14;  // 67 ms
  wanted.retry_cnt = 7;
  wanted.rnr_retry = retries.limit;
  need_success(ibv_modify_qp(pair, &wanted,
                             IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                                 IBV_QP_MAX_QP_RD_ATOMIC),
               "RTS");
}

}  // namespace ayatori::bench
