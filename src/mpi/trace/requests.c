/* The end of operations that have a request. */

#include <stdlib.h>

#include "wrappers.h"

/* A call makes MPI_REQUEST_NULL of requests that are over, and says only in statuses what was received: requests as
 * they were, and statuses of our own if the program wants none. */
struct kept {
  MPI_Request* requests;
  MPI_Status* own;
};

static struct kept keep(int count, const MPI_Request requests[], int without_statuses) {
  const size_t places = (size_t)(count > 0 ? count : 1);
  struct kept kept = {malloc(places * sizeof *kept.requests), NULL};
  if (without_statuses) kept.own = malloc(places * sizeof *kept.own);
  if (kept.requests == NULL || (without_statuses && kept.own == NULL)) abort();
  for (int i = 0; i < count; ++i) kept.requests[i] = requests[i];
  return kept;
}

#define ONE                         \
  const MPI_Request was = *request; \
  MPI_Status unused;                \
  status = status == MPI_STATUS_IGNORE ? &unused : status

EACH(Wait, (MPI_Request * request, MPI_Status* status), (request, status), ONE, trace_end_operation(was, status))
EACH(Test, (MPI_Request * request, int* over, MPI_Status* status), (request, over, status), ONE,
     if (*over) trace_end_operation(was, status);
     else trace_test_operation(was))
EACH(Request_get_status, (MPI_Request request, int* over, MPI_Status* status), (request, over, status), ,
     if (!*over) trace_test_operation(request))
EACH(Request_free, (MPI_Request * request), (request), const MPI_Request was = *request, trace_forget(was))

#define SEVERAL(name, parameters, arguments, after)                                                                  \
  EACH(name, parameters, arguments, const struct kept kept = keep(count, requests, statuses == MPI_STATUSES_IGNORE); \
       statuses = kept.own != NULL ? kept.own : statuses, after; free(kept.requests); free(kept.own))
#define ONE_OF_SEVERAL(name, parameters, arguments, found)                                                \
  EACH(name, parameters, arguments, const struct kept kept = keep(count, requests, 0); MPI_Status unused; \
       status = status == MPI_STATUS_IGNORE ? &unused : status,                                           \
       if (found && *index != MPI_UNDEFINED) trace_end_operation(kept.requests[*index], status);          \
       if (!(found)) TEST_ALL; free(kept.requests))

#define END_ALL \
  for (int i = 0; i < count; ++i) trace_end_operation(kept.requests[i], &statuses[i])
#define TEST_ALL \
  for (int i = 0; i < count; ++i) trace_test_operation(kept.requests[i])
#define END_SOME \
  for (int i = 0; i < *over && *over != MPI_UNDEFINED; ++i) trace_end_operation(kept.requests[indices[i]], &statuses[i])
SEVERAL(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]), (count, requests, statuses), END_ALL)
SEVERAL(Testall, (int count, MPI_Request requests[], int* over, MPI_Status statuses[]),
        (count, requests, over, statuses), if (*over) END_ALL;
        else TEST_ALL)
ONE_OF_SEVERAL(Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status),
               (count, requests, index, status), 1)
ONE_OF_SEVERAL(Testany, (int count, MPI_Request requests[], int* index, int* over, MPI_Status* status),
               (count, requests, index, over, status), *over)
SEVERAL(Waitsome, (int count, MPI_Request requests[], int* over, int indices[], MPI_Status statuses[]),
        (count, requests, over, indices, statuses), END_SOME)
SEVERAL(Testsome, (int count, MPI_Request requests[], int* over, int indices[], MPI_Status statuses[]),
        (count, requests, over, indices, statuses), END_SOME;
        if (*over == 0) TEST_ALL)
