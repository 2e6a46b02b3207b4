/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_BENCH_H
#define TOOLS_BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include <hybridsched/hybridsched.h>

#include "bench/peer/peer.h"
#include "common/plot/plot.h"
#include "common/summary.h"
#include "gen/gen.h"

/*
 * A campaign is a text (campaign.c) with instances, algorithms, bounds, seeds and plots. It is
 * expanded to cases (cases.c), one per instance. A case is run (measure.c), several at a time
 * (run_cases.c), and gives rows of a CSV file (result_rows.c), which a later run reads again.
 * Tables and the page (page/) are made from the rows.
 */

enum { BENCH_NAME = 96, BENCH_FACTORS = 8 };

#define BENCH_NO_BASELINE SIZE_MAX
#define BENCH_TOLERANCE 0.02 /* relative tolerance of policies, as in hsched-exec */

/* Instances of one kind, and their label in plots. */
typedef struct bench_family {
    char *label;
    char *recipe;  /* hsched-gen command line with sweeps {A,B,...} and own options (recipe.c) */
    char *factors; /* values of the factors [A,B,...] of the line: "NAME=VALUE;..."; else empty */
} bench_family;

/* What happens when tasks take times that differ from the estimates. */
typedef enum bench_manner {
    BENCH_PLAN,       /* a plan; each worker keeps the order of its tasks */
    BENCH_STEAL,      /* a plan; idle workers steal waiting tasks */
    BENCH_LIVE,       /* a policy decides during the run */
    BENCH_FIRST_RUN,  /* a policy that knows no time decides during the run */
    BENCH_SECOND_RUN, /* the same, with the measurements of a first run */
    BENCH_PEER        /* plan made by an external solver */
} bench_manner;

/* The estimates of the tasks of a made machine (machine.c), from what was measured on it before. */
typedef enum bench_estimates {
    BENCH_GIVEN,    /* the times of the instance */
    BENCH_ROOFLINE, /* rates of the machine */
    BENCH_POWER,    /* power laws of the size, fitted to the kernels' times in other instances */
    BENCH_LEARNED,  /* log-linear laws of work and bytes, fitted to the same times */
    BENCH_LAWS,     /* the better of these laws for each kernel */
    BENCH_ONLINE    /* times of a first run; where it has none, these laws */
} bench_estimates;

typedef struct bench_algorithm {
    /* name in the campaign, with its prefix, such as steal/ or live/ */
    char                  name[BENCH_NAME];
    bench_manner          manner;
    const hs_algorithm   *algorithm; /* NULL for policies and peers */
    const hs_policy_kind *policy;
    const bench_peer     *peer;
    hs_rank               rank;
    hs_guess_use          guesses; /* BENCH_FIRST_RUN */
    bench_estimates       estimates;
} bench_algorithm;

/* The measured quantities. */
typedef enum bench_measure {
    BENCH_RATIO,
    BENCH_PERFORMANCE, /* bound / makespan */
    BENCH_GAP,
    BENCH_MAKESPAN,
    BENCH_SECONDS,
    BENCH_SPEEDUP, /* makespan of the campaign's last algorithm / makespan */
    BENCH_GPU_SHARE,
    BENCH_CPU_ACCELERATION,
    BENCH_GPU_ACCELERATION,
    BENCH_CPU_IDLE,
    BENCH_GPU_IDLE,
    BENCH_ERROR, /* mean of |estimate - time| / time over the tasks */
    BENCH_MEASURES
} bench_measure;

typedef struct bench_plot {
    plot_kind     kind;
    bench_measure measure;
    bool          performance; /* whether the lines are the performance profile of the measure */
    bool          together; /* whether all families of instances are drawn in one plot */
    bool          log_x, log_y;
    char          prefix[BENCH_NAME]; /* begin of the labels of the families to plot */
    char          where[512];         /* FILE:LINE of the plot, for messages */
} bench_plot;

/*
 * A published result: `low` to `high` for an algorithm, in a family or (label NULL) in all
 * families.
 */
typedef struct bench_published {
    char         *label;
    char          algorithm[BENCH_NAME];
    bench_measure measure; /* BENCH_RATIO or BENCH_ERROR */
    double        low, high, size; /* range of the result; size of the sweep, NaN: all sizes */
} bench_published;

