/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_GEN_GEN_H
#define TOOLS_GEN_GEN_H

#include <hybridsched/hybridsched.h>

/* What hsched-gen makes. */
typedef enum gen_family {
    GEN_GAMMA,
    GEN_UNIFORM,
    GEN_IDENTICAL,
    GEN_CHOLESKY,
    GEN_LU,
    GEN_QR,
    GEN_WORST,
    GEN_CHAIN, /* from here on as hs_shape has them */
    GEN_FORK_JOIN,
    GEN_LAYERED,
    GEN_RANDOM,
    GEN_REDUCTION,
    GEN_TOPCUOGLU,
    GEN_APPLICATIONS,
    GEN_IMPORT,
    GEN_ADVERSARY,
    GEN_FAMILIES
} gen_family;

const char *gen_family_name(size_t family); /* NULL past the last */
int         gen_is_family(const char *name, gen_family *family); /* which may be NULL */
const char *gen_family_summary(gen_family family);

/* What the command line asks for. */
typedef struct gen_request {
    gen_family      family;
    unsigned        cpus, gpus;
    int             has_cpus, has_gpus, has_tasks, has_range;
    size_t          tasks;
    uint64_t        seed;
    hs_gamma        gamma;   /* means and variations alone */
    hs_uniform      uniform; /* ranges and `integer` alone */
    hs_identical    identical; /* family alone */
    unsigned        tiles;
    int             compact, graph;
    const char     *kernels; /* NULL: the first table that will do */
    const hs_worst *worst;
    unsigned        argument;
    int             wants_witness, wants_bad, wants_certificate;
    hs_shaped       shaped;       /* what none of the above says */
    const char     *applications; /* NAME[:COPIES],... */
    hs_problem      problem;
    const char     *file, *models; /* import; `models` is NULL where there is none */
    int             format;        /* as --from has them; -1: as the file's name says */
    hs_import_options import;      /* what none of the above says */
    const char     *algorithm;     /* adversary: NAME[:RANK] of what is to do badly */
    uint64_t        most_time;     /* adversary: of a task, in whole units */
    uint64_t        iterations;    /* adversary; 0: not given */
    double          seconds;       /* adversary; 0: not given */
} gen_request;

/* What may be written. */
enum { GEN_INSTANCE, GEN_WITNESS, GEN_BAD, GEN_CERTIFICATE, GEN_FILES };

typedef struct gen_line {
    gen_request request;
    const char *path[GEN_FILES]; /* NULL: not wanted */
    int         list;
} gen_line;

/**
 * Read a command line of hsched-gen, for messages that of the tool `name`. What is wrong ends the
 * program, and so do --help and its like, which only hsched-gen itself answers; texts stay the
 * command line's.
 */
void gen_read_line(int argc, char **argv, const char *name, gen_line *line);

/* What was made. */
typedef struct gen_result {
    hs_instance    *instance;
    hs_schedule    *witness, *bad;           /* NULL where not asked for */
    const char     *witness_name, *bad_name; /* of who made them */
    hs_certificate *certificate;             /* of the bound; NULL where not asked for */
    hs_named_bound  bound;     /* on the witness; its value is 0 where there is none */
    char            said[256]; /* for whoever has the instance in a file; may be empty */
} gen_result;

/* Make it. 0, or an exit code after a message. */
int  gen_make(const gen_request *request, gen_result *result);
void gen_result_free(gen_result *result);

/* Those of gen_make() that are in files of their own. */
int gen_make_shaped(const gen_request *request, gen_result *result);
int gen_make_applications(const gen_request *request, gen_result *result);
int gen_make_adversary(const gen_request *request, gen_result *result);
int gen_import(const gen_request *request, gen_result *result);

/* The answer to --list. */
void gen_list(void);

#endif
