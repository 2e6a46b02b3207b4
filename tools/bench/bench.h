/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include <hybridsched/hybridsched.h>

#include "bench/peer/peer.h"
#include "common/summary.h"
#include "gen/gen.h"

/*
 * A campaign is text (campaign.c): instances, algorithms, bounds, seeds, and what to draw of them.
 * It is expanded to cases (cases.c), one an instance; a case is run (measure.c), many at a time
 * (run.c), to rows of a CSV file (rows.c), in which those of an earlier run are found again. Tables
 * and the page (page/) are made of the rows.
 */

enum { BENCH_NAME = 96 };

/* Instances of one kind, with its label in plots. */
typedef struct bench_family {
    char *label;
    char
        *recipe; /* a command line of hsched-gen, with {A,B,...} for sweeps, and more (recipe.c) */
} bench_family;

/* What an algorithm has to do with truth. */
typedef enum bench_manner {
    BENCH_PLAN,  /* the plan is made; if times are wrong, its order is kept */
    BENCH_STEAL, /* the plan is made; idle workers take from others */
    BENCH_LIVE,  /* a policy decides as it goes */
    BENCH_PEER   /* another program makes the plan */
} bench_manner;

typedef struct bench_algorithm {
    char                  name[BENCH_NAME]; /* as it was written, with steal/, live/ or peer/ */
    bench_manner          manner;
    const hs_algorithm   *algorithm; /* NULL of policies and peers */
    const hs_policy_kind *policy;
    const bench_peer     *peer;
    hs_rank               rank;
} bench_algorithm;

/* What was measured. */
typedef enum bench_measure {
    BENCH_RATIO,
    BENCH_PERFORMANCE, /* bound over makespan */
    BENCH_GAP,
    BENCH_MAKESPAN,
    BENCH_SECONDS,
    BENCH_SPEEDUP, /* makespan of the campaign's last algorithm over this one's */
    BENCH_GPU_SHARE,
    BENCH_CPU_ACCELERATION,
    BENCH_GPU_ACCELERATION,
    BENCH_CPU_IDLE,
    BENCH_GPU_IDLE,
    BENCH_MEASURES
} bench_measure;

typedef struct bench_plot {
    hs_plot_kind  kind;
    bench_measure measure;
    int           together; /* all families in one */
    int           log_x, log_y;
    char          prefix[BENCH_NAME]; /* only families whose labels begin so */
} bench_plot;

/* What a paper prints: `low` to `high` of an algorithm, in a family or (NULL) in all together. */
typedef struct bench_published {
    char  *label;
    char   algorithm[BENCH_NAME];
    double low, high, size; /* size: of the sweep; NaN: all */
} bench_published;

/* A sentence of a paper, with what is to be said of it. */
typedef struct bench_campaign {
    char             name[BENCH_NAME];
    char            *title, *source, *axis; /* axis: what sizes are */
    bench_family    *families;
    size_t           family_count;
    bench_algorithm *algorithms;
    size_t           algorithm_count;
    const char      *sizes;  /* those of sweeps, with commas; NULL: as they are */
    char            *bounds; /* names with commas; `witness`: the makespan of a known schedule */
    uint64_t         first_seed, seeds;
    uint64_t         iterations; /* of best; 0: by time */
    double           time_limit; /* of best, exact and the bounds that take time; 0: theirs */
    bench_plot      *plots;
    size_t           plot_count;
    bench_published *published;
    size_t           published_count;
    char           **notes;
    size_t           note_count;
} bench_campaign;

/** Read a campaign out of `text`, which `path` has. What is wrong ends the program. */
void bench_campaign_read(bench_campaign *c, const char *name, const char *path, const char *text);
void bench_campaign_free(bench_campaign *c);

/** Its algorithms anew, from a list with commas. What is wrong ends the program. */
void bench_set_algorithms(bench_campaign *c, const char *what, const char *list);

const char *bench_measure_name(bench_measure measure);
const char *bench_measure_title(bench_measure measure);

