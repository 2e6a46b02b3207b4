/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"
#include "exec/backend/kernel/kernel.h"

/*
 * Random numbers within +-1/64, so that triangular matrices with ones on the diagonal are well
 * conditioned. The data of a job start at one of 8192 places of the pool, on a cache line.
 */
#define AMPLITUDE (1.0 / 64)
enum { PLACES = 8192, PLACE = 8, SLACK = PLACES * PLACE };
enum { LINE = 64, PIECE = 1 << 16, COPIED = 1 << 19 }; /* bytes; numbers, and bytes, at once */

/* splitmix64 (Steele, Lea, Flood 2014): element `index` of the sequence from 0. */
uint64_t hsi_draw(uint64_t index)
{
    uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double number(size_t index)
{
    return ((double)(hsi_draw(index) >> 11) * 0x1p-52 - 1) * AMPLITUDE;
}

static void *get(const hsi_space *space, size_t bytes)
{
    return space->allocate ? space->allocate(bytes, space->data) : aligned_alloc(LINE, bytes);
}

static void give(const hsi_space *space, void *memory)
{
    if (!space->release)
        free(memory);
    else if (memory)
        space->release(memory, space->data);
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static size_t square(int n)
{
    return (size_t)n * (size_t)n;
}

static size_t area(hsi_shape shape)
{
    return (size_t)shape.n * (size_t)shape.columns;
}

size_t hsi_pool_elements(hsi_shape shape)
{
    return (shape.columns > shape.n ? area(shape) : square(shape.n)) + SLACK;
}

static size_t matrix_bytes(const hsi_kernel *kernel, hsi_shape shape)
{
    return whole_lines(area(shape) * hsi_kernel_element_bytes(kernel));
}

/* Return the bytes of a job's vectors and factors: t, work, x, want, got, and the pivots. */
static size_t vector_bytes(int n)
{
    return sizeof(double) *
           ((size_t)n * (2 * HSI_KERNEL_PANEL + 5 + 1) + HSI_KERNEL_PANEL * HSI_KERNEL_PANEL);
}

static size_t room_bytes(const hsi_kernel *kernel, hsi_shape shape)
{
    return whole_lines(vector_bytes(shape.n) +
                       (size_t)kernel->outputs * matrix_bytes(kernel, shape));
}

double hsi_kernel_bytes(const hsi_kernel *kernel, hsi_shape shape)
{
    return (double)room_bytes(kernel, shape) +
           (double)(hsi_pool_elements(shape) * hsi_kernel_element_bytes(kernel));
}

void hsi_space_free(hsi_space *space)
{
    give(space, space->pool[0].at);
    give(space, space->pool[1].at);
    give(space, space->room);
    *space = (hsi_space){space->allocate, space->release, .data = space->data};
}

/* Reallocate for at least `elements` elements; the old content is lost. */
static void grow(hsi_job *job, void **memory, size_t *size, size_t elements, size_t element)
{
    if (elements <= *size)
        return;
    give(job->space, *memory);
    *memory = get(job->space, whole_lines(elements * element));
    *size = *memory ? elements : 0;
    if (!*memory)
        job->no_memory = job->stopped = true;
}

/* Return the part of the results that the job computes, from column 0 on. */
static hsi_shape shape_of(const hsi_job *job)
{
    return (hsi_shape){.n = job->n, .columns = job->columns};
}

/* Fill the pool up to the job's size. A pool that must grow, which is rare, is filled again. */
static void fill_pool(hsi_job *job)
{
    int          single = job->kernel->single;
    hsi_numbers *pool = &job->space->pool[single];
    size_t       had = pool->size, size = hsi_pool_elements(shape_of(job)), i, end;

    grow(job, &pool->at, &pool->size, size, hsi_kernel_element_bytes(job->kernel));
    if (pool->size != had)
        pool->filled = 0;
    while (pool->filled < size && !hsi_job_is_stopped(job)) {
        end = pool->filled + PIECE < pool->size ? pool->filled + PIECE : pool->size;
        for (i = pool->filled; i < end; i++)
            if (single)
                ((float *)pool->at)[i] = (float)number(i);
            else
                ((double *)pool->at)[i] = number(i);
        pool->filled = end;
    }
}

/* Set the addresses of vectors and factors, from offset `at` of the space's room on. */
static void lay_out_vectors(hsi_job *job, size_t at)
{
    size_t n = (size_t)job->n;

    job->t = (char *)job->space->room + at;
    job->work = hsi_element_address(job, job->t, n * HSI_KERNEL_PANEL);
    job->x = hsi_element_address(job, job->work,
                                 n * HSI_KERNEL_PANEL + HSI_KERNEL_PANEL * HSI_KERNEL_PANEL);
    job->want = hsi_element_address(job, job->x, n);
    job->got = hsi_element_address(job, job->want, 2 * n);
    job->pivots = hsi_element_address(job, job->got, 2 * n);
    memset(job->want, 0, hsi_kernel_element_bytes(job->kernel) * 4 * n); /* and `got` behind it */
}

static size_t lay_out_results(hsi_job *job)
{
    size_t at = 0;
    int    i;

    for (i = 0; i < job->kernel->outputs; i++, at += matrix_bytes(job->kernel, shape_of(job)))
        job->out[i] = (char *)job->space->room + at;
    return at;
}

/* Return the start of input `which` in the pool; the job's seed selects it. */
static const void *numbers(const hsi_job *job, int which)
{
    size_t place = (size_t)(job->seed >> (16 * which)) % PLACES * PLACE;

    return hsi_element_address(job, job->space->pool[job->kernel->single].at, place);
}

/* Set the addresses of the data. Column j of the results depends on row j of the last input. */
static void locate(hsi_job *job)
{
    const hsi_kernel *kernel = job->kernel;
    int               i;

    for (i = 0; i < kernel->inputs; i++)
        job->in[i] = numbers(job, i);
    for (i = 0; i < kernel->outputs; i++)
        job->from[i] = numbers(job, kernel->first + i);
    if (job->first > 0) {
        job->in[kernel->inputs - 1] =
            hsi_element_address(job, job->in[kernel->inputs - 1], (size_t)job->first);
        job->from[0] = hsi_element_address_at(job, job->from[0], job->n, 0, job->first);
    }
    if (kernel->dominant)
        job->diagonal = 1 + job->n / 64.0;
}

static void copy(hsi_job *job)
{
    size_t n = (size_t)job->n, at;
    size_t bytes = n * (size_t)job->columns * hsi_kernel_element_bytes(job->kernel);
    int    i;

    for (i = 0; i < job->kernel->outputs && !job->kernel->overwrites; i++)
        for (at = 0; at < bytes && !hsi_job_is_stopped(job); at += COPIED)
            memcpy((char *)job->out[i] + at, (const char *)job->from[i] + at,
                   bytes - at < COPIED ? bytes - at : COPIED);
    for (at = 0; job->diagonal != 0 && at < n && !job->stopped; at++)
        hsi_element_set(job, hsi_element_address(job, job->out[0], at * (n + 1)), 0, job->diagonal);
}

static void draw_signs(hsi_job *job)
{
    int i;

    for (i = 0; i < job->n; i++)
        hsi_element_set(job, job->x, i, hsi_draw(job->seed + (uint64_t)i) >> 63 ? 1 : -1);
}

bool hsi_job_is_stopped(hsi_job *job)
{
    if (!job->stopped && hs_attempt_cancelled(job->attempt))
        job->stopped = true;
    return job->stopped;
}

void hsi_job_set_info(hsi_job *job, int info)
{
    if (info == 0 || job->stopped) /* after a stop, the code means nothing */
        return;
    job->info = info;
    job->stopped = true;
}

/* FNV-1a of the name, then mixed. */
uint64_t hsi_job_seed(const char *name)
{
    uint64_t h = hsi_digest_bytes(HSI_FNV_BASIS, name, strlen(name));

    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

void hsi_job_locate(hsi_job *job, const hsi_kernel *kernel, hsi_shape shape, uint64_t seed,
                    const hs_attempt *attempt, hsi_space *space)
{
    *job = (hsi_job){.kernel = kernel,
                     .attempt = attempt,
                     .space = space,
                     .n = shape.n,
                     .first = shape.first,
                     .columns = shape.columns,
                     .seed = seed};
    fill_pool(job);
    if (!hsi_job_is_stopped(job))
        locate(job);
}

void hsi_job_begin(hsi_job *job, const hsi_kernel *kernel, hsi_shape shape, uint64_t seed,
                   const hs_attempt *attempt, hsi_space *space)
{
    hsi_job_locate(job, kernel, shape, seed, attempt, space);
    grow(job, &space->room, &space->room_size, room_bytes(kernel, shape), 1);
    if (hsi_job_is_stopped(job))
        return;
    lay_out_vectors(job, lay_out_results(job));
    draw_signs(job);
    copy(job);
}

size_t hsi_job_vector_bytes(int n)
{
    return whole_lines(vector_bytes(n));
}

void hsi_job_allocate_vectors(hsi_job *job)
{
    grow(job, &job->space->room, &job->space->room_size, hsi_job_vector_bytes(job->n), 1);
    if (hsi_job_is_stopped(job))
        return;
    lay_out_vectors(job, 0);
    draw_signs(job);
}

void hsi_job_predict_product(hsi_job *job)
{
    if (hsi_job_is_stopped(job))
        return;
    job->kernel->predict(job);
    memset(job->got, 0, hsi_kernel_element_bytes(job->kernel) * 2 * (size_t)job->n);
}

/* Add to `want` the difference between the job's diagonal of the first result and the pool's. */
static void add_diagonal(hsi_job *job)
{
    int    n = job->n, i;
    double there;

    for (i = 0; job->diagonal != 0 && i < n; i++) {
        there = hsi_element_get(job, hsi_element_address_at(job, job->from[0], n, i, i), 0);
        hsi_element_set(job, job->want, i,
                        hsi_element_get(job, job->want, i) +
                            (job->diagonal - there) * hsi_element_get(job, job->x, i));
    }
}

/* Let predict() read the initial values from the pool, which is constant. */
void hsi_job_predict_product_from_pool(hsi_job *job)
{
    int i;

    if (hsi_job_is_stopped(job))
        return;
    for (i = 0; i < job->kernel->outputs; i++)
        job->out[i] = (void *)(uintptr_t)job->from[i];
    hsi_job_predict_product(job);
    add_diagonal(job);
    job->out[0] = job->out[1] = NULL;
}

void hsi_job_compute(hsi_job *job)
{
    if (!hsi_job_is_stopped(job))
        job->kernel->compute(job);
}

static double residual_of(const hsi_kernel *kernel, int n, double error, double size)
{
    double epsilon = kernel->single ? 0x1p-24 : 0x1p-53;

    return sqrt(error) / (epsilon * sqrt(n) * (sqrt(size) + n * AMPLITUDE));
}

double hsi_job_residual(hsi_job *job)
{
    double error = 0, size = 0;
    int    i;

    if (hsi_job_is_stopped(job))
        return 0;
    job->kernel->observe(job);
    for (i = 0; i < job->kernel->outputs * job->n; i++) {
        double want = hsi_element_get(job, job->want, i),
               difference = hsi_element_get(job, job->got, i) - want;

        error += difference * difference;
        size += want * want;
    }
    return residual_of(job->kernel, job->n, error, size);
}
