/* libayatori_paths.so, which is preloaded: it has the two functions of libibverbs that set the path of packets, and
 * gives each connection the path that the plan of the job has for it (engine.cpp, in libayatori_paths_engine.so next to
 * it). A queue pair gets its path when it becomes ready to receive, a datagram when its address handle is made; nothing
 * is done to what is sent afterwards. A third one, ibv_close_device, shows when a device ends.
 *
 * LD_PRELOAD puts it into every process below, also into shells and launchers. Hence it needs no library but libc: the
 * real functions are looked up at the first connection, and the engine is loaded only where a plan is named. */

#include "engine.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define VERSION "IBVERBS_1.1"

typedef int modify_qp(struct ibv_qp*, struct ibv_qp_attr*, int);
typedef struct ibv_ah* create_ah(struct ibv_pd*, struct ibv_ah_attr*);
typedef int close_device(struct ibv_context*);

static modify_qp* real_modify_qp;
static create_ah* real_create_ah;
static close_device* real_close_device;
static struct ayatori_paths_engine engine; /* all NULL: every address is left as it is */
static atomic_int is_started;              /* the engine is as it will be */
static pthread_once_t looked_up = PTHREAD_ONCE_INIT;
static pthread_once_t close_looked_up = PTHREAD_ONCE_INIT;

typedef void* dlvsym_function(void*, const char*, const char*);

/* --- The real functions ------------------------------------------------------------------------------------------- */

static dlvsym_function* real_dlvsym(void) {
  static dlvsym_function* found;
  if (found == NULL) {
    void* const function = dlsym(RTLD_NEXT, "dlvsym");
    memcpy(&found, &function, sizeof found);
  }
  return found;
}

static int note_libibverbs(struct dl_phdr_info* info, size_t size, void* path) {
  (void)size;
  const char* const file = strrchr(info->dlpi_name, '/');
  if (strncmp(file == NULL ? info->dlpi_name : file + 1, "libibverbs.so", 13) != 0) return 0;
  *(const char**)path = info->dlpi_name;
  return 1;
}

/* A library that was loaded by dlopen (a transport of UCX, a provider of libfabric) has its libibverbs in a scope of
 * its own, which RTLD_NEXT does not see. */
