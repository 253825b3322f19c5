/*
 * nwtopo: coordinates in a mesh or torus (A.1.5). Part of nwtopo.h; its conventions hold.
 *
 * Coordinates are arrays of num_dimensions numbers, from 0. `obj` is a child of the grid, or any object below one (a
 * machine under a router of a torus of switches), which stands for that child. No function allocates once the objects in
 * question exist. Where a grid has no object at the place that is asked for (beyond the edge of a mesh, a hole of a sparse
 * subset), functions give -1 with ENOENT and *objp = NULL.
 */
#ifndef NWTOPO_GRID_H
#define NWTOPO_GRID_H

#ifdef __cplusplus
extern "C" {
#endif

/* The object at `coords`. EINVAL if one of them is negative, or not below its dimension. */
int nwtopo_grid_get_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, int *coords, nwtopo_obj_t *objp);

/* The object that lies `shifts` away from `base`, around the edge in periodic dimensions. */
int nwtopo_grid_get_shifted_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t base, int *shifts,
                                nwtopo_obj_t *objp);

/* The same along one dimension, `direction` (from 0). EINVAL if there is no such dimension. */
int nwtopo_grid_get_neighbor_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t base, unsigned direction,
                                 int shift, nwtopo_obj_t *objp);

/* Where `obj` lies: num_dimensions numbers into `coords`. EINVAL if it is not under the grid. */
int nwtopo_grid_get_coords(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t obj, int *coords);

#ifdef __cplusplus
}
#endif

#endif
