#include "provider.hpp"

#include <fmt/core.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include <new>

#include "domain.hpp"
#include "info.hpp"
#include "loader.hpp"
#include "node.hpp"

namespace ayatori::fabric {

namespace {

struct Fabric : fid_fabric {
  explicit Fabric(void* its_context);
};

// ---- Event queues: of endpoints without connections, there are no events

struct EventQueue : fid_eq {
  explicit EventQueue(void* its_context);
};

ssize_t read_event(fid_eq*, uint32_t*, void*, size_t, uint64_t) { return -FI_EAGAIN; }
ssize_t read_event_error(fid_eq*, fi_eq_err_entry*, uint64_t) { return -FI_EAGAIN; }

const char* event_text(fid_eq*, int number, const void*, char*, size_t) { return loader().text_of_error(number); }

int close_events(fid* object) {
  delete static_cast<EventQueue*>(reinterpret_cast<fid_eq*>(object));
  return 0;
}

EventQueue::EventQueue(void* its_context) : fid_eq{} {
  static fi_ops object_functions{sizeof(fi_ops), close_events, refused, refused, refused, nullptr, refused};
  static fi_ops_eq functions{sizeof(fi_ops_eq), read_event, read_event_error, refused, refused, event_text};
  fid.fclass = FI_CLASS_EQ;
  fid.context = its_context;
  fid.ops = &object_functions;
  ops = &functions;
}

int open_events(fid_fabric*, fi_eq_attr* attributes, fid_eq** made, void* context) {
  if (attributes->wait_obj != FI_WAIT_NONE && attributes->wait_obj != FI_WAIT_UNSPEC) return -FI_ENOSYS;
  *made = new (std::nothrow) EventQueue(context);
  return *made ? 0 : -FI_ENOMEM;
}

// ---- Fabrics

int close_fabric(fid* object) {
  delete static_cast<Fabric*>(reinterpret_cast<fid_fabric*>(object));
  return 0;
}

Fabric::Fabric(void* its_context) : fid_fabric{} {
  static fi_ops object_functions{sizeof(fi_ops), close_fabric, refused, refused, refused, nullptr, refused};
  static fi_ops_fabric functions{sizeof(fi_ops_fabric), open_domain, refused, open_events, refused, refused};
  fid.fclass = FI_CLASS_FABRIC;
  fid.context = its_context;
  fid.ops = &object_functions;
  ops = &functions;
}

int open_fabric(fi_fabric_attr*, fid_fabric** made, void* context) {
  *made = new (std::nothrow) Fabric(context);
  return *made ? 0 : -FI_ENOMEM;
}

void clean_up() { Node::leave(); }

}  // namespace

fi_provider& provider() {
  static fi_provider made{.version = FI_VERSION(0, 1),
                          .fi_version = loader().version,
                          .context = {},
                          .name = "ayatori",
                          .getinfo = get_info,
                          .fabric = open_fabric,
                          .cleanup = clean_up};
  return made;
}

void complain(std::string_view what) { fmt::print(stderr, "ayatori-fi: {}\n", what); }

}  // namespace ayatori::fabric

/// libfabric calls it once, and offers no provider of an older version than a program asks for.
extern "C" fi_provider* fi_prov_ini() {
  if (!ayatori::fabric::find_loader(__builtin_return_address(0))) return nullptr;
  fi_provider& made = ayatori::fabric::provider();
  ayatori::fabric::loader().define_parameter(
      &made, "statistics", FI_PARAM_BOOL,
      "Print the numbers of messages, writes, reads and atomics, and the memory, when the process ends");
  return &made;
}
