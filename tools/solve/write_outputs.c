/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-solve: the plan, the pictures, the certificate and the filled instance. */
#include "common/files.h"
#include "solve/solve.h"

static const char *best_algorithm(const solve_result *result)
{
    const solve_row *best = &result->algorithms[0];

    for (size_t i = 1; i < result->algorithm_count; i++)
        if (result->algorithms[i].value < best->value)
            best = &result->algorithms[i];
    return best->name;
}

static void note_bound(hs_plan_info *info, const char *name, double value)
{
    hs_named_bound *bound = &info->bounds[info->bound_count++];

    snprintf(bound->name, sizeof bound->name, "%s", name);
    bound->value = value;
}

/*
 * Note the bounds in the plan. With a certificate, note only its bound. Otherwise note the computed
 * bounds, and the best bound of a search if it is larger than all of them.
 */
static void note_bounds(hs_plan_info *info, const solve_result *result)
{
    enum { ROOM = sizeof info->bounds / sizeof *info->bounds };
    const hs_certificate *proof = result->certificate;
    bool                  said = false;

    if (proof) {
        note_bound(info, hs_certificate_bound_name(proof), hs_certificate_proved_value(proof));
        return;
    }
    for (size_t i = 0; i < result->bound_count && i + 1 < ROOM; i++) {
        note_bound(info, result->bounds[i].name, result->bounds[i].value);
        said |= result->bounds[i].value >= result->bound.value;
    }
    if (!said && result->bound.value > 0)
        note_bound(info, result->bound.name, result->bound.value);
}

/* The data for write_file(). */
typedef struct source {
    const solve_result *result;
    const char         *algorithm; /* name of the algorithm with the best schedule */
    bool                has_busy;  /* whether workers are busy at the start (--available) */
} source;

static hs_status write_plan(int fd, const source *from)
{
    hs_plan_info info;

    hs_plan_info_init(&info);
    snprintf(info.algorithm, sizeof info.algorithm, "%s", from->algorithm);
    if (!from->has_busy) /* a plan does not record busy workers, on which the bounds depend */
        note_bounds(&info, from->result);
    return hs_plan_write(fd, from->result->in, from->result->best, &info, NULL);
}

static hs_status write_file(int which, int fd, const void *data)
{
    const source       *from = data;
    const solve_result *result = from->result;
    hs_picture          picture;
    char                title[256];

    if (which == SOLVE_PLAN)
        return write_plan(fd, from);
    if (which == SOLVE_CERTIFICATE)
        return hs_certificate_write(fd, result->certificate);
    if (which == SOLVE_DOT)
        return hs_dot_write(fd, result->in);
    if (which == SOLVE_FILLED)
        return hs_instance_write(fd, result->in, NULL);
    snprintf(title, sizeof title, "%s: %s", result->path, from->algorithm);
    hs_picture_init(&picture);
    picture.title = title;
    picture.bound = &result->bound;
    return which == SOLVE_GANTT ? hs_gantt_write(fd, result->in, result->best, &picture, NULL)
                                : hs_trace_write(fd, result->in, result->best, &picture, NULL);
}

int solve_write(solve_request *request, const solve_result *result)
{
    source from = {result, best_algorithm(result), request->available != NULL};

    return files_write(request->file, SOLVE_FILES, write_file, &from);
}
