#pragma once
/// \file
/// In the engine PMPI_Bcast … are the MPI's own functions, whatever library was loaded before the MPI: those of the
/// plug-in have the same names. The compiler includes this file before all others.

#include "interposed_calls.h"

#ifdef __cplusplus
extern "C" {
#endif
/// Filled when the engine starts.
extern struct ayatori_mpi_calls ayatori_own_calls;
#ifdef __cplusplus
}
#endif

#define PMPI_Ibarrier ayatori_own_calls.Ibarrier
#define PMPI_Ibcast ayatori_own_calls.Ibcast
#define PMPI_Ireduce ayatori_own_calls.Ireduce
#define PMPI_Iallreduce ayatori_own_calls.Iallreduce
#define PMPI_Ireduce_scatter_block ayatori_own_calls.Ireduce_scatter_block
#define PMPI_Ireduce_scatter ayatori_own_calls.Ireduce_scatter
#define PMPI_Iallgather ayatori_own_calls.Iallgather
#define PMPI_Iallgatherv ayatori_own_calls.Iallgatherv
#define PMPI_Igather ayatori_own_calls.Igather
#define PMPI_Igatherv ayatori_own_calls.Igatherv
#define PMPI_Iscatter ayatori_own_calls.Iscatter
#define PMPI_Iscatterv ayatori_own_calls.Iscatterv
#define PMPI_Ialltoall ayatori_own_calls.Ialltoall
#define PMPI_Ialltoallv ayatori_own_calls.Ialltoallv
#define PMPI_Comm_idup ayatori_own_calls.Comm_idup
#define PMPI_Comm_dup ayatori_own_calls.Comm_dup
#define PMPI_Comm_split ayatori_own_calls.Comm_split
#define PMPI_Comm_create ayatori_own_calls.Comm_create
#define PMPI_Cart_create ayatori_own_calls.Cart_create
#define PMPI_Barrier ayatori_own_calls.Barrier
#define PMPI_Bcast ayatori_own_calls.Bcast
#define PMPI_Reduce ayatori_own_calls.Reduce
#define PMPI_Allreduce ayatori_own_calls.Allreduce
#define PMPI_Reduce_scatter_block ayatori_own_calls.Reduce_scatter_block
#define PMPI_Reduce_scatter ayatori_own_calls.Reduce_scatter
#define PMPI_Allgather ayatori_own_calls.Allgather
#define PMPI_Allgatherv ayatori_own_calls.Allgatherv
#define PMPI_Gather ayatori_own_calls.Gather
#define PMPI_Gatherv ayatori_own_calls.Gatherv
#define PMPI_Scatter ayatori_own_calls.Scatter
#define PMPI_Scatterv ayatori_own_calls.Scatterv
#define PMPI_Alltoall ayatori_own_calls.Alltoall
#define PMPI_Alltoallv ayatori_own_calls.Alltoallv
#define PMPI_Isend ayatori_own_calls.Isend
#define PMPI_Issend ayatori_own_calls.Issend
#define PMPI_Irsend ayatori_own_calls.Irsend
#define PMPI_Irecv ayatori_own_calls.Irecv
#define PMPI_Imrecv ayatori_own_calls.Imrecv
#define PMPI_Start ayatori_own_calls.Start
#define PMPI_Iscan ayatori_own_calls.Iscan
#define PMPI_Iexscan ayatori_own_calls.Iexscan
#define PMPI_Ialltoallw ayatori_own_calls.Ialltoallw
#define PMPI_Ineighbor_allgather ayatori_own_calls.Ineighbor_allgather
#define PMPI_Ineighbor_allgatherv ayatori_own_calls.Ineighbor_allgatherv
#define PMPI_Ineighbor_alltoall ayatori_own_calls.Ineighbor_alltoall
#define PMPI_Ineighbor_alltoallv ayatori_own_calls.Ineighbor_alltoallv
#define PMPI_Ineighbor_alltoallw ayatori_own_calls.Ineighbor_alltoallw
#define PMPI_Startall ayatori_own_calls.Startall
#define PMPI_Wait ayatori_own_calls.Wait
#define PMPI_Waitany ayatori_own_calls.Waitany
#define PMPI_Waitsome ayatori_own_calls.Waitsome
#define PMPI_Waitall ayatori_own_calls.Waitall
#define PMPI_Test ayatori_own_calls.Test
#define PMPI_Testany ayatori_own_calls.Testany
#define PMPI_Testsome ayatori_own_calls.Testsome
#define PMPI_Testall ayatori_own_calls.Testall
#define PMPI_Request_free ayatori_own_calls.Request_free
#define PMPI_Comm_rank ayatori_own_calls.Comm_rank
#define PMPI_Comm_size ayatori_own_calls.Comm_size
#define PMPI_Get_count ayatori_own_calls.Get_count
#define PMPI_Finalize ayatori_own_calls.Finalize