static void* libibverbs_by_name(void) {
  const char* path = NULL;
  dl_iterate_phdr(note_libibverbs, &path);
  return path == NULL ? NULL : dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

static void* open_engine(void) {
  Dl_info self;
  char path[4096];
  if (dladdr((void*)&engine, &self) == 0 || self.dli_fname == NULL) return NULL;
  const char* const end = strrchr(self.dli_fname, '/');
  const int folder = end == NULL ? 0 : (int)(end - self.dli_fname + 1);
  const int length = snprintf(path, sizeof path, "%.*slibayatori_paths_engine.so", folder, self.dli_fname);
  if (length < 0 || (size_t)length >= sizeof path) return NULL;
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static int is_set(const char* variable) {
  const char* const value = getenv(variable);
  return value != NULL && *value != '\0';
}

static void start_engine(const struct ayatori_paths_verbs* verbs) {
  if (!is_set("AYATORI_PLAN") && !is_set("AYATORI_ROCE_PLAN")) return;
  void* const library = open_engine();
  void* const found = library == NULL ? NULL : dlsym(library, "ayatori_paths_engine_start");
  if (found == NULL) {
    fprintf(stderr, "ayatori: paths are left alone: %s\n", dlerror());
    return;
  }
  ayatori_paths_start* start;
  memcpy(&start, &found, sizeof found);
  if (!start(verbs, &engine)) memset(&engine, 0, sizeof engine);
}

static void* real_function(const char* name) {
  void* found = real_dlvsym()(RTLD_NEXT, name, VERSION);
  if (found != NULL) return found;
  void* const library = libibverbs_by_name();
  found = library == NULL ? NULL : real_dlvsym()(library, name, VERSION);
  if (found != NULL) return found;
  fprintf(stderr, "ayatori: this process has no %s: it calls verbs, but no libibverbs is loaded\n", name);
  abort();
}

static void look_up(void) {
  static const char* const names[] = {"ibv_modify_qp", "ibv_create_ah", "ibv_query_port", "ibv_query_gid"};
  void* found[4];
  for (int i = 0; i < 4; ++i) found[i] = real_function(names[i]);
  struct ayatori_paths_verbs verbs;
  memcpy(&real_modify_qp, &found[0], sizeof found[0]);
  memcpy(&real_create_ah, &found[1], sizeof found[1]);
  memcpy(&verbs.query_port, &found[2], sizeof found[2]);
  memcpy(&verbs.query_gid, &found[3], sizeof found[3]);
  start_engine(&verbs);
  atomic_store(&is_started, 1);
}

/* Apart: programs that list devices close them, and connect nothing. */
static void look_up_close(void) {
  void* const found = real_function("ibv_close_device");
  memcpy(&real_close_device, &found, sizeof found);
}

/* --- What programs call ------------------------------------------------------------------------------------------- */

EXPORTED int ibv_modify_qp(struct ibv_qp* qp, struct ibv_qp_attr* attr, int mask) {
  pthread_once(&looked_up, look_up);
  if ((mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RTS && engine.ready_to_send != NULL) {
    const int failed = real_modify_qp(qp, attr, mask);
    if (!failed) engine.ready_to_send(qp);
    return failed;
  }
  if ((mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_INIT && engine.initialised != NULL) engine.initialised(qp);
  const int is_connected = (mask & IBV_QP_STATE) && attr->qp_state == IBV_QPS_RTR && (mask & IBV_QP_AV);
  if (!is_connected || engine.queue_pair == NULL) return real_modify_qp(qp, attr, mask);
  struct ibv_qp_attr changed = *attr; /* the program may use its own again, for another peer */
  engine.queue_pair(qp, &changed.ah_attr, (mask & IBV_QP_DEST_QPN) ? changed.dest_qp_num : 0);
  return real_modify_qp(qp, &changed, mask);
}

EXPORTED struct ibv_ah* ibv_create_ah(struct ibv_pd* pd, struct ibv_ah_attr* attr) {
  pthread_once(&looked_up, look_up);
  if (engine.handle == NULL) return real_create_ah(pd, attr);
  struct ibv_ah_attr changed = *attr;
  engine.handle(pd, &changed);
  return real_create_ah(pd, &changed);
}

/* Before the device is closed: afterwards another thread may open one that gets the same address. */
EXPORTED int ibv_close_device(struct ibv_context* context) {
  pthread_once(&close_looked_up, look_up_close);
  if (atomic_load(&is_started) && engine.closes != NULL) engine.closes(context);
  return real_close_device(context);
}

/* Ours for a name of libibverbs, or NULL. */
static void* own_function(const char* name) {
  modify_qp* const modify = ibv_modify_qp;
  create_ah* const create = ibv_create_ah;
  close_device* const close = ibv_close_device;
  void* ours = NULL;
  if (strcmp(name, "ibv_modify_qp") == 0) memcpy(&ours, &modify, sizeof ours);
  if (strcmp(name, "ibv_create_ah") == 0) memcpy(&ours, &create, sizeof ours);
  if (strcmp(name, "ibv_close_device") == 0) memcpy(&ours, &close, sizeof ours);
  return ours;
}

/* Programs that ask a handle of libibverbs for its functions (NCCL) get ours for these three. For all else this is the
 * real dlvsym, called last so that RTLD_NEXT means what it means to the caller. */
EXPORTED void* dlvsym(void* restrict handle, const char* restrict name, const char* restrict version) {
  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT && strcmp(version, VERSION) == 0) {
    void* const ours = own_function(name);
    if (ours != NULL) {
      void* const theirs = real_dlvsym()(handle, name, version);
      return theirs == NULL ? NULL : ours; /* dlerror() says why */
    }
  }
  return real_dlvsym()(handle, name, version);
}

__attribute__((destructor)) static void finish(void) {
  if (engine.finish != NULL) engine.finish();
}
