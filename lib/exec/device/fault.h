/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DEVICE_FAULT_H
#define HSI_EXEC_DEVICE_FAULT_H

/* How modules for devices keep faults. */
#include <stdbool.h>
#include <stdio.h>

#include <hybridsched/device.h>

/* Return whether the device is lost or hung, so that calls fail without being made. */
static inline bool hsi_device_is_lost(const hs_device *device)
{
    return device->fault.kind >= HS_FAULT_LOST;
}

/* Keep the first fault, or the loss of the device instead of missing memory. */
static inline void hsi_device_keep_fault(hs_device *device, const hs_fault *fault)
{
    if (fault->kind > HS_FAULT_MEMORY ? !hsi_device_is_lost(device)
                                      : device->fault.kind == HS_FAULT_NONE)
        device->fault = *fault;
}

/* Keep a fault of a call. */
static inline void hsi_device_note_fault(hs_device *device, hs_fault_kind kind, const char *call,
                                         const char *text)
{
    hs_fault fault = {.kind = kind};

    snprintf(fault.text, sizeof fault.text, "%.60s failed: %.160s", call, text);
    hsi_device_keep_fault(device, &fault);
}

#endif
