/*
 * nwtopo: links, ports and NICs, which the paper leaves for later (section 7). The conventions of nwtopo.h hold.
 *
 * A link is one direction of a cable: it leaves an object through a port. The opposite direction is a link of the object
 * at the other end. There may be several links between two objects (parallel cables, several planes). Machines with a
 * built-in router, as in a torus, have the router's links. Virtual objects have none.
 */
#ifndef NWTOPO_LINKS_H
#define NWTOPO_LINKS_H

#include "../nwtopo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NWTOPO_LINK_UP,
    NWTOPO_LINK_TAKEN_OUT /* named by nwtopo_topology_set_faults(): shown, but no query goes over it */
} nwtopo_link_state_t;

/* Instead of a NIC's index: this end of the link is a router, possibly one that is built into a machine. */
#define NWTOPO_NO_NIC (~0u)

struct nwtopo_link {
    nwtopo_obj_t from;
    nwtopo_obj_t to;    /* NULL with NO_MACHINES if it is a machine. In a route, `from` and `to` are also NULL for machines
                           outside of the subset whose built-in routers forward */
    unsigned from_port; /* as printed on the device; 0 if not known */
    unsigned to_port;
    unsigned plane;     /* which network: an index for nwtopo_topology_get_plane_name() */
    unsigned width;     /* lanes; 0 if not known */
    double bandwidth;   /* payload of one direction, bytes per second; 0 if not known */
    double lane_speed;  /* bandwidth / width, bytes per second; 0 if the width is not known */
    double latency;     /* seconds, including the device at the far end; 0 if not known */
    nwtopo_link_state_t state;
    bool degraded;           /* slower than most links of its kind */
    unsigned from_nic;       /* the NIC of machine `from` that the port is on, from 0; NWTOPO_NO_NIC at a router */
    unsigned to_nic;         /* likewise at `to` */
    unsigned rail;           /* of the NIC at the machine's end (at `from`'s, if both are machines); 0 between routers */
    const char *from_device; /* name of that NIC, such as "mlx5_0" or "HCA-1"; NULL if not known, and at a router */
    const char *to_device;
    uint64_t from_guid;      /* of the NIC or router (its node GUID); 0 if not known */
    uint64_t to_guid;
    void *reserved[2];       /* NULL */
};

/* Returns the number of links that leave an object; -1 on error. */
long nwtopo_obj_get_num_links(nwtopo_topology_t topology, nwtopo_obj_t obj);

/* Writes the index-th link (from 0) of an object, by plane, NIC and port number, to *link.
 * Returns 0, or -1 with ENOENT for an index beyond the last. */
int nwtopo_obj_get_link(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned long index, struct nwtopo_link *link);

/* A network adapter of a machine. */
struct nwtopo_nic {
    nwtopo_obj_t machine; /* NULL with NO_MACHINES */
    unsigned index;       /* among the machine's NICs, from 0, by plane and rail */
    unsigned rail;        /* which of a cluster's parallel networks, or of the machine's adapters on one network */
    unsigned plane;       /* an index for nwtopo_topology_get_plane_name() */
    unsigned num_links;   /* ports with a cable */
    uint64_t guid;        /* 0 if not known */
    const char *device;   /* "mlx5_0", "HCA-1"; NULL if not known */
    void *reserved[2];    /* NULL */
};

/* Writes the index-th NIC (from 0, below attr->machine.num_nics) of a machine to *nic. A machine with a built-in router has
 * one NIC, without links of its own.
 * Returns 0, or -1 with EINVAL for an object that is not a machine, ENOENT for an index beyond the last. */
int nwtopo_obj_get_nic(nwtopo_topology_t topology, nwtopo_obj_t machine, unsigned index, struct nwtopo_nic *nic);

/* Finds a NIC by its GUID (in host byte order, as 0x1070fd0300abcdef) and writes it to *nic. Takes time proportional to
 * the number of NICs.
 * Returns 0, or -1 with ENOENT if no machine has it, EINVAL for GUID 0. */
int nwtopo_topology_get_nic_by_guid(nwtopo_topology_t topology, uint64_t guid, struct nwtopo_nic *nic);

/* Returns the router with a GUID, or the machine with a NIC that has it. Errors: ENOENT if there is none, EINVAL for GUID
 * 0. */
nwtopo_obj_t nwtopo_topology_get_object_by_guid(nwtopo_topology_t topology, uint64_t guid);

/* Returns the number of planes; 0 (and errno EINVAL) if the topology is not loaded. */
unsigned nwtopo_topology_get_num_planes(nwtopo_topology_t topology);

/* Returns the name of a plane (from 0): "infiniband", "ethernet", ... Errors: ENOENT beyond the last. */
const char *nwtopo_topology_get_plane_name(nwtopo_topology_t topology, unsigned plane);

/* Before loading: sets the faults of the network.
 *     faults  separated by commas or new lines:
 *                 NAME              a router or machine with all of its links
 *                 NAME:PORT         the cable in a port, both directions; of a machine with several NICs: of its first
 *                                   NIC with a cable in a port of that number
 *                 NAME:DEVICE       a NIC of a machine with all of its links, by its device name: "gpu-1:mlx5_1"
 *                 NAME:DEVICE:PORT  the cable in a port of that NIC
 *             NULL: nothing. The string is copied, and checked at load or shrink (EINVAL for what the network does not
 *             have).
 * Returns 0 or -1. */
int nwtopo_topology_set_faults(nwtopo_topology_t topology, const char *faults);

#ifdef __cplusplus
}
#endif

#endif