/** The campaigns that come with the program (library.c): NULL past the last. */
const char *bench_library_name(size_t index);
const char *bench_library_text(const char *name); /* NULL: there is none of that name */

/* One instance. */
typedef struct bench_case {
    const bench_family *family;
    char               *recipe; /* with one value of the sweep */
    double              size;   /* that value; 0: there is no sweep */
    uint64_t            seed;
    gen_line            line;                 /* what hsched-gen makes of it */
    char              **words;                /* its texts are these */
    double              perturb, wrong, late, overhead; /* times of kernels, of tasks: recipe.c */
} bench_case;

/** All of them, in order, and their number. What is wrong ends the program. */
bench_case *bench_cases(const bench_campaign *c, size_t *count);
void        bench_cases_free(bench_case *cases, size_t count);

/** Read the recipe of a case. Returns whether it differs by its seed. */
int bench_recipe_read(bench_case *one, const char *where);

/* What a case is run on. */
typedef struct bench_instance {
    hs_instance *in, *truth; /* truth: with the times that tasks take; NULL: those of `in` */
    hs_schedule *witness;
} bench_instance;

/** Make it. 0, or an exit code after a message. */
int  bench_instance_make(const bench_case *one, int wants_witness, bench_instance *out);
void bench_instance_free(bench_instance *instance);

/* A row of the CSV file. NaN: there is no number, and all are that where no schedule was found. */
typedef struct bench_row {
    char    *label, *recipe, *algorithm; /* the row's own */
    char     platform[32], bound_name[32];
    double   size, makespan, bound, seconds;
    uint64_t tasks, seed, aborted, gpu_tasks;
    double   gap; /* to what is known of the optimum with the row's own bound; 0: it is optimal */
    double   acceleration[2], idle[2];
    char    *version; /* of the program that made it, with its commit */
} bench_row;

double bench_value(const bench_row *row, bench_measure measure); /* less speedup */

/** Run algorithm number a of `c` for each wanted[a] into rows[a]. 0, or an exit code. */
int bench_measure_case(const bench_campaign *c, const bench_case *one, const char *wanted,
                       bench_row *rows);

/* The rows of a campaign: of case i and algorithm a, if it is there, at i * algorithms + a. */
typedef struct bench_rows {
    size_t     cases, algorithms;
    bench_row *row;            /* recipe NULL: it is not there */
    size_t     known, foreign; /* read from a file; of these, of another version */
    size_t     unlike;         /* in that file with other bounds, iterations or time: not read */
} bench_rows;

/** Room for all; and what the file `path` has already, if there is one. 0, or an exit code. */
int  bench_rows_read(bench_rows *rows, const bench_campaign *c, const bench_case *cases,
                     size_t case_count, const char *path);
void bench_rows_free(bench_rows *rows);

/** Open the file to append to. -1 after a message. */
int bench_rows_open(const char *path);

/** Append the rows of one case whose wanted[a], at once. 0, or an exit code. */
int bench_rows_append(int fd, const char *path, const bench_campaign *c, const bench_row *rows,
                      const char *wanted);

/** Where this is: the version of the program with its commit, and the machine. */
const char *bench_version(void);
const char *bench_machine(void);

/** Run what is not there yet, so many cases at a time, and append it to `path`. */
int bench_run(const bench_campaign *c, const bench_case *cases, bench_rows *rows, unsigned threads,
              const char *path);

/**
 * The summary of a measure over the cases of a family and size (NULL, NaN: all). To be freed; the
 * names are the campaign's.
 */
summary *bench_summary(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                       bench_measure measure, const bench_family *family, double size);

/** Values of algorithm `a` in these cases; to be freed. */
double *bench_values(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                     bench_measure measure, const bench_family *family, double size, size_t a,
                     size_t *count);

/** The sizes of a family, increasing; to be freed. */
double *bench_sizes(const bench_case *cases, size_t case_count, const bench_family *family,
                    size_t *count);

/** The page of a campaign (page/). */
hs_status bench_page_write(FILE *out, const bench_campaign *c, const bench_case *cases,
                           const bench_rows *rows);

#endif
