/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_JOURNAL_FAULTS_H
#define TESTS_JOURNAL_FAULTS_H

#include <stdatomic.h>

/*
 * A disk that fails and hangs when it is told to. The linker sends what the journal asks of
 * the system here; threads and indices fail as allocations do, see failing_memory.h.
 */
typedef struct faulty_disk {
    atomic_long writes_left, syncs_left; /* until they fail, from then on; negative: none does */
    atomic_int  fault;                   /* errno of what fails */
    atomic_int  drip;                    /* each write takes a few bytes, each second none */
    atomic_int  syncs, gate_closed;      /* how many there were; they wait while it is closed */
    atomic_int  clean_writes;            /* a write that fails takes nothing */
    atomic_long safe;                    /* bytes of the file when the last good sync began */
    atomic_int  false_claims;            /* lines that claim more than `safe` bytes on disk */
} faulty_disk;

extern faulty_disk disk;

/* Nothing fails or hangs. */
void disk_is_well(void);

#endif
