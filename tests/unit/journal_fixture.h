/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_JOURNAL_FIXTURE_H
#define TESTS_JOURNAL_FIXTURE_H

/* Fixture of the journal tests: a temporary folder with one journal, for an instance with awkward
 * task names. */

#include <pthread.h>
#include <stdatomic.h>

#include <hybridsched/hybridsched.h>

#include "exec/journal/text.h"

#include "failing_memory.h"
#include "journal_faults.h"
#include "suite.h"

enum { TASKS = 48 };

extern hs_instance *in;
extern char         folder[], file[64];
extern hs_error     fault; /* error of the last failed call */
extern uint64_t     lost;  /* status of the last hsi_journal_close(), which tells of lost records */
extern long         memory_left; /* allocations by open_journal() before one fails; -1: no limit */
extern atomic_uint  recorded;    /* attempts recorded by the thread of record_in_blocked_thread() */

/* Stop all injected failures of memory and disk. */
void all_well(void);

hs_instance *make(unsigned cpus, double time);
void         set_up(void);
void         tear_down(void);

/* Add a test case to the suite, with set_up() and tear_down() around each test. */
TCase *add_case(Suite *s, const char *name);

typedef struct bytes {
    char  *at;
    size_t size;
} bytes;

/* Read, replace or look for the journal file. The caller frees the bytes. */
bytes slurp(void);
void  spit(const char *at, size_t size);
bool  exists(void);

/* Return the offset of the line with the byte `at`. */
size_t line_of(const bytes *all, size_t at);

/* Return the number of `done` lines that are complete before the offset `end`. */
size_t records_before(const bytes *all, size_t end);

extern hsi_journal_past past; /* summary that the last call of a function below has filled in */

hs_status    open_journal(int resume, unsigned char *done, uint64_t *count, hsi_journal **out);
hs_status    look(bool resume, unsigned char *done, uint64_t *count);
hs_status    read_journal(const char *text, size_t size, unsigned char *done,
                          hsi_journal_found *found);
hsi_journal *opened(int resume, unsigned char *done, uint64_t *count);

/* Return the task of the n-th record; the order differs from the order of task numbers. */
uint32_t nth(size_t n);

hs_status record(hsi_journal *j, uint32_t task);
hs_status record_end(hsi_journal *j, uint32_t task, hs_outcome outcome, int status);
void      record_some(hsi_journal *j, size_t from, size_t to);
void      shut(hsi_journal *j);

/* Return a journal of three runs that record the tasks nth(0) to nth(known - 1) as done. If
 * `closed` is 0, the last line, "closed", is cut off. */
bytes journal_of_three_runs(size_t known, int closed);

/* Assert that exactly the tasks nth(0) to nth(count - 1) are done. */
void assert_done(const unsigned char *done, size_t count);

/* Make the disk hang, and start a thread that records more than HSI_JOURNAL_LAG attempts. Return
 * once HSI_JOURNAL_LAG of them are recorded. */
void record_in_blocked_thread(hsi_journal *j, pthread_t *thread);

#endif
