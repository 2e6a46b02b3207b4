/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_TOPOLOGY_H
#define HSI_EXEC_MACHINE_TOPOLOGY_H

#include <stddef.h>
#include <sys/types.h>

#include <hybridsched/backend.h>

/* The processors that this process may use, the first hardware thread of each core first; from
 * hwloc, or from the affinity mask alone without hwloc. */
typedef struct hsi_topology hsi_topology;

/* Read the topology; `devices`: with the positions of PCI devices. The caller closes *out. */
hs_status hsi_topology_open(hsi_topology **out, bool devices, hs_error *error);
void      hsi_topology_close(hsi_topology *topology);

/* Return the number of cores, or of hardware threads, to bind to. */
unsigned hsi_topology_cores(const hsi_topology *topology);
unsigned hsi_topology_threads(const hsi_topology *topology);

/* Return the OS number of a processor: cores first, then their further hardware threads; -1: no
 * such index. */
int hsi_topology_cpu(const hsi_topology *topology, unsigned index);

/* Return true if the processor is one of the nearest to a device; 0: it is not, or that is not
 * known. */
bool hsi_topology_is_near(const hsi_topology *topology, const char *pci, int os_cpu);

/* Write the processors nearest to a device, for example 0-7,16-23; empty: not known. */
void hsi_topology_list_near(const hsi_topology *topology, const char *pci, char *text, size_t size);

/* Bind a thread (0: the calling thread) to cores. HS_ERESOURCE: errno has the reason. */
hs_status hsi_bind_thread(pid_t thread, const int *os_cpu, unsigned count);

#endif
