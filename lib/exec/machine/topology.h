/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_TOPOLOGY_H
#define HSI_EXEC_MACHINE_TOPOLOGY_H

#include <hybridsched/backend.h>

/* The cores that this process may use, one hardware thread of each first (hwloc,
 * or the affinity mask alone without it). */
typedef struct hsi_topology hsi_topology;

hs_status hsi_topology_open(hsi_topology **out, char why[HS_WHY]);
void      hsi_topology_close(hsi_topology *topology);

/* How many cores (not hardware threads) there are to bind to, and how many threads. */
unsigned hsi_topology_cores(const hsi_topology *topology);
unsigned hsi_topology_threads(const hsi_topology *topology);

/* The OS number of the index-th: cores first, then their further hardware threads. */
int hsi_topology_cpu(const hsi_topology *topology, unsigned index);

/* Bind the calling thread. */
hs_status hsi_topology_bind(const hsi_topology *topology, int os_cpu);

#endif
