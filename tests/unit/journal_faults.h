/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_JOURNAL_FAULTS_H
#define TESTS_JOURNAL_FAULTS_H

#include <stdatomic.h>

/*
 * A simulated disk that fails or hangs on request. The linker redirects the journal's system calls
 * to journal_faults.c; thread and index creation fails as allocations do, see failing_memory.h.
 */
typedef struct faulty_disk {
    atomic_long writes_left, syncs_left; /* number of calls until failures start; negative: no
                                            failures */
    atomic_int fault;                    /* errno of failing calls */
    atomic_int drip;                     /* whether writes are short, and every second write is
                                            interrupted */
    atomic_int syncs, gate_closed;       /* number of syncs; whether syncs hang */
    atomic_int clean_writes;             /* whether the first failing write takes no byte; else
                                            half of its bytes */
    atomic_long safe;                    /* size of the file at the start of the last good sync */
    atomic_int  false_claims;            /* number of written lines that claim more than `safe`
                                            bytes on disk */
} faulty_disk;

extern faulty_disk disk;

/* Reset the disk: no call fails or hangs. */
void disk_reset(void);

#endif
