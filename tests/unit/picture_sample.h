/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PICTURE_SAMPLE_H
#define TESTS_PICTURE_SAMPLE_H

/* Schedules to draw, and the text of their pictures. */

#include <stddef.h>

#include <hybridsched/io.h>

typedef struct plan {
    unsigned cpus, gpus;
    size_t   tasks;
    bool     odd;      /* whether names and kernels are from odd_names */
    int      abort;    /* every abort-th task is aborted first; 0: no task */
    double   unit_time; /* scale of the times in the plan */
    double   gap;       /* idle time before each entry, in unit_time */
    hs_unit  unit;
} plan;

/* Plans of various sizes and units, some with names that need escapes. */
static const plan plans[] = {
    {.cpus = 20, .gpus = 4, .tasks = 300, .abort = 9, .unit_time = 1},
    {.cpus = 20, .gpus = 4, .tasks = 300, .odd = true, .abort = 5, .unit_time = 0.1, .gap = 0.5,
     .unit = HS_MILLISECONDS},
    {.cpus = 1, .gpus = 0, .tasks = 1, .unit_time = 1, .unit = HS_NANOSECONDS},
    {.cpus = 0, .gpus = 1, .tasks = 1, .unit_time = 1, .abort = 1, .unit = HS_MICROSECONDS},
    {.cpus = 3, .gpus = 2, .tasks = 0, .unit_time = 1},
    {.cpus = 1, .gpus = 0, .tasks = 0, .unit_time = 1},
    {.cpus = 150, .gpus = 9, .tasks = 3000, .abort = 7, .unit_time = 1e-7},
    {.cpus = 1000, .gpus = 300, .tasks = 3000, .odd = true, .abort = 7, .unit_time = 1},
    {.cpus = 161, .gpus = 1, .tasks = 5, .abort = 2, .unit_time = 1},
    {.cpus = 4, .gpus = 1, .tasks = 50, .abort = 3, .unit_time = 1e300},
    {.cpus = 4, .gpus = 1, .tasks = 50, .abort = 3, .unit_time = 1e-307},
};

enum { PLANS = sizeof plans / sizeof *plans };

typedef struct sample {
    hs_instance *in;
    hs_schedule *s;
    size_t       runs, aborted;
} sample;

/* Return an instance and a schedule with each task on a random worker. Every p->abort-th task is
 * aborted first, on a worker chosen likewise. */
sample make_sample(const plan *p);
void   free_sample(sample *made);

typedef hs_status (*writer)(int fd, const hs_instance *in, const hs_schedule *s,
                            const hs_picture *picture, hs_error *error);

/* Return the text of a picture, terminated by NUL; the caller frees it. */
char *write_text(writer write_picture, const sample *made, const hs_picture *picture,
                 size_t *length);

/* Return the number of occurrences of a word in a text. */
size_t occurrences(const char *text, const char *word);

#endif
