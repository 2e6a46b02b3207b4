/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_TOPOLOGY_H
#define HSI_EXEC_MACHINE_TOPOLOGY_H

#include <stddef.h>
#include <sys/types.h>

#include <hybridsched/backend.h>

/* The cores that this process may use, one hardware thread of each first (hwloc,
 * or the affinity mask alone without it). */
typedef struct hsi_topology hsi_topology;

/* `devices`: and where on the PCI bus devices are. */
hs_status hsi_topology_open(hsi_topology **out, int devices, char why[HS_WHY]);
void      hsi_topology_close(hsi_topology *topology);

/* How many cores (not hardware threads) there are to bind to, and how many threads. */
unsigned hsi_topology_cores(const hsi_topology *topology);
unsigned hsi_topology_threads(const hsi_topology *topology);

/* The OS number of the index-th: cores first, then their further hardware threads. */
int hsi_topology_cpu(const hsi_topology *topology, unsigned index);

/* Is it one of those nearest to a device? 0 too if that is not known. */
int hsi_topology_is_near(const hsi_topology *topology, const char *pci, int os_cpu);

/* The processors nearest to a device, such as 0-7,16-23; empty if they are not known. */
void hsi_topology_near(const hsi_topology *topology, const char *pci, char *text, size_t size);

/* Bind a thread (0: the calling one) to cores. HS_ERESOURCE: errno says why not. */
hs_status hsi_bind(pid_t thread, const int *os_cpu, unsigned count);

#endif
