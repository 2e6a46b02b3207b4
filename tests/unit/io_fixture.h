/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HS_TEST_IO_FIXTURE_H
#define HS_TEST_IO_FIXTURE_H

/* Temporary files, random instances and random schedules for the tests of readers and writers. */

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/io.h>

#include "support/random.h"

#include "rounds.h"
#include "suite.h"

static inline int scratch_fd(void)
{
    char path[] = "/tmp/hs-test-XXXXXX";
    int  fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    unlink(path);
    return fd;
}

/* Replace the content of `fd` by the text and set the offset to 0. */
static inline void set_text(int fd, const char *text, size_t length)
{
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    ck_assert_int_eq(pwrite(fd, text, length, 0), (ssize_t)length);
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
}

/* Return the content of `fd`, terminated by NUL, for the caller to free; set the offset to 0. */
static inline char *get_text(int fd, size_t *length)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = malloc((size_t)size + 1);

    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(pread(fd, text, (size_t)size, 0), size);
    text[size] = '\0';
    lseek(fd, 0, SEEK_SET);
    if (length)
        *length = (size_t)size;
    return text;
}

static inline hs_instance *read_valid_instance(int fd)
{
    hs_instance *in = NULL;
    hs_error     error = {0};
    hs_status    st = hs_instance_read(fd, NULL, &in, &error);

    ck_assert_msg(st == HS_OK, "%d at %d:%d: %s", (int)st, (int)error.line, (int)error.column,
                  error.why);
    return in;
}

static inline hs_instance *read_text(const char *text)
{
    int          fd = scratch_fd();
    hs_instance *in;

    set_text(fd, text, strlen(text));
    in = read_valid_instance(fd);
    close(fd);
    return in;
}

static hsi_random source;

static inline unsigned below(unsigned bound)
{
    return (unsigned)hsi_random_below(&source, bound);
}

/* Make a text of up to `pieces` random pieces that are difficult to read. `unique` >= 0 is added as
 * a suffix. */
static inline void random_odd_text(char *buffer, size_t pieces, int unique)
{
    static const char *const piece[] = {
        ",",        "\"",
        "\"\"",     "\n",
        "\r\n",     "\r",
        "#",        "a",
        "t1",       " ",
        "\t",       "inf",
        "é",        "日本",
        "😀",        "=cmd",
        "'",        "\\",
        ";",        "x\x01y",
        "\xc2\x85", "long-long-long-long-name",
    };
    size_t used = 0;

    for (size_t i = below((unsigned)pieces + 1); i > 0; i--) {
        const char *next = piece[below(sizeof piece / sizeof *piece)];

        used += (size_t)sprintf(buffer + used, "%s", next);
    }
    buffer[used] = '\0';
    if (unique >= 0)
        sprintf(buffer + used, "%s/%d", below(2) ? "," : "", unique);
}

static inline double random_time(void)
{
    uint64_t bits = hsi_random_next(&source);
    double   value;

    switch (below(6)) {
    case 0:
        return INFINITY;
    case 1:
        return 1 + below(5);
    case 2:
        return ldexp(1 + below(1000), -(int)below(20));
    case 3:
        return 5e-324 * (1 + below(3));
    case 4:
        return 0.001 * (1 + below(100000));
    default: /* random bits of doubles whose sums stay far from overflow */
        bits = (bits & 0x5fffffffffffffffu) | 1;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

static inline void random_task(hs_task *task, unsigned cpus, unsigned gpus)
{
    do {
        task->cpu = random_time();
        task->gpu = random_time();
    } while ((cpus == 0 || isinf(task->cpu)) && (gpus == 0 || isinf(task->gpu)));
}

/* Return a random instance with a random set of columns. */
static inline hs_instance *random_instance(unsigned most_rows)
{
    char         id[600], kernel[600], cpu_command[600], gpu_command[600];
    unsigned     columns = below(64), rows = below(most_rows + 1);
    unsigned     cpus = below(4), gpus = cpus ? below(4) : 1 + below(3);
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, gpus), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, (hs_unit)below(4)), HS_OK);
    for (unsigned i = below(3); i > 0; i--)
        ck_assert_int_eq(hs_builder_add_note(b, below(2) ? "seed" : "algorithm",
                                             below(2) ? "x  y, \"z\" é" : ""),
                         HS_OK);
    for (unsigned i = 0; i < rows; i++) {
        hs_task task = {.struct_size = sizeof task, .count = 1};

        random_odd_text(id, 4, (int)i);
        random_odd_text(kernel, 6, -1);
        random_odd_text(cpu_command, 20, -1);
        random_odd_text(gpu_command, 20, -1);
        random_task(&task, cpus, gpus);
        task.id = (columns & 1) && below(4) ? id : NULL;
        task.kernel = columns & 2 ? kernel : NULL;
        task.cpu_command = columns & 4 ? cpu_command : NULL;
        task.gpu_command = (columns & 4) && below(2) ? gpu_command : NULL;
        if (!(task.kernel && *task.kernel)) /* a command for both types, or for none */
            task.gpu_command = task.cpu_command;
        task.priority = columns & 8 ? (int64_t)hsi_random_next(&source) >> below(64) : 0;
        task.restartable = columns & 16 ? (hs_restartable)below(3) : HS_RESTART_DEFAULT;
        task.count = columns & 32 ? 1 + below(3) : 1;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Return a schedule with each task on a random worker at a random time, so that tasks may overlap;
 * some follow aborted attempts. */
static inline hs_schedule *random_overlapping_schedule(const hs_instance *in)
{
    unsigned      cpus = hs_instance_cpus(in), workers = cpus + hs_instance_gpus(in);
    size_t        tasks = hs_instance_tasks(in), count = 0;
    hs_placement *placements = malloc((2 * tasks + 1) * sizeof *placements);
    hs_schedule  *s = NULL;

    ck_assert_ptr_nonnull(placements);
    for (size_t task = 0; task < tasks; task++) {
        double start = below(1000) / 7.0;
        bool   aborted = below(5) == 0;

        for (;; aborted = false) {
            unsigned worker = below(workers);
            double   time = hs_instance_time(in, task, worker < cpus ? HS_CPU : HS_GPU);

            if (isinf(time) || isinf(start + time))
                time = 1;
            placements[count++] = (hs_placement){start, start + time, (uint32_t)task, worker,
                                                 aborted ? HS_ABORTED : HS_RUN};
            start += time;
            if (!aborted)
                break;
        }
    }
    ck_assert_int_eq(hs_schedule_build(cpus, workers - cpus, count, placements, &s), HS_OK);
    free(placements);
    return s;
}

#endif
