/* Two threads of each rank call MPI. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int rank;

static void* exchange(void* tag) {
  int sent = 0, received;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, 1 - rank, *(int*)tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, 1 - rank, *(int*)tag, MPI_COMM_WORLD, &requests[1]);
  usleep(300000);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  int level, tags[2] = {0, 1};
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_create(&thread, NULL, exchange, &tags[0]);
  exchange(&tags[1]);
  pthread_join(thread, NULL);
  MPI_Finalize();
}
