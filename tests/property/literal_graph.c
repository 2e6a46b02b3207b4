/* SPDX-License-Identifier: BSD-3-Clause */
#include "literal_graph.h"

#include <math.h>
#include <string.h>

#include "suite.h"

static void draw_tasks(literal *l, dice *source)
{
    int many = (int)dice_below(source, 3), with_data = (int)dice_below(source, 3);
    bool backward = (int)dice_below(source, 8) == 0;

    memset(l, 0, sizeof *l);
    l->rows = dice_between(source, 1, ROWS);
    for (size_t r = 0; r < l->rows; r++) {
        l->count[r] = many == 2 ? dice_between(source, 1, COPIES) : 1;
        l->first[r] = l->tasks;
        for (unsigned c = 0; c < l->count[r]; c++)
            l->row_of[l->tasks++] = r;
    }
    for (size_t r = 0; r < l->rows; r++)
        for (size_t e = 0; e < l->rows; e++) {
            unsigned copy = dice_below(source, 2) ? dice_below(source, l->count[e] + 1) : 0;

            if (e == r || (e > r && !backward) || dice_below(source, 3))
                continue;
            l->told[r][e][copy] = 1;
            l->piece[r][e][copy] = dice_below(source, 2) * dice_below(source, 9) / 2.0;
        }
    for (size_t r = 0; r < l->rows && with_data == 2; r++)
        for (size_t d = 0; d < DATA; d++)
            l->mode[r][d] = (int)dice_below(source, 5) % 4;
}

static void draw_machine(literal *l, dice *source)
{
    int links = (int)dice_below(source, 3);

    l->cpus = dice_below(source, 3);
    l->gpus = dice_between(source, l->cpus == 0, 3);
    for (size_t r = 0; r < l->rows; r++) {
        l->time[r][HS_CPU] = l->cpus && dice_below(source, 4) ? dice_between(source, 1,
                                                                             5) : INFINITY;
        l->time[r][HS_GPU] = l->gpus && dice_below(source, 4) ? dice_between(source, 1,
                                                                             5) : INFINITY;
        if (isinf(l->time[r][HS_CPU]) && isinf(l->time[r][HS_GPU]))
            l->time[r][l->cpus ? HS_CPU : HS_GPU] = dice_between(source, 1, 9) / 4.0;
    }
    l->usual = dice_below(source, 2) * dice_below(source, 9);
    for (size_t d = 0; d < DATA; d++)
        l->size[d] = dice_below(source, 2) ? (double)dice_below(source, 9) : -1;
    for (hs_link link = HS_H2D; link < HS_LINKS; link++) {
        l->has_link[link] = link == HS_D2D || link == HS_N2N ? links == 2 : links > 0;
        l->latency[link] = dice_below(source, 3) / 2.0;
        l->bandwidth[link] = dice_between(source, 1, 4);
    }
}

/* Divide the workers over nodes, some of them of one type only. */
static void draw_nodes(literal *l, dice *source)
{
    unsigned left[2] = {l->cpus, l->gpus};

    l->hosts = 1;
    if (l->has_link[HS_N2N] || !l->has_link[HS_H2D])
        l->hosts = dice_between(source, 1, HOSTS);
    for (unsigned host = 0; host < l->hosts; host++)
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            l->part[host][type] =
                host + 1 == l->hosts ? left[type] : dice_below(source, left[type] + 1);
            left[type] -= l->part[host][type];
        }
}

static void draw_homes(literal *l, dice *source)
{
    for (size_t d = 0; d < DATA; d++)
        l->home[d] = l->gpus > 0 && dice_below(source, 4) == 0
                         ? (int)(l->cpus + dice_below(source, l->gpus))
                         : -1;
}

void literal_add_edge(literal *l, size_t from, size_t to, double bytes)
{
    l->edge[from][to] = 1;
    if (bytes > l->bytes[from][to])
        l->bytes[from][to] = bytes;
}

static void add_given_edges(literal *l)
{
    for (size_t r = 0; r < l->rows; r++)
        for (size_t e = 0; e < l->rows; e++)
            for (unsigned copy = 0; copy <= COPIES; copy++)
                for (size_t t = 0; l->told[r][e][copy] && t < l->tasks; t++)
                    for (size_t f = 0; l->row_of[t] == r && f < l->tasks; f++)
                        if (l->row_of[f] == e &&
                            (copy == 0 || f == l->first[e] + copy - 1))
                            literal_add_edge(l, f, t, l->piece[r][e][copy]);
}

int literal_access_mode(const literal *l, size_t task, size_t data)
{
    return l->mode[l->row_of[task]][data];
}

int literal_last_writer(const literal *l, size_t task, size_t data)
{
    for (size_t t = task; t-- > 0;)
        if (literal_access_mode(l, t, data) & HS_WRITE)
            return (int)t;
    return -1;
}

