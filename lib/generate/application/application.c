/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate/application/application.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"

static const hs_application *const registry[] = {
    &hsi_case_study, &hsi_xgemm, &hsi_cg, &hsi_tile_cholesky,
    &hsi_increment,  &hsi_va,    &hsi_pi, &hsi_fblock,
};

static const char *const problems[] = {
    [HS_SMALL] = "small", [HS_MEDIUM] = "medium", [HS_LARGE] = "large"};

static const char source[] =
    "mapping kernel graphs of applications in embedded systems, table 2 (Core i7 and GTX 660); "
    "other sizes than measured are scaled by the operations they take";

/* Times in microseconds, from table 2 of the paper. */
static const struct {
    const char *kernel;
    double      cpu, gpu;
} measured[] = {
    [HSI_VECTOR_ADD] = {"vector-add", 568, 422}, [HSI_VECTOR_SCALE] = {"vector-scale", 1520, 242},
    [HSI_PRODUCT] = {"product", 44100, 5600},    [HSI_OUTER_PRODUCT] = {"outer-product", 874, 844},
    [HSI_MATRIX_ADD] = {"matrix-add", 440, 420},
};

size_t hs_application_count(void)
{
    return sizeof registry / sizeof *registry;
}

const hs_application *hs_application_at(size_t index)
{
    return index < hs_application_count() ? registry[index] : NULL;
}

const hs_application *hs_application_find(const char *name)
{
    for (size_t i = 0; name && i < hs_application_count(); i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

const char *hs_application_name(const hs_application *application)
{
    return application->name;
}

const char *hs_application_summary(const hs_application *application)
{
    return application->summary;
}

double hsi_by_problem_size(const hsi_kernel_graph *g, double small, double medium, double large)
{
    return g->problem == HS_SMALL ? small : g->problem == HS_MEDIUM ? medium : large;
}

size_t hsi_kernel(hsi_kernel_graph *g, const char *id, hsi_measured kind, double work,
                  uint32_t count)
{
    char    name[96];
    hs_task task = {.struct_size = sizeof task};

    snprintf(name, sizeof name, "%s-%s", g->name, id);
    task.id = name;
    task.cpu = measured[kind].cpu * work;
    task.gpu = measured[kind].gpu * work;
    task.count = count;
    if (g->status == HS_OK)
        g->status = hs_builder_add_row(g->builder, &task);
    return g->rows++;
}

size_t hsi_application_add_array(hsi_kernel_graph *g, const char *name, double count)
{
    char   full[96];
    size_t data = 0;

    snprintf(full, sizeof full, "%s-%s", g->name, name);
    if (g->status == HS_OK)
        g->status = hs_builder_add_handle(g->builder, full, &data);
    if (g->status == HS_OK)
        g->status = hs_builder_set_handle_bytes(g->builder, data, 8 * count);
    return data;
}

void hsi_application_add_access(hsi_kernel_graph *g, size_t row, size_t data, hs_access_mode mode)
{
    if (g->status == HS_OK)
        g->status = hs_builder_add_access(g->builder, row, data, mode);
}

void hsi_application_add_edge(hsi_kernel_graph *g, size_t later, size_t earlier, double bytes)
{
    if (g->status == HS_OK)
        g->status = hs_builder_add_predecessor(g->builder, later, earlier, 0, bytes);
}

static hs_status add_notes(hs_builder *b, const hs_copies *parts, size_t count, hs_problem problem,
                           unsigned cpus, unsigned gpus)
{
    char      command[4096] = "hsched-gen applications ";
    size_t    length = strlen(command);
    hs_status st;

    for (size_t i = 0; i < count && length < sizeof command; i++)
        length += (size_t)snprintf(command + length, sizeof command - length, "%s%s:%u",
                                   i ? "," : "", parts[i].application->name, parts[i].copies);
    if (length < sizeof command)
        snprintf(command + length, sizeof command - length, " --problem %s -m %u -k %u",
                 problems[problem], cpus, gpus);
    st = hs_builder_add_note(b, "generator", command);
    return st == HS_OK ? hs_builder_add_note(b, "source", source) : st;
}

/* Write the parts. Copies of an application are numbered consecutively over all parts. */
static hs_status add_parts(hs_builder *b, const hs_copies *parts, size_t count, hs_problem problem)
{
    char             name[64];
    hsi_kernel_graph g = {.builder = b, .problem = problem, .name = name};
    unsigned         made[sizeof registry / sizeof *registry] = {0};

    for (size_t i = 0; i < count; i++) {
        size_t which = 0;

        while (registry[which] != parts[i].application)
            which++;
        for (unsigned c = 0; c < parts[i].copies && g.status == HS_OK; c++) {
            snprintf(name, sizeof name, "%s-%u", registry[which]->name, ++made[which]);
            registry[which]->write(&g);
            if (g.rows > HS_MAX_TASKS)
                return HS_ETOOBIG;
        }
    }
    return g.status;
}

static bool is_sound(const hs_copies *parts, size_t count, hs_problem problem)
{
    if (!parts || problem < HS_SMALL || problem > HS_LARGE)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!parts[i].application || !hs_application_find(parts[i].application->name))
            return false;
    return true;
}

hs_status hs_generate_applications(const hs_copies *parts, size_t count, hs_problem problem,
                                   unsigned cpus, unsigned gpus, hs_instance **out, hs_error *error)
{
    hs_builder *b = NULL;
    hs_status   st;

    if (!out || !is_sound(parts, count, problem))
        return hsi_error_set(error, HS_EINVAL, "no such application or problem size");
    st = hs_builder_create(&b);
    if (st == HS_OK)
        st = hs_builder_set_workers(b, cpus, gpus);
    if (st == HS_OK)
        st = hs_builder_set_unit(b, HS_MICROSECONDS);
    if (st == HS_OK)
        st = add_notes(b, parts, count, problem, cpus, gpus);
    if (st == HS_OK)
        st = add_parts(b, parts, count, problem);
    st = st == HS_OK ? hs_builder_finish(b, out, error) : hsi_error_set_status(error, st);
    hs_builder_free(b);
    return st;
}
