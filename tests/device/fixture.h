/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_DEVICE_FIXTURE_H
#define TESTS_DEVICE_FIXTURE_H

#include <stdbool.h>

#include <hybridsched/device.h>

#include "suite.h"

/* Faults that a fixture lets its devices have. */
typedef struct planned_fault {
    unsigned call;      /* number of the failing call after the start, from 1; 0: none */
    unsigned operation; /* number of the failing copy or operation after the opening; 0: none */
    enum { FAULT_LOST, FAULT_MEMORY, FAULT_HANG } kind;
} planned_fault;

/* The devices under test: each program of the suite has one of these. Members may be NULL where a
 * comment says so; the points that need them are then left out. */
typedef struct device_fixture {
    const char *name;
    bool        roomy;    /* true: too much memory to fill it */
    bool        pageable; /* true: the host has no page-locked memory */
    bool        required; /* true: without a device the program fails; false: it is skipped */

    /* Return the module's table; NULL: there is none here, and *why says why. */
    const hs_device_ops *(*module)(const char **why);

    /* Start afresh, with nothing open, with one or two devices. Return the selection for list() and
     * open(). Call opened() after the last open(). */
    const char *(*start)(unsigned devices, const planned_fault *fault);
    void (*opened)(void); /* or NULL */

    /* Return a selection of no device. May be NULL. */
    const char *(*start_without)(void);

    /* Return whether the planned fault has happened, if the calls do not tell. May be NULL. */
    bool (*happened)(void);

    /* Let a stream execute nothing of what follows until let_go(). */
    void (*hold)(hs_stream *stream);
    void (*let_go)(hs_stream *stream);

    bool faults; /* true: planned faults are possible */
    bool hangs;  /* true: also FAULT_HANG */

    /* Let a later copy or operation lose the device, counted from 1 at the next one. May be NULL.
     */
    void (*fail_operation)(unsigned operation);

    /* Let later starts have devices on which events of segments are pending only once their node
     * runs. May be NULL. */
    void (*choose_late)(bool late);

    /* Let go what hangs, after the device was closed. May be NULL. */
    void (*end_hang)(void);

    /* Fail if anything is left of closed devices, or if they were misused. May be NULL. */
    void (*check_clean)(void);
} device_fixture;

extern const device_fixture fixture;

#endif
