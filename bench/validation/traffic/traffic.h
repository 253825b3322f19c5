#pragma once
/// \file
/// Who sends how much to whom inside of an MPI library's collectives. One file for each MPI library sees its messages
/// where they leave the library's collectives (traffic_openmpi.c, traffic_ucx.c); traffic.c calls the collectives.

#include <stddef.h>

/// Called after MPI_Init by every rank, before anything is recorded.
void traffic_begin(int rank, int ranks);

/// 1 if messages to `peer` are seen.
int traffic_sees(int peer);

/// From now on the messages that this process sends are handed to traffic_sent; and no longer.
void traffic_record(int on);

/// Implemented by traffic.c.
void traffic_sent(int peer, size_t bytes);
