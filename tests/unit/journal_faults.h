/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_JOURNAL_FAULTS_H
#define TESTS_JOURNAL_FAULTS_H

#include <stdatomic.h>

/*
 * A simulated disk that fails or hangs on request. The linker redirects the journal's system calls
 * to journal_faults.c; thread and index creation fails as allocations do, see failing_memory.h.
 */
typedef struct faulty_disk {
    atomic_long writes_left, syncs_left; /* calls until failures start; negative: no failures */
    atomic_int  fault;                   /* errno of failing calls */
    atomic_int  drip;                    /* 1: short writes, every second write interrupted */
    atomic_int  syncs, gate_closed;      /* number of syncs; 1: syncs hang until 0 */
    atomic_int  clean_writes;            /* 0: the first failing write takes half of its bytes */
    atomic_long safe;                    /* size of the file at the start of the last good sync */
    atomic_int  false_claims;            /* written lines claiming more than `safe` bytes on disk */
} faulty_disk;

extern faulty_disk disk;

/* Reset the disk: no call fails or hangs. */
void disk_is_well(void);

#endif
