/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/machine/locality.h"

#include <stdlib.h>
#ifdef HAVE_HWLOC
#include <hwloc.h>

struct hsi_locality {
    hwloc_topology_t machine;
};

/* PCI says where a GPU is; what the drivers' libraries add costs time, and memory for good. */
static void leave_out_drivers(hwloc_topology_t machine)
{
    static const char *const drivers[] = {"opencl", "gl", "cuda", "nvml", "rsmi", "levelzero"};

    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        hwloc_topology_set_components(machine, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                      drivers[i]);
}

hsi_locality *hsi_locality_open(void)
{
    hsi_locality *locality = malloc(sizeof *locality);

    if (!locality || hwloc_topology_init(&locality->machine)) {
        free(locality);
        return NULL;
    }
    hwloc_topology_set_io_types_filter(locality->machine, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    leave_out_drivers(locality->machine);
    if (hwloc_topology_load(locality->machine) == 0)
        return locality;
    hsi_locality_close(locality);
    return NULL;
}

void hsi_locality_close(hsi_locality *locality)
{
    if (!locality)
        return;
    hwloc_topology_destroy(locality->machine);
    free(locality);
}

static hwloc_const_bitmap_t near_device(const hsi_locality *locality, const char *pci)
{
    hwloc_obj_t device, place;

    if (!locality)
        return NULL;
    device = hwloc_get_pcidev_by_busidstring(locality->machine, pci);
    place = device ? hwloc_get_non_io_ancestor_obj(locality->machine, device) : NULL;
    return place ? place->cpuset : NULL;
}

int hsi_locality_is_near(const hsi_locality *locality, const char *pci, int os_cpu)
{
    hwloc_const_bitmap_t set = near_device(locality, pci);

    return set && os_cpu >= 0 && hwloc_bitmap_isset(set, (unsigned)os_cpu);
}

void hsi_locality_text(const hsi_locality *locality, const char *pci, char *text, size_t size)
{
    hwloc_const_bitmap_t set = near_device(locality, pci);

    text[0] = '\0';
    if (set)
        hwloc_bitmap_list_snprintf(text, size, set);
}
#else
hsi_locality *hsi_locality_open(void)
{
    return NULL;
}

void hsi_locality_close(hsi_locality *locality)
{
    (void)locality;
}

int hsi_locality_is_near(const hsi_locality *locality, const char *pci, int os_cpu)
{
    (void)locality;
    (void)pci;
    (void)os_cpu;
    return 0;
}

void hsi_locality_text(const hsi_locality *locality, const char *pci, char *text, size_t size)
{
    (void)locality;
    (void)pci;
    if (size)
        text[0] = '\0';
}
#endif
