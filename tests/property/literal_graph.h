/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_LITERAL_GRAPH_H
#define TEST_PROPERTY_LITERAL_GRAPH_H

#include <hybridsched/instance.h>

#include "dice.h"

/* Small random graphs and a literal transcription of their meaning. */
enum { ROWS = 6, COPIES = 3, TASKS = ROWS * COPIES, DATA = 3, HOSTS = 3 };

/* A random graph: the calls for the builder, and the expected result. */
typedef struct literal {
    size_t   rows, tasks;
    unsigned count[ROWS];
    size_t   first[ROWS], row_of[TASKS];
    int      told[ROWS][ROWS][COPIES + 1]; /* [row][earlier row][copy; 0: every copy]: edge passed
                                              to the builder */
    double   piece[ROWS][ROWS][COPIES + 1];
    int      mode[ROWS][DATA];             /* 0: no access */
    int      edge[TASKS][TASKS];           /* edge[from][to] */
    double   bytes[TASKS][TASKS];
    bool     has_cycle;
    size_t   position[TASKS];
    unsigned cpus, gpus;
    unsigned hosts, part[HOSTS][2];        /* nodes, and the numbers of their workers by type */
    double   time[ROWS][2];                /* by hs_type */
    double   size[DATA];                   /* -1: the default size */
    int      home[DATA];                   /* GPU, as a worker, that has the data at the start; -1:
                                              the first node */
    double   usual;
    int      has_link[HS_LINKS];
    double   latency[HS_LINKS], bandwidth[HS_LINKS];
} literal;

/* Draw a graph and derive its expected edges. */
void literal_draw_graph(literal *l, dice *source);

/* Pass the graph to the builder. */
void literal_fill_builder(const literal *l, hs_builder *b);

void literal_add_edge(literal *l, size_t from, size_t to, double bytes);

int literal_access_mode(const literal *l, size_t task, size_t data);

/* Return the last earlier task that writes the data; -1: none. */
int literal_last_writer(const literal *l, size_t task, size_t data);

double literal_handle_bytes(const literal *l, size_t data);

/* Return the transfer time between the memories of two workers, or from the first node, -1. */
double literal_transfer_time(const literal *l, int from, int to, double bytes);

#endif