static void add_edges_of_accesses(literal *l)
{
    for (size_t t = 0; t < l->tasks; t++)
        for (size_t d = 0; d < DATA; d++) {
            int writer = literal_last_writer(l, t, d);

            if (!literal_access_mode(l, t, d))
                continue;
            if (writer >= 0) /* a read or a write follows the last write */
                literal_add_edge(l, (size_t)writer, t, 0);
            for (size_t r = writer < 0 ? 0 : (size_t)writer; r < t; r++) /* write after read */
                if (literal_access_mode(l, t, d) & HS_WRITE &&
                    literal_access_mode(l, r, d) & HS_READ)
                    literal_add_edge(l, r, t, 0);
        }
}

static void number_topologically(literal *l)
{
    int placed[TASKS] = {0};

    for (size_t next = 0; next < l->tasks; next++) {
        size_t t = 0;

        for (; t < l->tasks; t++) {
            bool is_free = !placed[t];

            for (size_t f = 0; f < l->tasks; f++)
                is_free &= !l->edge[f][t] || placed[f];
            if (is_free)
                break;
        }
        if (t == l->tasks) {
            l->has_cycle = true;
            return;
        }
        placed[t] = 1;
        l->position[t] = next;
    }
}

void literal_fill_builder(const literal *l, hs_builder *b)
{
    size_t data[DATA];

    ck_assert_int_eq(hs_builder_set_workers(b, l->cpus, l->gpus), HS_OK);
    ck_assert_int_eq(hs_builder_set_default_bytes(b, l->usual), HS_OK);
    for (unsigned host = 0; l->hosts > 1 && host < l->hosts; host++) {
        char name[2] = {(char)('A' + host), 0};

        if (l->part[host][HS_CPU] + l->part[host][HS_GPU] > 0)
            ck_assert_int_eq(
                hs_builder_add_node(b, name, l->part[host][HS_CPU], l->part[host][HS_GPU]), HS_OK);
    }
    for (hs_link link = HS_H2D; link < HS_LINKS; link++)
        if (l->has_link[link])
            ck_assert_int_eq(hs_builder_set_link(b, link, l->latency[link], l->bandwidth[link]),
                             HS_OK);
    for (size_t r = 0; r < l->rows; r++) {
        hs_task task;

        hs_task_init(&task);
        task.cpu = l->time[r][HS_CPU];
        task.gpu = l->time[r][HS_GPU];
        task.count = l->count[r];
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    for (size_t r = l->rows; r-- > 0;)
        for (size_t e = 0; e < l->rows; e++)
            for (unsigned copy = 0; copy <= COPIES; copy++)
                if (l->told[r][e][copy])
                    ck_assert_int_eq(
                        hs_builder_add_predecessor(b, r, e, copy, l->piece[r][e][copy]), HS_OK);
    for (size_t d = 0; d < DATA; d++) {
        char name[2] = {(char)('a' + d), 0};

        ck_assert_int_eq(hs_builder_add_handle(b, name, &data[d]), HS_OK);
        if (l->size[d] >= 0)
            ck_assert_int_eq(hs_builder_set_handle_bytes(b, data[d], l->size[d]), HS_OK);
        if (l->home[d] >= 0)
            ck_assert_int_eq(hs_builder_set_handle_memory(b, data[d], HS_GPU,
                                                          (unsigned)l->home[d] - l->cpus),
                             HS_OK);
        for (size_t r = 0; r < l->rows; r++)
            if (l->mode[r][d])
                ck_assert_int_eq(
                    hs_builder_add_access(b, r, data[d], (hs_access_mode)l->mode[r][d]), HS_OK);
    }
}

void literal_draw_graph(literal *l, dice *source)
{
    draw_tasks(l, source);
    draw_machine(l, source);
    draw_nodes(l, source);
    draw_homes(l, source);
    add_given_edges(l);
    add_edges_of_accesses(l);
    number_topologically(l);
}

double literal_handle_bytes(const literal *l, size_t data)
{
    return l->size[data] >= 0 ? l->size[data] : l->usual;
}

static double link_time(const literal *l, hs_link link, double bytes)
{
    return l->latency[link] + bytes / l->bandwidth[link];
}

/* Return the node of a worker, or for -1 the first node with a worker. */
static unsigned host_of(const literal *l, int worker)
{
    int type = worker < (int)l->cpus ? HS_CPU : HS_GPU, number = worker, host = 0;

    if (worker < 0) {
        while (l->part[host][HS_CPU] + l->part[host][HS_GPU] == 0)
            host++;
        return (unsigned)host;
    }
    if (type == HS_GPU)
        number -= (int)l->cpus;
    while (number >= (int)l->part[host][type]) {
        number -= (int)l->part[host][type];
        host++;
    }
    return (unsigned)host;
}

double literal_transfer_time(const literal *l, int from, int to, double bytes)
{
    bool from_gpu = from >= (int)l->cpus, to_gpu = to >= (int)l->cpus;
    bool same = host_of(l, from) == host_of(l, to);

    if (bytes == 0 || !l->has_link[HS_H2D] || (same && (from_gpu || to_gpu ? from == to : true)))
        return 0;
    if (same && from_gpu && to_gpu && l->has_link[HS_D2D])
        return link_time(l, HS_D2D, bytes);
    return (from_gpu ? link_time(l, HS_D2H, bytes) : 0) +
           (same ? 0 : link_time(l, HS_N2N, bytes)) + (to_gpu ? link_time(l, HS_H2D, bytes) : 0);
}
