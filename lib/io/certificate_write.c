/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include <hybridsched/io.h>

#include "core/certificate.h"
#include "core/digest.h"
#include "io/text/output.h"

/*
 * The writer of a certificate. All text passes through put(), which computes the checksum of the
 * last line: FNV-1a over all bytes before it.
 */
typedef struct writer {
    hsi_output out;
    uint64_t   sum;
} writer;

static void put(writer *w, const char *text)
{
    hsi_output_text(&w->out, text);
    w->sum = hsi_digest_bytes(w->sum, text, strlen(text));
}

static void put_integer(writer *w, const char *name, int64_t value)
{
    char text[96];

    snprintf(text, sizeof text, "%s,%lld\n", name, (long long)value);
    put(w, text);
}

/* Format a double without rounding as INTEGER*2^EXPONENT. */
static const char *exact(double value, char text[48])
{
    int     exponent;
    int64_t mantissa = (int64_t)ldexp(frexp(value, &exponent), 53);

    exponent -= 53;
    for (; mantissa && mantissa % 2 == 0; exponent++)
        mantissa /= 2;
    snprintf(text, 48, "%lld*2^%d", (long long)mantissa, mantissa ? exponent : 0);
    return text;
}

/* Write a line with a number in two forms: the shortest decimal, and INTEGER*2^EXPONENT. */
static void put_real(writer *w, const char *name, double value)
{
    char decimal[32], form[48], text[128];

    hs_format_double(value, decimal);
    snprintf(text, sizeof text, "%s,%s,%s\n", name, decimal, exact(value, form));
    put(w, text);
}

static void put_kind(writer *w, const hsi_certified_kind *kind)
{
    char cpu[32], gpu[32], text[128];

    hs_format_double(kind->cpu, cpu);
    hs_format_double(kind->gpu, gpu);
    snprintf(text, sizeof text, "task,%s,%s,%lld\n", cpu, gpu, (long long)kind->multiplier);
    put(w, text);
}

static void put_times(writer *w, const hsi_certified_kind *kind)
{
    char cpu[32], gpu[32], text[128];

    hs_format_double(kind->cpu, cpu);
    hs_format_double(kind->gpu, gpu);
    snprintf(text, sizeof text, "task,%s,%s\n", cpu, gpu);
    put(w, text);
}

static void put_worth(writer *w, const hs_certificate *c, const int64_t *worth)
{
    char   text[96];
    size_t i;

    for (i = 0; i < c->kinds && !hsi_output_failed(&w->out); i++, worth += HSI_CLASSES) {
        if (worth[HSI_CPU_TASKS] || worth[HSI_GPU_TASKS])
            snprintf(text, sizeof text, "worth,%lld,%lld,%lld\n", (long long)worth[HSI_FREE_TASKS],
                     (long long)worth[HSI_CPU_TASKS], (long long)worth[HSI_GPU_TASKS]);
        else
            snprintf(text, sizeof text, "worth,%lld\n", (long long)worth[HSI_FREE_TASKS]);
        put(w, text);
    }
}

static void put_steps(writer *w, const hsi_proof_path *path)
{
    char text[32];

    for (size_t i = 0; i < path->steps && !hsi_output_failed(&w->out); i++) {
        if (hsi_step_is_jump(path->step[i]))
            snprintf(text, sizeof text, path->step[i] == HSI_OVER_GPUS ? ",gpu" : ",cpu");
        else
            snprintf(text, sizeof text, ",%lu", (unsigned long)path->step[i]);
        put(w, text);
    }
    put(w, "\n");
}

static void put_path(writer *w, const hsi_proof_path *path)
{
    char text[64], form[48];

    snprintf(text, sizeof text, "path,%s", exact(path->multiplier, form));
    put(w, text);
    put_steps(w, path);
}

static void put_tasks(writer *w, const hsi_proof_row *row)
{
    char text[32];

    for (size_t i = 0; i < row->tasks && !hsi_output_failed(&w->out); i++) {
        snprintf(text, sizeof text, ",%lu", (unsigned long)row->list[i]);
        put(w, text);
    }
}

static void put_row(writer *w, const hsi_proof_row *row)
{
    static const char *const names[] = {"head",        "tail",   "ancestors",
                                        "descendants", "window", "closed"};
    char                     text[160], x[48], y[48];

    snprintf(text, sizeof text, "%s", names[row->kind]);
    put(w, text);
    if (row->kind != HSI_ROW_WINDOW) {
        snprintf(text, sizeof text, ",%lu", (unsigned long)row->task);
        put(w, text);
    }
    if (hsi_row_has_tasks(row->kind)) {
        snprintf(text, sizeof text, ",%s,%s", exact(row->multiplier[HS_CPU], x),
                 exact(row->multiplier[HS_GPU], y));
        put(w, text);
        put_tasks(w, row);
    } else if (row->kind != HSI_ROW_CLOSED) {
        snprintf(text, sizeof text, ",%s,%lu", row->type == HS_CPU ? "cpu" : "gpu",
                 (unsigned long)row->other);
        put(w, text);
    }
    put(w, "\n");
}

