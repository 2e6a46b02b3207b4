/* SPDX-License-Identifier: BSD-3-Clause */
#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend/kernel/kernel.h"

/*
 * Numbers within +-1/64, so that triangles of them with ones on the diagonal are well
 * conditioned. A job begins at one of 8192 places, on a cache line.
 */
#define AMPLITUDE (1.0 / 64)
enum { PLACES = 8192, LINE = 8, SLACK = PLACES * LINE, PIECE = 1 << 16 };

/* splitmix64 (Steele, Lea, Flood 2014): element `index` of the sequence from 0. */
static uint64_t draw(uint64_t index)
{
    uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double number(size_t index)
{
    return ((double)(draw(index) >> 11) * 0x1p-52 - 1) * AMPLITUDE;
}

static void *get(const hsi_space *space, size_t bytes)
{
    size_t whole = (bytes + 63) / 64 * 64;

    return space->allocate ? space->allocate(whole, space->data) : aligned_alloc(64, whole);
}

static void give(const hsi_space *space, void *memory)
{
    if (!space->release)
        free(memory);
    else if (memory)
        space->release(memory, space->data);
}

static size_t square(int n)
{
    return (size_t)n * (size_t)n;
}

int hsi_kernel_is_single(const hsi_kernel *kernel)
{
    return kernel->epsilon > 0x1p-53;
}

size_t hsi_pool_elements(int n)
{
    return square(n) + SLACK;
}

/* Doubles of a job beside its matrices: t, work, x, want, got, and the pivots. */
static size_t vectors(int n)
{
    return (size_t)n * (2 * HSI_KERNEL_PANEL + 5 + 1) + HSI_KERNEL_PANEL * HSI_KERNEL_PANEL;
}

static size_t room_bytes(const hsi_kernel *kernel, int n)
{
    size_t element = hsi_kernel_is_single(kernel) ? sizeof(float) : sizeof(double);

    return vectors(n) * sizeof(double) + (size_t)kernel->outputs * (square(n) + LINE) * element;
}

double hsi_kernel_bytes(const hsi_kernel *kernel, int n)
{
    size_t element = hsi_kernel_is_single(kernel) ? sizeof(float) : sizeof(double);

    return (double)room_bytes(kernel, n) + (double)((square(n) + SLACK) * element);
}

void hsi_space_free(hsi_space *space)
{
    give(space, space->pool);
    give(space, space->single);
    give(space, space->room);
    *space =
        (hsi_space){space->allocate, space->release, space->data, NULL, 0, 0, NULL, 0, 0, NULL, 0};
}

static void fail_memory(hsi_job *job)
{
    job->no_memory = 1;
    job->stopped = 1;
}

/* Filled again from the start when it has to grow, which is rare. */
static void grow_pool(hsi_job *job, size_t size)
{
    hsi_space *space = job->space;

    if (size > space->pool_size) {
        give(space, space->pool);
        space->pool_filled = space->pool_size = 0;
        space->pool = get(space, size * sizeof *space->pool);
        if (!space->pool) {
            fail_memory(job);
            return;
        }
        space->pool_size = size;
    }
    while (space->pool_filled < size && !hsi_job_stopped(job)) {
        size_t i, end = space->pool_filled + PIECE;

        for (i = space->pool_filled; i < end && i < space->pool_size; i++)
            space->pool[i] = number(i);
        space->pool_filled = i;
    }
}

static void grow_single(hsi_job *job, size_t size)
{
    hsi_space *space = job->space;

    if (size > space->single_size) {
        give(space, space->single);
        space->single_filled = space->single_size = 0;
        space->single = get(space, size * sizeof *space->single);
        if (!space->single) {
            fail_memory(job);
            return;
        }
        space->single_size = size;
    }
    while (space->single_filled < size && !hsi_job_stopped(job)) {
        size_t i, end = space->single_filled + PIECE;

        for (i = space->single_filled; i < end && i < space->single_size; i++)
            space->single[i] = (float)number(i);
        space->single_filled = i;
    }
}

static void grow_room(hsi_job *job, size_t bytes)
{
    hsi_space *space = job->space;

    if (bytes <= space->room_size)
        return;
    give(space, space->room);
    space->room_size = 0;
    space->room = get(space, bytes);
    if (space->room)
        space->room_size = bytes;
    else
        fail_memory(job);
}

static void lay_out(hsi_job *job)
{
    size_t  n = (size_t)job->n;
    double *at = job->space->room;
    int     i;

    for (i = 0; i < job->kernel->outputs && !hsi_kernel_is_single(job->kernel); i++) {
        job->out[i] = at;
        at += (n * n + LINE - 1) / LINE * LINE;
    }
    job->t = at;
    job->work = job->t + n * HSI_KERNEL_PANEL;
    job->x = job->work + n * HSI_KERNEL_PANEL + HSI_KERNEL_PANEL * HSI_KERNEL_PANEL;
    job->want = job->x + n;
    job->got = job->want + 2 * n;
    job->pivots = (int *)(void *)(job->got + 2 * n);
    if (hsi_kernel_is_single(job->kernel))
        job->out_single = (float *)(void *)(job->got + 2 * n + n);
}

static size_t place(const hsi_job *job, int which)
{
    return (size_t)(job->seed >> (16 * which)) % PLACES * LINE;
}

const double *hsi_pool(hsi_job *job, int which)
{
    return job->space->pool + place(job, which);
}

const float *hsi_pool_single(hsi_job *job, int which)
{
    return job->space->single + place(job, which);
}

void hsi_copy(hsi_job *job, const double *from, double *to)
{
    size_t size = square(job->n), i;

    job->from[job->copies++] = from;
    for (i = 0; i < size && !job->located && !hsi_job_stopped(job); i += PIECE)
        memcpy(to + i, from + i, sizeof *to * (size - i < PIECE ? size - i : PIECE));
}

void hsi_copy_single(hsi_job *job, const float *from, float *to)
{
    size_t size = square(job->n), i;

    job->from_single = from;
    for (i = 0; i < size && !job->located && !hsi_job_stopped(job); i += PIECE)
        memcpy(to + i, from + i, sizeof *to * (size - i < PIECE ? size - i : PIECE));
}

void hsi_diagonal(hsi_job *job, double value)
{
    size_t n = (size_t)job->n, i;

    job->diagonal = value;
    for (i = 0; i < n && !job->located && !job->stopped; i++)
        job->out[0][i * (n + 1)] = value;
}

static void draw_signs(hsi_job *job)
{
    int i;

    for (i = 0; i < job->n; i++)
        job->x[i] = draw(job->seed + (uint64_t)i) >> 63 ? 1 : -1;
}

/* The setting is the process's in some builds of OpenBLAS, the thread's in others. */
void hsi_blas_one_thread(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&lock);
    if (openblas_get_num_threads() != 1)
        openblas_set_num_threads(1);
    pthread_mutex_unlock(&lock);
}

