/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixture of emulated devices. */
#include <stdio.h>

#include "exec/device/emulated/emulated.h"
#include "fixture.h"

static const hs_device_ops *module(const char **why)
{
    (void)why;
    return &hsi_device_emulated;
}

static const char *start(unsigned devices, const planned_fault *fault)
{
    static char              text[160];
    static const char *const words[] = {"lost", "memory", "hang"};

    snprintf(text, sizeof text,
             "devices=%u,memory=200e6,chunk=100e6,fail-call=%u,fail-operation=%u,fault=%s", devices,
             fault ? fault->call : 0, fault ? fault->operation : 0, words[fault ? fault->kind : 0]);
    return text;
}

static const char *start_without(void)
{
    return "devices=0";
}

const device_fixture fixture = {
    .name = "emulated devices",
    .required = true,
    .module = module,
    .start = start,
    .start_without = start_without,
    .hold = hsi_emulated_hold,
    .let_go = hsi_emulated_continue,
    .faults = true,
    .hangs = true,
};
