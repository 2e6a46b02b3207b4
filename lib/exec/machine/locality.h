/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_LOCALITY_H
#define HSI_EXEC_MACHINE_LOCALITY_H

#include <stddef.h>

/* Which cores are nearest to a device on the PCI bus, as far as hwloc knows. */
typedef struct hsi_locality hsi_locality;

hsi_locality *hsi_locality_open(void); /* NULL: nothing is known */
void          hsi_locality_close(hsi_locality *locality);

/* 0 too if the device, or the locality itself (NULL), is not known. */
int hsi_locality_is_near(const hsi_locality *locality, const char *pci, int os_cpu);

/* The processors, such as 0-7,16-23; empty if they are not known. */
void hsi_locality_text(const hsi_locality *locality, const char *pci, char *text, size_t size);

#endif
