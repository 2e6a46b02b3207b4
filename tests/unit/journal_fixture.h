/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_JOURNAL_FIXTURE_H
#define TESTS_JOURNAL_FIXTURE_H

/* One journal at a time, of an instance with awkward names, in a folder of its own. */

#include <pthread.h>
#include <stdatomic.h>

#include <hybridsched/hybridsched.h>

#include "exec/journal/text.h"

#include "failing_memory.h"
#include "journal_faults.h"
#include "suite.h"

enum { TASKS = 48 };

extern hs_instance *in;
extern char         folder[], file[64], why[HS_WHY];
extern uint64_t     lost; /* by the journal that was closed last */
extern long         memory_left; /* what open_journal() may allocate before it fails; -1: all */
extern atomic_uint  recorded;    /* by the thread of record_behind_the_gate() */

/* Nothing fails. */
void all_well(void);

hs_instance *make(unsigned cpus, double time);
void         set_up(void);
void         tear_down(void);

/* A test case, before and after each test of which these two are called. */
TCase *add_case(Suite *s, const char *name);

typedef struct bytes {
    char  *at;
    size_t size;
} bytes;

bytes slurp(void);
void  spit(const char *at, size_t size);
int   exists(void);

/* Where the line begins that holds the byte `at`. */
size_t line_of(const bytes *all, size_t at);

/* How many records end before `end`. */
size_t records_before(const bytes *all, size_t end);

extern hsi_journal_past past; /* by the last of these */

hs_status    open_journal(int resume, unsigned char *done, uint64_t *count, hsi_journal **out);
hs_status    look(int resume, unsigned char *done, uint64_t *count);
hs_status    read_journal(const char *text, size_t size, unsigned char *done,
                          hsi_journal_found *found);
hsi_journal *opened(int resume, unsigned char *done, uint64_t *count);

/* Which task is the n-th to be done: any order but theirs. */
uint32_t nth(size_t n);

hs_status record(hsi_journal *j, uint32_t task);
hs_status record_end(hsi_journal *j, uint32_t task, hs_outcome outcome, int status);
void      record_some(hsi_journal *j, size_t from, size_t to);
void      shut(hsi_journal *j);

/* A journal of three runs; the tasks from `known` on are not done. `closed`: in the end, too. */
bytes three_runs(size_t known, int closed);

/* The first `count` that were recorded, and no other. */
void assert_done(const unsigned char *done, size_t count);

/* A thread that records more than may be behind the disk, which hangs; has done what it can. */
void record_behind_the_gate(hsi_journal *j, pthread_t *thread);

#endif
