/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "generate/draws.h"
#include "generate/graph/shape.h"
#include "support/decimal/decimal.h"
#include "support/sized.h"

static const char *const names[] = {
    [HS_CHAIN] = "chain",   [HS_FORK_JOIN] = "fork-join", [HS_LAYERED] = "layered",
    [HS_RANDOM] = "random", [HS_REDUCTION] = "reduction", [HS_TOPCUOGLU] = "topcuoglu",
};

void hs_shaped_init_sized(hs_shaped *spec, size_t size)
{
    static const hs_shaped defaults = {
        .tasks = 300,
        .cpus = 20,
        .gpus = 4,
        .degree = 2,
        .alpha = 1,
        .bandwidth = 1e10,
        .gamma = {.cpu_mean = 15, .cpu_cv = 0.2, .gpu_mean = 1, .gpu_cv = 1},
        .uniform = {.cpu_low = 1, .cpu_high = 100, .gpu_low = 1, .gpu_high = 10},
        .mean = 1,
        .beta = 0.5,
    };

    hsi_sized_init(spec, size, &defaults, sizeof defaults);
}

/* A command line of hsched-gen under construction. */
typedef struct command {
    char   text[4608];
    size_t length;
} command;

static void put(command *c, const char *format, ...)
{
    va_list rest;
    int     written;

    va_start(rest, format);
    written = vsnprintf(c->text + c->length, sizeof c->text - c->length, format, rest);
    va_end(rest);
    c->length += (size_t)written;
    if (c->length >= sizeof c->text)
        c->length = sizeof c->text - 1;
}

static void put_real(command *c, const char *option, double value)
{
    char number[HSI_DECIMAL_MAX];

    hsi_decimal_write(value, number);
    put(c, " --%s %s", option, number);
}

static void put_range(command *c, const char *option, double low, double high)
{
    char number[2][HSI_DECIMAL_MAX];

    hsi_decimal_write(low, number[0]);
    hsi_decimal_write(high, number[1]);
    put(c, " --%s %s:%s", option, number[0], number[1]);
}

static void put_law(command *c, const hs_shaped *spec)
{
    switch (spec->law) {
    case HS_LAW_GAMMA:
        put(c, " --times gamma");
        put_real(c, "cpu-mean", spec->gamma.cpu_mean);
        put_real(c, "cpu-cv", spec->gamma.cpu_cv);
        put_real(c, "gpu-mean", spec->gamma.gpu_mean);
        put_real(c, "gpu-cv", spec->gamma.gpu_cv);
        break;
    case HS_LAW_UNIFORM:
        put(c, " --times uniform");
        put_range(c, "cpu-range", spec->uniform.cpu_low, spec->uniform.cpu_high);
        put_range(c, "gpu-range", spec->uniform.gpu_low, spec->uniform.gpu_high);
        put(c, "%s", spec->uniform.integer ? " --integer" : "");
        break;
    case HS_LAW_SPREAD:
        put(c, " --times spread");
        put_real(c, "mean", spec->mean);
        put_real(c, "beta", spec->beta);
        break;
    case HS_LAW_KERNELS:
        put(c, " --kernels %s", spec->table->name);
    }
}

static void describe(const hs_shaped *spec, command *c)
{
    put(c, "hsched-gen %s -n %zu -m %u -k %u", names[spec->shape], spec->tasks, spec->cpus,
        spec->gpus);
    if ((spec->shape == HS_FORK_JOIN || spec->shape == HS_LAYERED) && spec->width)
        put(c, " --width %zu", spec->width);
    if (spec->shape != HS_CHAIN && spec->shape != HS_FORK_JOIN)
        put(c, " --degree %u", spec->degree);
    if (spec->shape == HS_TOPCUOGLU)
        put_real(c, "alpha", spec->alpha);
    if (spec->ccr > 0) {
        put_real(c, "ccr", spec->ccr);
        put_real(c, "bandwidth", spec->bandwidth);
    }
    put_law(c, spec);
    put(c, " -s %" PRIu64, spec->seed);
}

