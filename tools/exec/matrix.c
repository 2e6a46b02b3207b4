/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: reading the matrix to factorise, and writing its factors. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/escape.h"
#include "common/input.h"
#include "common/message.h"
#include "exec/exec.h"
#include "exec/npy.h"

enum { ORDER_MOST = 1 << 24 };

static int refuse(const input *in, const char *why)
{
    message("%s: %s", in->name, why);
    return EXIT_USAGE;
}

static int too_large(const input *in, double most)
{
    char why[NPY_WHY];

    snprintf(why, sizeof why, "it has more than the %.0f bytes that a matrix of these tiles takes",
             most);
    return refuse(in, why);
}

typedef struct bytes {
    unsigned char *at;
    size_t         size, room;
} bytes;

/* Enlarge the buffer. For a regular file, allow one byte more than its size, to see its end. */
static int grow(bytes *b, int fd)
{
    struct stat    st;
    size_t         room = b->room ? 2 * b->room : 65536;
    unsigned char *at;

    if (!b->room && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        room = (size_t)st.st_size + 1;
    at = realloc(b->at, room);
    if (!at)
        return 0;
    b->at = at;
    b->room = room;
    return 1;
}

/*
 * Return the largest size of a file with the instance's matrix: N x N tiles have N (N + 1) / 2
 * names or more, and kernel names end in the order of a tile. Infinite if they do not.
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
    return order > 0 ? sizeof(double) * order * order + NPY_HEADER_MOST : INFINITY;
}

/* Read the whole file. Return 0, or an exit code after a message. */
static int read_all(const input *in, double most, bytes *b)
{
    ssize_t     got = 1;
    struct stat st;

    if (fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) && (double)st.st_size > most)
        return too_large(in, most);
    while (got > 0) {
        if ((double)b->size > most)
            return too_large(in, most);
        if (b->size == b->room && !grow(b, in->fd))
            return message_status(HS_ENOMEM, in->name);
        got = read(in->fd, b->at + b->size, b->room - b->size);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got < 0)
            return input_status(in, HS_EIO, NULL);
        else
            b->size += (size_t)got;
    }
    return EXIT_OK;
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
static int take_npy(const input *in, bytes *b, size_t *order)
{
    char why[NPY_WHY];
    npy  head;

    if (!npy_read(b->at, b->size, &head, why))
        return refuse(in, why);
    b->size -= head.start;
    if (head.rows > ORDER_MOST || b->size != sizeof(double) * head.rows * head.rows) {
        snprintf(why, sizeof why,
                 "its shape is (%zu, %zu), which %zu bytes behind its header are not", head.rows,
                 head.columns, b->size);
        return refuse(in, why);
    }
    memmove(b->at, b->at + head.start, b->size);
    *order = head.rows;
    if (!head.by_column)
        transpose((double *)(void *)b->at, *order);
    return EXIT_OK;
}

static int take_raw(const input *in, const bytes *b, size_t *order)
{
    char why[NPY_WHY];

    for (*order = 0; sizeof(double) * *order * *order < b->size; ++*order)
        ;
    if (sizeof(double) * *order * *order == b->size)
        return EXIT_OK;
    snprintf(why, sizeof why,
             "%zu bytes are no square matrix of doubles, of which order n has 8 n^2, and it is no "
             ".npy file",
             b->size);
    return refuse(in, why);
}

int exec_matrix_read(const char *path, const hs_instance *of, double **matrix, size_t *order)
{
    bytes b = {0};
    input in;
    int   code = input_open(path, &in);

    if (code)
        return code;
    code = read_all(&in, most_bytes(of), &b);
    if (!code)
        code = npy_is(b.at, b.size) ? take_npy(&in, &b, order) : take_raw(&in, &b, order);
    input_close(&in);
    if (code)
        free(b.at);
    else
        *matrix = (double *)(void *)b.at;
    return code;
}

static int is_npy(const char *path)
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
    hs_exec_factorised(job->exec, &f);
    count = f.order * f.order;
    factors = malloc(count * sizeof *factors);
    status = factors ? hs_exec_factors(job->exec, factors) : HS_ENOMEM;
    if (status == HS_OK && is_npy(path))
        npy_write(out, f.order);
    if (status == HS_OK && fwrite(factors, sizeof *factors, count, out) < count)
        status = HS_EIO;
    free(factors);
    return status;
}
