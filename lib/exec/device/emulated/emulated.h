/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DEVICE_EMULATED_H
#define HSI_EXEC_DEVICE_EMULATED_H

#include <stdbool.h>

#include <hybridsched/device.h>

/*
 * Emulated devices: memory of the host, a thread for each stream, and operations by OpenBLAS and
 * LAPACKE. They take the time that the settings say, and fail on request. Texts of settings are
 * like "devices=2,bandwidth=1e9,launch=1e-6".
 */
extern const hs_device_ops hsi_device_emulated;

/* Effect of a planned fault on its call or operation. */
typedef enum hsi_emulated_fault {
    HSI_EMULATED_LOST,
    HSI_EMULATED_MEMORY, /* calls only */
    HSI_EMULATED_WRONG,  /* operations and copies: the first number of the result is wrong */
    HSI_EMULATED_HANG    /* operations only: the operation never ends */
} hsi_emulated_fault;

typedef struct hsi_emulated_settings {
    double devices;
    double bandwidth;      /* bytes per second of a copy; 0: unlimited */
    double launch;         /* seconds before each copy, operation or call of a function */
    double speed;          /* flops per second of an operation; 0: unlimited */
    double memory, chunk;  /* bytes of a device, and of its largest buffer */
    double operations;     /* bits of operations: 1 gemm, 2 syrk, 4 trsm, ...; 0: every operation */
    double manual;         /* 1: streams are held from the start */
    double fail_call;      /* number of the failing call, from 1; 0: none */
    double
        fail_operation; /* number of the failing copy, operation or call of a function; 0: none */
    hsi_emulated_fault fault;
} hsi_emulated_settings;

/* Read settings. HS_EINVAL: a setting is unknown or out of range, and the error names it. */
hs_status hsi_emulated_read_settings(const char *text, hsi_emulated_settings *out, hs_error *error);

/* Hold a stream: after the item that runs, it executes no further item. Continue a stream. */
void hsi_emulated_hold(hs_stream *stream);
void hsi_emulated_continue(hs_stream *stream);

/* Let a held stream execute its next item, a copy, operation, record or wait, and return after its
 * end: 1. Return 0 if there is none, or if it is a wait for a step that is not reached. */
int hsi_emulated_step(hs_stream *stream);

/* Return the number of calls so far that can fail. Repeated queries count once. */
unsigned hsi_emulated_calls(const hs_device *device);

#endif