/* A campaign, read from its text. */
typedef struct bench_campaign {
    char name[BENCH_NAME];
    /* title, source of the published results, meaning of the sizes */
    char            *title, *source, *axis;
    bench_family    *families;
    size_t           family_count;
    bench_algorithm *algorithms;
    size_t           algorithm_count;
    char             baseline_name[BENCH_NAME]; /* name in the text or option; empty: none */
    size_t           baseline; /* index of the baseline of comparisons; BENCH_NO_BASELINE */
    /* values for all sweeps, separated by commas; NULL: each sweep has its own */
    const char *sizes;
    /* names separated by commas; `witness` is the makespan of a known schedule */
    char            *bounds;
    uint64_t         first_seed, seeds;
    uint64_t         iterations; /* iterations of the algorithm `best`; 0: its time limit ends it */
    double           time_limit; /* seconds for best, exact and slow bounds; 0: default */
    bench_plot      *plots;
    size_t           plot_count;
    bench_published *published;
    size_t           published_count;
    char           **notes;
    size_t           note_count;
} bench_campaign;

/** Read a campaign from `text`, the content of `path`. An error ends the program. */
void bench_campaign_read(bench_campaign *c, const char *name, const char *path, const char *text);
void bench_campaign_free(bench_campaign *c);

/** Set the name of the baseline. A name longer than any algorithm's ends the program. */
void bench_set_baseline(bench_campaign *c, const char *name);

/** Find the baseline among the algorithms. An error ends the program. */
void bench_find_baseline(bench_campaign *c);

/** Replace the algorithms by a list separated by commas. An error ends the program. */
void bench_set_algorithms(bench_campaign *c, const char *what, const char *list);

/** Return whether the plot shows the instances of a family. */
bool bench_plot_shows(const bench_plot *plot, const bench_family *family);

const char *bench_measure_name(bench_measure measure);
const char *bench_measure_title(bench_measure measure);

/**
 * Add the families of a line `instances LABEL = RECIPE` (families.c): one for each combination of the
 * values of its factors, [A,B,...]. An error ends the program.
 */
void bench_add_families(bench_campaign *c, const char *where, const char *label,
                        const char *recipe);

void bench_family_free(bench_family *family);

/** Return whether hsched-gen can make the instances: they are no files and no times of a profile. */
bool bench_is_generated(const bench_family *family);

/** Return the name of built-in campaign `index`; NULL past the last. */
const char *bench_library_name(size_t index);
/* Return the text of the built-in campaign `name`; NULL: unknown name. */
const char *bench_library_text(const char *name);

/* A measured time of a profile that is predicted from other sizes (held_out.c). */
typedef struct bench_held_out {
    const char *key; /* kernel; NULL: the case is an instance */
    hs_type     type;
    double      size;
} bench_held_out;

/* One instance of a campaign. */
typedef struct bench_case {
    const bench_family *family;
    char               *recipe; /* recipe of the family with one value of each sweep */
    char               *path;   /* file of the instance; NULL: the recipe generates the instance */
    double              size;   /* value of the sweep; 0: no sweep */
    uint64_t            seed;
    gen_line            line;  /* parsed hsched-gen command line */
    char              **words; /* words of `recipe`, which `line` points into */
    double              perturb, wrong, late, overhead; /* distortions of the times, see recipe.c */
    double              machine; /* deviation of the times of a made machine; 0: no made machine */
    double              tile;    /* made machine: size of the tiles of a factorisation; 0: none */
    uint64_t            run;     /* made machine: number of the run, which sets the deviations */
    bench_held_out      held_out; /* time to predict instead of an instance */
} bench_case;

/** Return all cases of a campaign in order, and their number. An error ends the program. */
bench_case *bench_cases(const bench_campaign *c, size_t *count);
void        bench_cases_free(bench_case *cases, size_t count);

/** Return whether the recipe of a family is `files PATH`, with own options (instance_files.c). */
bool bench_reads_files(const char *recipe);

/** Return the paths of the files in order, and their number. An error ends the program. */
char **bench_list_files(const char *where, const char *recipe, size_t *count);

