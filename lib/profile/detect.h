/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PROFILE_DETECT_H
#define HSI_PROFILE_DETECT_H

#include <hybridsched/profile.h>

/*
 * Find the name of the CPU model in a file like /proc/cpuinfo: the model name, else architecture
 * and part number, else the architecture. `architecture` is e.g. "aarch64".
 */
void hsi_detect_cpu_model(const char *path, const char *architecture,
                          char model[HS_MAX_PROCESSOR_MODEL]);

#endif