int hsi_job_stopped(hsi_job *job)
{
    if (!job->stopped && hs_attempt_cancelled(job->attempt))
        job->stopped = 1;
    return job->stopped;
}

void hsi_job_info(hsi_job *job, int info)
{
    if (info == 0 || job->stopped) /* of half a matrix it would mean nothing */
        return;
    job->info = info;
    job->stopped = 1;
}

/* A number for the task's name, the same everywhere (FNV-1a, then mixed). */
uint64_t hsi_job_seed(const hs_instance *instance, uint32_t task)
{
    char     name[HS_MAX_ID + 16];
    uint64_t h = 0xcbf29ce484222325u;
    size_t   length = hs_instance_name(instance, task, name, sizeof name), i;

    for (i = 0; i < length && i < sizeof name - 1; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

static void begin(hsi_job *job, const hsi_kernel *kernel, int n, uint64_t seed,
                  const hs_attempt *attempt, hsi_space *space)
{
    *job = (hsi_job){
        .kernel = kernel, .attempt = attempt, .space = space, .n = n, .seed = seed, .length = n};
    if (hsi_kernel_is_single(kernel))
        grow_single(job, hsi_pool_elements(n));
    else
        grow_pool(job, hsi_pool_elements(n));
}

void hsi_job_begin(hsi_job *job, const hsi_kernel *kernel, int n, uint64_t seed,
                   const hs_attempt *attempt, hsi_space *space)
{
    begin(job, kernel, n, seed, attempt, space);
    grow_room(job, room_bytes(kernel, n));
    if (hsi_job_stopped(job))
        return;
    lay_out(job);
    draw_signs(job);
    memset(job->want, 0, sizeof *job->want * 2 * (size_t)n);
    memset(job->got, 0, sizeof *job->got * 2 * (size_t)n);
    kernel->prepare(job);
}

void hsi_job_locate(hsi_job *job, const hsi_kernel *kernel, int n, uint64_t seed,
                    const hs_attempt *attempt, hsi_space *space)
{
    begin(job, kernel, n, seed, attempt, space);
    job->located = 1;
    if (!hsi_job_stopped(job))
        kernel->prepare(job);
}

void hsi_job_predict(hsi_job *job)
{
    if (hsi_job_stopped(job))
        return;
    job->kernel->predict(job);
    memset(job->got, 0, sizeof *job->got * 2 * (size_t)job->n);
}

void hsi_job_compute(hsi_job *job)
{
    if (!hsi_job_stopped(job))
        job->kernel->compute(job);
}

double hsi_job_residual(hsi_job *job)
{
    double error = 0, size = 0, n = job->n;
    int    i;

    if (hsi_job_stopped(job))
        return 0;
    job->kernel->observe(job);
    for (i = 0; i < job->length; i++) {
        double difference = job->got[i] - job->want[i];

        error += difference * difference;
        size += job->want[i] * job->want[i];
    }
    return sqrt(error) / (job->kernel->epsilon * sqrt(n) * (sqrt(size) + n * AMPLITUDE));
}