/** Return the recipe of the case of a file, which the caller frees. An error ends the program. */
char *bench_file_recipe(const char *recipe, const char *path);

/** Return the options in the recipe of a family of files. */
const char *bench_file_options(const char *recipe);

/** Parse the recipe of a case. Return whether the instance depends on its seed. */
bool bench_recipe_read(bench_case *one, const char *where);

/* The instance of a case. */
typedef struct bench_instance {
    /*
     * instance with estimated times; instance with the times of the simulated run, NULL: the same
     */
    hs_instance *in, *truth;
    hs_schedule *witness;
} bench_instance;

/**
 * Make the instance of a case, with its witness if `wants_witness`. Return 0, or an exit code after
 * a message. Free with bench_instance_free().
 */
int  bench_instance_make(const bench_case *one, bool wants_witness, bench_instance *out);
void bench_instance_free(bench_instance *instance);

/** Create the same instance with unknown times. */
hs_status bench_instance_forget(const hs_instance *in, hs_instance **out);

/** Adds the rows of an instance with changes to a builder. */
typedef hs_status bench_add_rows(const void *context, const hs_instance *in, hs_builder *b);

/** Create the same instance with the rows that `add` adds. */
hs_status bench_instance_rebuild(const hs_instance *in, bench_add_rows *add, const void *context,
                                 hs_instance **out);

/** Create a tiled factorisation with the kernels of a table. */
hs_status bench_tiled(const gen_request *request, const hs_kernel_table *table, int graph,
                      hs_instance **out);

/** Return the next number of a random sequence, in [0, 1). */
double bench_draw(uint64_t *state);

/**
 * Make an instance whose tasks take the times of the case's made machine. Return 0, or an exit code
 * after a message.
 */
int bench_machine_instance(const bench_case *one, hs_instance **out);

/**
 * Create cost models with what was measured on the case's made machine before: its rates, and for
 * BENCH_POWER and later the times of the tasks of other instances.
 */
hs_status bench_machine_measure(const bench_case *one, bench_estimates estimates, hs_cost **out);

/** Predict a time in seconds from the source of the estimates, and return the source that could. */
hs_cost_source bench_predict(hs_cost *cost, bench_estimates estimates, hs_type type,
                             const hs_features *features, double *seconds);

/** Create the instance with estimates in place of the times. */
hs_status bench_estimate(const hs_instance *in, hs_cost *cost, bench_estimates estimates,
                         hs_instance **out);

/** Add the executions of a schedule of `in` to the cost models, as a profile does between runs. */
hs_status bench_observe(const hs_schedule *s, const hs_instance *in, hs_cost *cost);

/** Return the mean of |estimate - time| / time over the finished tasks of a schedule. */
double bench_mean_error(const hs_schedule *s, const hs_instance *estimates,
                        const hs_instance *truth);

/* A row of the CSV file. NaN: no number; all results are NaN if no schedule was found. */
typedef struct bench_row {
    char    *label, *recipe, *algorithm; /* owned by the row */
    char     platform[32], bound_name[32];
    double   size, makespan, bound, seconds;
    uint64_t tasks, seed, aborted, gpu_tasks;
    double   gap;      /* makespan / best known bound - 1 */
    double   optimal;  /* 1: the makespan is proved to be optimal; 0: it is not; NaN: no schedule */
    char     found_by[32]; /* best, exact: hs_report.found_by; other algorithms: empty */
    double   acceleration[2], idle[2];
    double   error; /* mean relative error of the estimates; NaN: not measured */
    char    *version; /* version and commit of the program that made the row */
} bench_row;

/** Return the value of a measure in a row. Speedup is not possible: it needs two rows. */
double bench_value(const bench_row *row, bench_measure measure);

/**
 * Run each algorithm with wanted[a] on the case and store its row in rows[a]. Return 0, or an exit
 * code after a message.
 */
int bench_measure_case(const bench_campaign *c, const bench_case *one, const char *wanted,
                       bench_row *rows);

/**
 * Open the profile of held-out times: FILE, or FILE,FILE with the executions to predict in the
 * second. Return 0, or an exit code after a message. Close it in any case.
 */
