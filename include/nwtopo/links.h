/*
 * nwtopo: links and ports, which the paper leaves for later (section 7). Part of nwtopo.h; its conventions hold.
 *
 * A link is the directed way out of a port; the way back is a link of the object at its other end. Two objects may have
 * several (parallel cables, several planes). Machines whose router is built in, as in a torus, have the router's links.
 * Virtual objects have none.
 */
#ifndef NWTOPO_LINKS_H
#define NWTOPO_LINKS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NWTOPO_LINK_UP,
    NWTOPO_LINK_TAKEN_OUT /* named by nwtopo_topology_set_faults(): shown, but no query goes over it */
} nwtopo_link_state_t;

struct nwtopo_link {
    nwtopo_obj_t from;
    nwtopo_obj_t to;     /* NULL with NO_MACHINES if it is a machine; so is `from` in a route */
    unsigned from_port; /* as printed on the device; 0 if not known */
    unsigned to_port;
    unsigned plane;      /* which network: an index for nwtopo_topology_get_plane_name() */
    unsigned width;      /* lanes; 0 if the network knows none */
    double bandwidth;    /* payload of one direction, bytes a second; 0 if not known */
    double lane_speed;   /* bandwidth / width; 0 if the network knows no lanes */
    double latency;      /* seconds, with the device at the far end; 0 if not known */
    nwtopo_link_state_t state;
    bool degraded;       /* slower than most links of its kind */
    void *reserved[2];   /* NULL */
};

/* Number of links that leave the object; -1 on error. */
long nwtopo_obj_get_num_links(nwtopo_topology_t topology, nwtopo_obj_t obj);

/* The index-th link, by plane and port number. ENOENT beyond the last. */
int nwtopo_obj_get_link(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned long index, struct nwtopo_link *link);

/* Planes are numbered from 0: "infiniband", "ethernet", ... NULL and ENOENT beyond the last. */
unsigned nwtopo_topology_get_num_planes(nwtopo_topology_t topology);
const char *nwtopo_topology_get_plane_name(nwtopo_topology_t topology, unsigned plane);

/* Before loading: what is out of order, as data. Names of routers or machines, which lose all of their links, or NAME:PORT
 * for one cable (both directions), separated by commas or new lines: "LS1:8,RS2". NULL: nothing. The string is copied,
 * and checked at load (EINVAL for what the network does not have). */
int nwtopo_topology_set_faults(nwtopo_topology_t topology, const char *faults);

#ifdef __cplusplus
}
#endif

#endif
