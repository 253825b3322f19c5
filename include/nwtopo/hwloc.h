/*
 * nwtopo and hwloc: from a core to the switch. Header only; include it after hwloc.h and link with -lnwtopo -lhwloc.
 */
#ifndef NWTOPO_HWLOC_H
#define NWTOPO_HWLOC_H

#include <hwloc.h>
#include <nwtopo.h>

#endif
