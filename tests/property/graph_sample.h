/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_GRAPH_SAMPLE_H
#define TEST_PROPERTY_GRAPH_SAMPLE_H

#include <hybridsched/hybridsched.h>

/* A small random graph with every pair of tasks written out. Equal seeds give equal graphs. */
enum {
    GRAPH_TASKS = 24,
    GRAPH_DATA = 3,
    GRAPH_WORKERS = 4,
    GRAPH_HOSTS = 3, /* at most */
    GRAPH_NODES = GRAPH_HOSTS + GRAPH_WORKERS
};

typedef struct graph_sample {
    uint64_t     seed;
    size_t       n;
    unsigned     m, k;
    double       p[GRAPH_TASKS], q[GRAPH_TASKS]; /* times by task; infinite for a type without
                                                    workers */
    int64_t      priority[GRAPH_TASKS];
    int          restartable[GRAPH_TASKS];
    int          edge[GRAPH_TASKS][GRAPH_TASKS]; /* edge[from][to] */
    double       bytes[GRAPH_TASKS][GRAPH_TASKS];
    size_t       data;
    int          mode[GRAPH_TASKS][GRAPH_DATA];   /* 0: no access */
    int          writer[GRAPH_TASKS][GRAPH_DATA]; /* last earlier task that writes the handle, by
                                                     task and handle; -1: none */
    double       size[GRAPH_DATA];
    uint32_t     home[GRAPH_DATA]; /* memory node of each handle at the start */
    size_t       position[GRAPH_TASKS];
    int          links;
    unsigned     nodes; /* number of memory nodes */
    hs_instance *in, *truth; /* instance of the estimates; `truth` has the actual times */
} graph_sample;

void graph_sample_make(graph_sample *s, uint64_t seed);
void graph_sample_make_plain(graph_sample *s, uint64_t seed); /* whether the graph has neither
                                                                 restartable tasks nor links */
/* With ties and with times and transfers that are lost in rounding, subnormal or huge; up to 5 rows. */
void graph_sample_make_wild(graph_sample *s, uint64_t seed);
void graph_sample_free(graph_sample *s);

/* Fill times, edges, bytes and accesses from s->in, for zeroed arrays. s->n, s->m and s->k are
 * set. */
void graph_sample_write_out(graph_sample *s);

_Noreturn void graph_sample_fail(const graph_sample *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define GRAPH_REQUIRE(s, condition, ...)         \
    do {                                         \
        if (!(condition))                        \
            graph_sample_fail((s), __VA_ARGS__); \
    } while (0)

#endif
