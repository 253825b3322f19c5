/* Open MPI's component pml/monitoring tells each message to mca_common_monitoring_record_pml. The one that is defined
 * here takes the place of the library's, since the executable is searched first. */
#include "traffic.h"

static int recording;

void traffic_begin(int rank, int ranks) {
  (void)rank;
  (void)ranks;
}

int traffic_sees(int peer) {
  (void)peer;
  return 1;
}

void traffic_record(int on) { recording = on; }

void mca_common_monitoring_record_pml(int world_rank, size_t bytes, int tag) {
  (void)tag;
  if (recording) traffic_sent(world_rank, bytes);
}
