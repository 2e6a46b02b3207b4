/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: reading the matrix to factorise, and writing its factors. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/input.h"
#include "common/message.h"
#include "exec/exec.h"
#include "exec/npy.h"

enum { ORDER_MOST = 1 << 24 };

/* The bytes read from a file; later the elements of the matrix at the start of the buffer. */
typedef struct content {
    const input *in;
    char        *at;
    size_t       size;
} content;

__attribute__((format(printf, 2, 3))) static int refuse(const content *c, const char *format, ...)
{
    char    why[2 * NPY_WHY];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    message("%s: %s", c->in->name, why);
    return EXIT_USAGE;
}

/*
 * Return the largest size of a file with the instance's matrix: N x N tiles have N (N + 1) / 2
 * names or more, and kernel names end in the order of a tile. Without such
 * names there is no limit.
 */
static double most_bytes(const hs_instance *in)
{
    double tile = 0, order, names = 0;

    for (size_t i = 0; i < hs_instance_rows(in); i++) {
        const char *colon;
        hs_task     row;

        hs_instance_row(in, i, &row);
        colon = row.kernel ? strrchr(row.kernel, ':') : NULL;
        if (colon)
            tile = fmax(tile, strtod(colon + 1, NULL));
    }
    while (hs_instance_handle_name(in, (size_t)names))
        names++;
    order = tile * sqrt(2 * names);
    return order > 0 ? sizeof(double) * order * order + NPY_HEADER_MOST : 0x1p62;
}

static void transpose(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double kept = a[i * n + j];

            a[i * n + j] = a[j * n + i];
            a[j * n + i] = kept;
        }
}

/*
 * Move the elements of a .npy file, by column, to the start of the buffer. Return 0, or an exit
 * code after a message.
 */
static int take_npy(content *c, size_t *order)
{
    char why[NPY_WHY];
    npy  head;

    if (!npy_read((unsigned char *)c->at, c->size, &head, why))
        return refuse(c, "%s", why);
    c->size -= head.start;
    if (head.rows > ORDER_MOST || c->size != sizeof(double) * head.rows * head.rows)
        return refuse(c, "%zu bytes follow the header, but a matrix of shape (%zu, %zu) has %.0f",
                      c->size, head.rows, head.columns,
                      sizeof(double) * (double)head.rows * (double)head.columns);
    memmove(c->at, c->at + head.start, c->size);
    *order = head.rows;
    if (!head.by_column)
        transpose((double *)(void *)c->at, *order);
    return EXIT_OK;
}

static int take_raw(const content *c, size_t *order)
{
    *order = (size_t)sqrt((double)(c->size / sizeof(double)));
    if (sizeof(double) * *order * *order == c->size)
        return EXIT_OK;
    return refuse(c,
                  "%zu bytes are neither a .npy file nor a square matrix of doubles, which has 8 "
                  "n^2 bytes",
                  c->size);
}

int exec_matrix_read(const char *path, const hs_instance *of, double **matrix, size_t *order)
{
    double  most = most_bytes(of);
    input   in;
    content c = {.in = &in};
    int     code = input_open(path, &in);

    if (code)
        return code;
    code = input_read_all(&in, (size_t)most, &c.at, &c.size);
    if (!code && (double)c.size > most)
        code = refuse(&c, "the file has more than the %.0f bytes of a matrix of these tiles", most);
    else if (!code)
        code = npy_is((unsigned char *)c.at, c.size) ? take_npy(&c, order) : take_raw(&c, order);
    input_close(&in);
    if (code)
        free(c.at);
    else
        *matrix = (double *)(void *)c.at;
    return code;
}

static bool is_npy(const char *path)
{
    size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

hs_status exec_matrix_write(FILE *out, const exec_job *job, const char *path)
{
    hs_exec_factorisation f;
    double               *factors;
    size_t                count;
    hs_status             status;

    hs_exec_factorisation_init(&f);
    hs_exec_describe_factorisation(job->exec, &f);
    count = f.order * f.order;
    factors = malloc(count * sizeof *factors);
    status = factors ? hs_exec_copy_factors(job->exec, factors) : HS_ENOMEM;
    if (status == HS_OK && is_npy(path))
        npy_write(out, f.order);
    if (status == HS_OK && fwrite(factors, sizeof *factors, count, out) < count)
        status = HS_EIO;
    free(factors);
    return status;
}
