/// \file
/// The life of an endpoint: bound, enabled, named, closed.

#include <rdma/fi_cm.h>

#include <algorithm>
#include <cstring>

#include "info.hpp"
#include "node.hpp"
#include "port.hpp"

namespace ayatori::fabric {

namespace {

Port& port_behind(fid* object) { return *static_cast<Port*>(reinterpret_cast<fid_ep*>(object)); }

int bind_queue(Port& port, CompletionQueue& queue, std::uint64_t flags) {
  if ((flags & ~(FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION)) != 0) return -FI_EBADFLAGS;
  const bool selective = (flags & FI_SELECTIVE_COMPLETION) != 0;
  if ((flags & FI_TRANSMIT) != 0) {
    if (port.transmit_queue) return -FI_EINVAL;
    port.transmit_queue = &queue;
    port.selective_transmit = selective;
    ++queue.bound;
  }
  if ((flags & FI_RECV) != 0) {
    if (port.receive_queue) return -FI_EINVAL;
    port.receive_queue = &queue;
    port.selective_receive = selective;
    ++queue.bound;
  }
  return 0;
}

int bind_counter(Port& port, Counter& counter, std::uint64_t flags) {
  constexpr std::array<std::uint64_t, Port::events> flag_of{FI_SEND, FI_RECV, FI_READ, FI_WRITE};
  if ((flags & ~(FI_SEND | FI_RECV | FI_READ | FI_WRITE)) != 0) return -FI_EBADFLAGS;
  for (std::size_t event = 0; event < flag_of.size(); ++event) {
    if ((flags & flag_of.at(event)) == 0) continue;
    if (port.counters.at(event)) return -FI_EINVAL;
    port.counters.at(event) = &counter;
    ++counter.bound;
  }
  return 0;
}

int bind(fid* object, fid* bound, std::uint64_t flags) {
  Port& port = port_behind(object);
  const Node::Lock lock(port.node);
  if (port.enabled) return -FI_EOPBADSTATE;
  switch (bound->fclass) {
    case FI_CLASS_CQ:
      return bind_queue(port, *static_cast<CompletionQueue*>(reinterpret_cast<fid_cq*>(bound)), flags);
    case FI_CLASS_CNTR:
      return bind_counter(port, *static_cast<Counter*>(reinterpret_cast<fid_cntr*>(bound)), flags);
    case FI_CLASS_EQ:
      return 0;  // an endpoint without connections has no events
    case FI_CLASS_AV: {
      auto* const av = static_cast<AddressVector*>(reinterpret_cast<fid_av*>(bound));
      if (port.av || &av->domain != &port.domain) return -FI_EINVAL;
      port.av = av;
      ++av->bound;
      return 0;
    }
    default:
      return -FI_EINVAL;
  }
}

int enable(Port& port) {
  const Node::Lock lock(port.node);
  if (port.enabled) return 0;
  if (!port.av) return -FI_ENOAV;
  const bool sends = (port.caps & (FI_SEND | FI_READ | FI_WRITE)) != 0;
  if (sends && !port.transmit_queue && !port.counters[Port::sent] && !port.counters[Port::write_done]) return -FI_ENOCQ;
  port.enabled = true;
  return 0;
}

int control(fid* object, int command, void* argument) {
  Port& port = port_behind(object);
  switch (command) {
    case FI_ENABLE:
      return enable(port);
    case FI_GETOPSFLAG: {
      auto* const flags = static_cast<std::uint64_t*>(argument);
      if ((*flags & FI_TRANSMIT) != 0) {
        *flags = port.transmit_flags;
        return 0;
      }
      if ((*flags & FI_RECV) == 0) return -FI_EINVAL;
      *flags = port.receive_flags;
      return 0;
    }
    default:
      return -FI_ENOSYS;
  }
}

int close(fid* object) {
  Port* const port = &port_behind(object);
  {
    const Node::Lock lock(port->node);
    port->node.detach(*port);
    if (port->transmit_queue) --port->transmit_queue->bound;
    if (port->receive_queue) --port->receive_queue->bound;
    for (Counter* counter : port->counters) {
      if (counter) --counter->bound;
    }
    if (port->av) --port->av->bound;
    --port->domain.users;
  }
  delete port;
  return 0;
}

int get_name(fid* object, void* name, size_t* size) {
  const Port& port = port_behind(object);
  const launch::Placement& placement = port.node.placement();
  const EndpointName found{.job = placement.job_key, .rank = placement.rank, .endpoint = port.number};
  const bool fits = *size >= sizeof found;
  if (name) std::memcpy(name, &found, std::min(*size, sizeof found));
  *size = sizeof found;
  return fits ? 0 : -FI_ETOOSMALL;
}

/// Receives alone can be cancelled.
ssize_t cancel(fid* object, void* context) {
  Port& port = port_behind(object);
  const Node::Lock lock(port.node);
  for (Matching* waiting : {&port.messages, &port.tagged_messages}) {
    if (const auto receive = waiting->cancel(context)) {
      port.report_receive(*receive, {}, FI_ECANCELED);
      return 0;
    }
  }
  return -FI_ENOENT;
}

int get_option(fid* object, int level, int option, void* value, size_t* size) {
  if (level != FI_OPT_ENDPOINT || option != FI_OPT_MIN_MULTI_RECV) return -FI_ENOPROTOOPT;
  if (*size < sizeof(std::size_t)) return -FI_ETOOSMALL;
  *static_cast<std::size_t*>(value) = port_behind(object).least_room;
  *size = sizeof(std::size_t);
  return 0;
}

/// For buffers that are posted from now on.
int set_option(fid* object, int level, int option, const void* value, size_t size) {
  if (level != FI_OPT_ENDPOINT || option != FI_OPT_MIN_MULTI_RECV) return -FI_ENOPROTOOPT;
  if (size != sizeof(std::size_t)) return -FI_EINVAL;
  port_behind(object).least_room = *static_cast<const std::size_t*>(value);
  return 0;
}

fi_ops* endpoint_object_functions() {
  static fi_ops made{sizeof(fi_ops), close, bind, control, refused, nullptr, refused};
  return &made;
}

fi_ops_ep* endpoint_functions() {
  static fi_ops_ep made{sizeof(fi_ops_ep), cancel, get_option, set_option, refused, refused, refused, refused};
  return &made;
}

fi_ops_cm* name_functions() {
  static fi_ops_cm made{sizeof(fi_ops_cm), refused, get_name, refused, refused,
                        refused,           refused, refused,  refused, refused};
  return &made;
}

}  // namespace

Port::Port(Domain& owner, const fi_info& info, void* its_context)
    : fid_ep{},
      domain(owner),
      node(owner.node),
      caps(info.caps),
      transmit_flags(info.tx_attr ? info.tx_attr->op_flags : 0),
      receive_flags(info.rx_attr ? info.rx_attr->op_flags : 0),
      ordered(info.tx_attr && (info.tx_attr->msg_order & access_order) != 0) {
  fid.fclass = FI_CLASS_EP;
  fid.context = its_context;
  fid.ops = endpoint_object_functions();
  fid_ep::ops = endpoint_functions();
  cm = name_functions();
  msg = message_functions();
  tagged = tagged_functions();
  rma = remote_memory_functions();
  atomic = remote_atomic_functions();
}

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** made, void* context) {
  auto& owner = *static_cast<Domain*>(domain);
  if (info->ep_attr && info->ep_attr->type != FI_EP_RDM && info->ep_attr->type != FI_EP_UNSPEC) return -FI_EINVAL;
  auto* const port = new (std::nothrow) Port(owner, *info, context);
  if (!port) return -FI_ENOMEM;
  const Node::Lock lock(owner.node);
  port->number = owner.node.attach(*port);
  ++owner.users;
  *made = port;
  return 0;
}

}  // namespace ayatori::fabric