int  bench_profile_open(const char *files);
void bench_profile_close(void);

/**
 * Predict the held-out time of the case by the source of each algorithm with wanted[a], and store
 * the errors in rows[a]. Return 0, or an exit code after a message.
 */
int bench_measure_held_out(const bench_campaign *c, const bench_case *one, const char *wanted,
                           bench_row *rows);

/**
 * Simulate the policy of an algorithm with the manner BENCH_FIRST_RUN or BENCH_SECOND_RUN. The
 * tasks are those of `in`, whose times the policy does not get, and take the times of `truth`.
 */
hs_status bench_simulate_unknown(const bench_algorithm *a, const hs_instance *in,
                                 const hs_instance *truth, hs_policy_settings *settings,
                                 hs_schedule **out);

/* The rows of a campaign: case i and algorithm a are at i * algorithms + a. */
typedef struct bench_rows {
    size_t     cases, algorithms;
    bench_row *row; /* rows; recipe NULL: not yet measured */
    /* number of rows read from the file; of these from another version of the program */
    size_t known, foreign;
    /* number of rows ignored because of different bounds, iterations or time limit */
    size_t unlike;
} bench_rows;

/**
 * Allocate all rows and fill them from the file `path`, if it exists. Return 0, or an exit code.
 */
int  bench_rows_read(bench_rows *rows, const bench_campaign *c, const bench_case *cases,
                     size_t case_count, const char *path);
void bench_rows_free(bench_rows *rows);

/** Open the file for appending. Return 0 and *fd, or an exit code after a message and *fd = -1. */
int bench_rows_open(const char *path, int *fd);

/**
 * Append the row of each algorithm with wanted[a] to the file in one write; the rows are those of an
 * instance of `family`. Return 0, or an exit code after a message.
 */
int bench_rows_append(int fd, const char *path, const bench_campaign *c, const bench_family *family,
                      const bench_row *rows, const char *wanted);

/** Return the version and commit of the program. Thread-safe. */
const char *bench_version(void);

/** Return a description of this machine. Thread-safe. */
const char *bench_machine(void);

/**
 * Run the missing rows in `threads` threads and append them to `path`. Return 0, or an exit code.
 */
int bench_run(const bench_campaign *c, const bench_case *cases, bench_rows *rows, unsigned threads,
              const char *path);

/* A group of instances. A zeroed structure selects every instance. */
typedef struct bench_group {
    const char         *label;
    const bench_family *family; /* NULL: all */
    char               *factor; /* "NAME=VALUE": kinds with this value of the factor; NULL: all */
    bool                has_size;
    double              size; /* if has_size: size of the sweep */
} bench_group;

/* The kinds of a campaign, if there are several, and the values of factors that several kinds have
 * (groups.c). */
typedef struct bench_groups {
    bench_group *of;
    size_t       count;
} bench_groups;

bench_groups bench_groups_of(const bench_campaign *c);
void         bench_groups_free(bench_groups *groups);

/** Return whether the instance is in the group. */
bool bench_group_has(const bench_group *group, const bench_case *one);

/**
 * Return the summary of a measure over the cases of a group. The caller frees it; the campaign keeps
 * the names alive.
 */
summary *bench_summary(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                       bench_measure measure, const bench_group *group);

/** Write the median and the 90% quantile of a measure by group and algorithm. */
void bench_groups_text(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                         bench_measure measure, FILE *out);

/** Return whether a plot of the campaign shows the errors of estimates. */
bool bench_has_errors(const bench_campaign *c);

/** Return the values of algorithm `a` in the cases of a family and size; the caller frees them. */
double *bench_values(const bench_case *cases, const bench_rows *rows, bench_measure measure,
                     const bench_family *family, double size, size_t a, size_t *count);

/** Return the sizes of a family in increasing order; the caller frees them. */
double *bench_sizes(const bench_case *cases, size_t case_count, const bench_family *family,
                    size_t *count);

/** Write the HTML page of a campaign to `out`. */
hs_status bench_page_write(FILE *out, const bench_campaign *c, const bench_case *cases,
                           const bench_rows *rows);

#endif