static hs_status add_notes(const hs_shaped *spec, hs_builder *b)
{
    command   c = {.length = 0};
    hs_status st;

    describe(spec, &c);
    st = hs_builder_add_note(b, "generator", c.text);
    if (st == HS_OK && spec->law == HS_LAW_KERNELS && spec->table->source && *spec->table->source)
        st = hs_builder_add_note(b, "source", spec->table->source);
    return st;
}

static hs_status add_links(const hs_shaped *spec, hs_builder *b)
{
    hs_status st = hs_builder_set_link(b, HS_H2D, 0, spec->bandwidth);

    return st == HS_OK ? hs_builder_set_link(b, HS_D2H, 0, spec->bandwidth) : st;
}

static hs_status draw(const hs_shaped *spec, hs_builder *b)
{
    hs_unit     unit = spec->law == HS_LAW_KERNELS ? spec->table->unit : HS_SECONDS;
    hsi_drawing d = {.spec = spec, .builder = b};
    double      mean;
    hs_status   st;

    hsi_random_seed(&d.edges, spec->seed, HSI_STREAM_EDGES);
    hsi_random_seed(&d.bytes, spec->seed, HSI_STREAM_BYTES);
    st = hs_builder_set_unit(b, unit);
    if (st == HS_OK)
        st = hsi_draw_tasks(spec, b, &mean);
    if (st != HS_OK)
        return st;
    d.mean_bytes = spec->ccr * mean * hs_unit_seconds(unit) * spec->bandwidth;
    if (!isfinite(2 * d.mean_bytes))
        return HS_EOVERFLOW;
    d.marked = calloc(spec->tasks ? spec->tasks : 1, sizeof *d.marked);
    if (!d.marked)
        return HS_ENOMEM;
    st = hsi_shape_function(spec->shape)(&d);
    free(d.marked);
    return st;
}

static hs_status check(const hs_shaped *spec, hs_error *error)
{
    if (!hsi_shape_function(spec->shape) ||
        (spec->law == HS_LAW_KERNELS && !(spec->table && spec->table->name)))
        return hsi_error_set(error, HS_EINVAL, "no such shape, or no kernel table");
    if (spec->degree < 1 || !(spec->alpha > 0 && isfinite(spec->alpha)) ||
        !(spec->ccr >= 0 && isfinite(spec->ccr)) ||
        !(spec->bandwidth > 0 && isfinite(spec->bandwidth)))
        return hsi_error_set(error, HS_EINVAL,
                             "degree %u, alpha %g, ccr %g, bandwidth %g; expected finite numbers, "
                             "a degree of at least 1, a ccr of at least 0, the others above 0",
                             spec->degree, spec->alpha, spec->ccr, spec->bandwidth);
    return hsi_check_task_count(spec->tasks, error);
}

hs_status hs_generate_shaped(const hs_shaped *given, hs_instance **out, hs_error *error)
{
    hs_shaped   spec;
    hs_builder *b = NULL;
    hs_status   st;

    hs_shaped_init(&spec);
    if (!given || !out || !hsi_sized_copy_in(&spec, sizeof spec, given))
        return hsi_error_set_status(error, HS_EINVAL);
    st = check(&spec, error);
    if (st != HS_OK)
        return st;
    st = hs_builder_create(&b);
    if (st == HS_OK)
        st = hs_builder_set_workers(b, spec.cpus, spec.gpus);
    if (st == HS_OK)
        st = add_notes(&spec, b);
    if (st == HS_OK && spec.ccr > 0)
        st = add_links(&spec, b);
    if (st == HS_OK)
        st = draw(&spec, b);
    st = st == HS_OK ? hs_builder_finish(b, out, error) : hsi_error_set_status(error, st);
    hs_builder_free(b);
    return st;
}