static void put_node(writer *w, const hs_certificate *c, const hsi_proof_node *node)
{
    char text[160], u[48], v[48];

    switch (node->step) {
    case HSI_STEP_BRANCH:
        snprintf(text, sizeof text, "branch,%lu,%lu\n", (unsigned long)node->kind,
                 (unsigned long)node->cut);
        break;
    case HSI_STEP_MULTIPLIERS:
    case HSI_STEP_GRAPH:
        snprintf(text, sizeof text, "multipliers,%s,%s\n", exact(node->multiplier[HS_CPU], u),
                 exact(node->multiplier[HS_GPU], v));
        break;
    case HSI_STEP_CONFIGURATION:
        snprintf(text, sizeof text, "configuration,%d,%lld,%lld,%lld\n", node->grid,
                 (long long)node->capacity, (long long)node->most[HS_CPU],
                 (long long)node->most[HS_GPU]);
        break;
    case HSI_STEP_PACKING:
        snprintf(text, sizeof text, "packing,%s\n", node->type == HS_CPU ? "cpu" : "gpu");
        break;
    case HSI_STEP_TYPE:
        snprintf(text, sizeof text, "type,%lu\n", (unsigned long)node->kind);
        break;
    case HSI_STEP_ORDER:
        snprintf(text, sizeof text, "order,%lu,%lu\n", (unsigned long)node->kind,
                 (unsigned long)node->cut);
        break;
    case HSI_STEP_CROWD:
        put(w, "crowd");
        put_steps(w, node->path);
        return;
    case HSI_STEP_WINDOWS:
        for (size_t i = 0; i < node->rows && !hsi_output_failed(&w->out); i++)
            put_row(w, &node->row[i]);
        return;
    }
    put(w, text);
    if (node->worth)
        put_worth(w, c, node->worth);
    for (size_t i = 0; i < node->paths && !hsi_output_failed(&w->out); i++)
        put_path(w, &node->path[i]);
}

static void put_tree(writer *w, const hs_certificate *c)
{
    put_integer(w, "kinds", (int64_t)c->kinds);
    for (size_t i = 0; i < c->kinds && !hsi_output_failed(&w->out); i++)
        put_times(w, &c->kind[i]);
    for (size_t i = 0; i < c->nodes && !hsi_output_failed(&w->out); i++)
        put_node(w, c, &c->node[i]);
}

static void put_proof(writer *w, const hs_certificate *c)
{
    switch (c->proof) {
    case HSI_PROOF_NONE:
        put(w, "proof,none\n");
        break;
    case HSI_PROOF_TASK:
        put(w, "proof,task\n");
        break;
    case HSI_PROOF_MULTIPLIERS:
        put(w, "proof,multipliers\n");
        put_real(w, "cpu-multiplier", c->multiplier[HS_CPU]);
        put_real(w, "gpu-multiplier", c->multiplier[HS_GPU]);
        break;
    case HSI_PROOF_CONFIGURATION:
        put(w, "proof,configuration\n");
        put_integer(w, "grid", c->grid);
        put_integer(w, "capacity", c->capacity);
        put_integer(w, "cpu-most", c->most[HS_CPU]);
        put_integer(w, "gpu-most", c->most[HS_GPU]);
        for (size_t i = 0; i < c->kinds && !hsi_output_failed(&w->out); i++)
            put_kind(w, &c->kind[i]);
        break;
    case HSI_PROOF_TREE:
        put(w, "proof,tree\n");
        put_tree(w, c);
        break;
    case HSI_PROOF_GRAPH_TREE:
    case HSI_PROOF_WINDOWS:
        put(w, c->proof == HSI_PROOF_WINDOWS ? "proof,windows\n" : "proof,graph-tree\n");
        for (size_t i = 0; i < c->nodes && !hsi_output_failed(&w->out); i++)
            put_node(w, c, &c->node[i]);
        break;
    case HSI_PROOF_GRAPH:
        put(w, "proof,graph\n");
        put_real(w, "cpu-multiplier", c->multiplier[HS_CPU]);
        put_real(w, "gpu-multiplier", c->multiplier[HS_GPU]);
        for (size_t i = 0; i < c->paths && !hsi_output_failed(&w->out); i++)
            put_path(w, &c->path[i]);
        break;
    }
}

hs_status hs_certificate_write(int fd, const hs_certificate *certificate)
{
    writer    w = {.sum = HSI_FNV_BASIS};
    char      text[64];
    hs_status st;

    if (!certificate)
        return HS_EINVAL;
    st = hsi_output_open(&w.out, fd);
    if (st != HS_OK)
        return st;
    put(&w, "# hybridsched certificate 1\n");
    snprintf(text, sizeof text, "bound,%s\n", certificate->bound);
    put(&w, text);
    put_real(&w, "value", certificate->value);
    snprintf(text, sizeof text, "instance-digest,%016llx\n",
             (unsigned long long)certificate->digest);
    put(&w, text);
    put_proof(&w, certificate);
    snprintf(text, sizeof text, "checksum,%016llx\n", (unsigned long long)w.sum);
    hsi_output_text(&w.out, text);
    return hsi_output_close(&w.out);
}
