/*
 * nwtopo: coordinates in a mesh or torus (A.1.5). The conventions of nwtopo.h hold.
 *
 * Coordinates are arrays of num_dimensions numbers, from 0 on. Shifts are arrays of the same length, of either sign.
 * `grid` is a grid object of the topology. For a subset made with REUSE_OBJECTS the base's grid object is valid, too: the
 * topology argument selects the grid. An object argument is a child of the grid, or an object below one, which stands for
 * that child: a machine under a router of a torus of switches. No function allocates once the objects exist.
 */
#ifndef NWTOPO_GRID_H
#define NWTOPO_GRID_H

#include "../nwtopo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the object at a point.
 *     coords  of the point
 *     objp    receives the object; NULL on failure
 * Returns 0, or -1 with EINVAL if a coordinate is negative or not below its dimension, ENOENT if a sparse grid has no
 * object there. */
int nwtopo_grid_get_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, int *coords, nwtopo_obj_t *objp);

/* Finds the object that lies `shifts` away from another, around the edge in periodic dimensions.
 *     base    where to start
 *     shifts  one for each dimension
 *     objp    receives the object; NULL on failure
 * Returns 0, or -1 with EINVAL if `base` is not under the grid, ENOENT beyond the edge of a mesh or in a hole of a sparse
 * grid. */
int nwtopo_grid_get_shifted_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t base, int *shifts,
                                nwtopo_obj_t *objp);

/* Finds the object that lies `shift` away from another along one dimension.
 *     direction  the dimension, from 0
 * Otherwise as nwtopo_grid_get_shifted_obj(); EINVAL also if there is no such dimension. */
int nwtopo_grid_get_neighbor_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t base, unsigned direction,
                                 int shift, nwtopo_obj_t *objp);

/* Writes the coordinates of an object.
 *     coords  receives num_dimensions numbers
 * Returns 0, or -1 with EINVAL if it is not under the grid. */
int nwtopo_grid_get_coords(nwtopo_topology_t topology, nwtopo_obj_t grid, nwtopo_obj_t obj, int *coords);

/* Writes the lengths of a grid in this topology. The grid's attributes have the same lengths, with one exception: if
 * `grid` is `parents[0]` of a machine that a subset shares with its base, they have the base's.
 *     dimensions  receives num_dimensions numbers
 * Returns 0 or -1. */
int nwtopo_grid_get_dimensions(nwtopo_topology_t topology, nwtopo_obj_t grid, int *dimensions);

#ifdef __cplusplus
}
#endif

#endif
