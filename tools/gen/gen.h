/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_GEN_H
#define TOOLS_GEN_GEN_H

#include <hybridsched/hybridsched.h>

/* The families of instances. */
typedef enum gen_family {
    GEN_GAMMA,
    GEN_UNIFORM,
    GEN_IDENTICAL,
    GEN_CHOLESKY,
    GEN_LU,
    GEN_QR,
    GEN_WORST,
    GEN_CHAIN, /* from here to GEN_TOPCUOGLU in the order of hs_shape */
    GEN_FORK_JOIN,
    GEN_LAYERED,
    GEN_RANDOM,
    GEN_REDUCTION,
    GEN_TOPCUOGLU,
    GEN_APPLICATIONS,
    GEN_IMPORT,
    GEN_JOBS,
    GEN_ADVERSARY,
    GEN_FAMILIES
} gen_family;

const char *gen_family_name(size_t family); /* NULL past the last */
/* return whether `name` is a family, and set *family unless NULL */
bool        gen_is_family(const char *name, gen_family *family);
const char *gen_family_summary(gen_family family);

/* A request: the parsed command line. */
typedef struct gen_request {
    gen_family      family;
    unsigned        cpus, gpus;
    int             has_cpus, has_gpus, has_tasks, has_range;
    size_t          tasks;
    size_t          nodes;          /* 0: the instance does not list nodes */
    double          node_bandwidth; /* bytes per second between nodes; 0: that of host and GPU */
    uint64_t        seed;
    hs_gamma        gamma;   /* only the means and variations are used */
    size_t          kernel_count; /* gamma: number of kernels; 0: each task has times of its own */
    double          within_cv;    /* gamma: variation of the times of a kernel */
    hs_uniform      uniform; /* only the ranges and `integer` are used */
    hs_identical    identical; /* only `family` is used */
    unsigned        tiles;
    int             compact, graph, single;
    /* kernel table: built-in name or file; NULL: the first sufficient built-in table */
    const char     *kernels;
    const hs_worst *worst;
    unsigned        argument;
    int             wants_witness, wants_bad, wants_certificate;
    hs_shaped       shaped;       /* settings of graphs by shape that have no field above */
    const char     *applications; /* list of applications: NAME[:COPIES],... */
    hs_problem      problem;
    /* input of import; file of StarPU's performance models, NULL: none */
    const char     *file, *models;
    int             format;        /* index of --from; -1: by the file's name */
    hs_import_settings import;     /* settings of import that have no field above */
    char          **command;       /* jobs: words of the template of commands */
    size_t          command_words;
    char           *gpu_command;   /* jobs: template of commands for GPUs; NULL: none */
    char          **lists;         /* words from the first ":::" or "::::" on */
    size_t          list_words;
    const char     *algorithm;     /* adversary: NAME[:RANK] of the algorithm */
    uint64_t        most_time;     /* adversary: largest time, in whole units */
    uint64_t        iterations;    /* adversary; 0: not given */
    double          seconds;       /* adversary; 0: not given */
} gen_request;

/* Indices of the output files. */
enum { GEN_INSTANCE, GEN_WITNESS, GEN_BAD, GEN_CERTIFICATE, GEN_FILES };

typedef struct gen_line {
    gen_request request;
    const char *path[GEN_FILES]; /* output paths; NULL: not requested */
    int         list;
} gen_line;

/**
 * Read a command line of hsched-gen; messages begin with the tool's `name`. An error ends the
 * program, and so do --help and similar options, which only hsched-gen itself accepts. The texts in
 * `line` point into argv.
 */
void gen_read_options(int argc, char **argv, const char *name, gen_line *line);

/* The generated instance and its additions. */
typedef struct gen_result {
    hs_instance    *instance;
    hs_schedule    *witness, *bad; /* plans of the optimum and of the bad algorithm; NULL: not requested */
    const char     *witness_name, *bad_name; /* algorithms named in the two plans */
    hs_certificate *certificate;             /* certificate of `bound`; NULL: not requested */
    hs_named_bound  bound;     /* lower bound on the witness; value 0: none */
    char            message[256]; /* message if the instance goes to a file; may be empty */
} gen_result;

/* Make the instance. Return 0, or an exit code after a message. */
int  gen_make(const gen_request *request, gen_result *result);
void gen_result_free(gen_result *result);

/* Print why the library made no instance. Return the exit code; 0 for HS_OK. */
int gen_report_error(hs_status status, const hs_error *error, const gen_request *request);

/* Divide the workers of the instance among the requested nodes (nodes.c). */
int gen_divide_among_nodes(const gen_request *request, gen_result *result);

/* Parts of gen_make() for some families. */
int gen_make_shaped(const gen_request *request, gen_result *result);
int gen_make_named_applications(const gen_request *request, gen_result *result);
int gen_make_adversary(const gen_request *request, gen_result *result);
int gen_import(const gen_request *request, gen_result *result);

/* Write the table of the family `jobs`. Return 0, or an exit code after a message. */
int gen_write_jobs(const gen_request *request, const char *path);

/* Print the text of --list. */
void gen_list(void);

#endif
