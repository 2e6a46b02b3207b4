/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host memory for a matrix that CPUs and a GPU share, obtained in three ways: cudaHostAlloc
 * ("alloc"), as the module for GPUs does; small pages ("small") and huge pages ("huge") from mmap,
 * registered by cudaHostRegister. Rows for "alloc", and likewise for the others, with medians of 5
 * of copies and reads:
 *
 *   alloc-obtain      obtain the memory and write to all pages
 *   alloc-in, -out    copy the memory to the GPU and back, tile by tile
 *   alloc-read        read a matrix on the host row by row, each element from another page
 *   alloc-release     release the memory
 *   alloc-huge        share of the memory in huge pages
 *
 *   bench_gpu_pages [MIB [TILE]]
 *
 * MIB: of memory. TILE: order of the matrices of doubles that are copied. 0: done; 1: a call
 * failed, or data arrived changed; 2: wrong usage; 3: no GPU.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../tests/gpu/bare.h"
#include "median.h"

enum {
    REPEATS = 5,
    COLUMN = 16384,
    LINE = 8
}; /* number of doubles in a column, and in a line
      of cache */

const char bare_program[] = "bench_gpu_pages";

static const size_t huge_page = (size_t)2 << 20;

typedef struct bare {
    cudaStream_t stream;
    size_t       bytes, tile; /* bytes of the memory, and bytes of a copy */
    double      *here, *there;
    char        *mapped; /* address of the mapping; `here` is its aligned part */
} bare;

typedef struct way {
    const char *name;
    void (*obtain)(bare *);
    void (*release)(bare *);
} way;

/* ---- memory ---- */

static void obtain_by_malloc(bare *b)
{
    CUDA(cudaHostAlloc((void **)&b->here, b->bytes, cudaHostAllocPortable));
    memset(b->here, 0, b->bytes);
}

static void release_alloc(bare *b)
{
    CUDA(cudaFreeHost(b->here));
}

/* Ask for huge pages. A refusal is no failure: the share in huge pages shows it. */
static void obtain_mapped(bare *b, int advice)
{
    size_t off;

    b->mapped = mmap(NULL, b->bytes + huge_page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->mapped == MAP_FAILED)
        bare_fail("mmap", strerror(errno), BARE_FAILED);
    off = (huge_page - (uintptr_t)b->mapped % huge_page) % huge_page;
    b->here = (double *)(void *)(b->mapped + off);
    madvise(b->here, b->bytes, advice);
    memset(b->here, 0, b->bytes);
    CUDA(cudaHostRegister(b->here, b->bytes, cudaHostRegisterPortable));
}

static void obtain_small(bare *b)
{
    obtain_mapped(b, MADV_NOHUGEPAGE);
}

static void obtain_huge(bare *b)
{
    obtain_mapped(b, MADV_HUGEPAGE);
}

static void release_mapped(bare *b)
{
    CUDA(cudaHostUnregister(b->here));
    munmap(b->mapped, b->bytes + huge_page);
}

static const way ways[] = {
    {"alloc", obtain_by_malloc, release_alloc},
    {"small", obtain_small, release_mapped},
    {"huge", obtain_huge, release_mapped},
};

/* Return the bytes in huge pages of mappings that begin in the memory, or contain its beginning. */
static double huge_bytes(const bare *b)
{
    const uintptr_t from = (uintptr_t)b->here, to = from + b->bytes;
    FILE           *file = fopen("/proc/self/smaps", "r");
    char            line[512];
    unsigned long   begin, end, kib;
    double          sum = 0;
    bool            is_ours = false;

    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            is_ours = begin < to && end > from;
        else if (is_ours && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
            sum += 1024.0 * (double)kib;
    }
    if (file)
        fclose(file);
    return sum;
}

/* ---- measurements ---- */

static double time_copy(bare *b, bool home)
{
    double start = bare_seconds();
    size_t i;

    for (i = 0; i < b->bytes / b->tile; i++) {
        char *here = (char *)b->here + i * b->tile, *there = (char *)b->there + i % 4 * b->tile;

        CUDA(cudaMemcpyAsync(home ? here : there, home ? there : here, b->tile,
                             home ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice, b->stream));
    }
    CUDA(cudaStreamSynchronize(b->stream));
    return bare_seconds() - start;
}

static double copy_in(bare *b)
{
    return time_copy(b, false);
}

static double copy_out(bare *b)
{
    return time_copy(b, true);
}

/* Read one element per cache line. The sum keeps the compiler from removing the loop. */
static double read_rows(bare *b)
{
    size_t          count = b->bytes / sizeof *b->here, row, i;
    double          start = bare_seconds(), sum = 0;
    volatile double kept;

    for (row = 0; row < COLUMN; row += LINE)
        for (i = row; i < count; i += COLUMN)
            sum += b->here[i];
    kept = sum;
    (void)kept;
    return bare_seconds() - start;
}

static double time_of(bare *b, double (*measure)(bare *))
{
    double all[REPEATS];
    int    i;

    measure(b);
    for (i = 0; i < REPEATS; i++)
        all[i] = measure(b);
    return median(all, REPEATS);
}

static void print_result(const way *w, const char *what, double seconds, double amount,
                         const char *unit)
{
    printf("%s-%s,%.6f,%.4f,%s\n", w->name, what, seconds, amount, unit);
    fflush(stdout);
}

/* Check that the memory is unchanged after copies to the GPU and back. */
static void check_pages(bare *b, const way *w)
{
    size_t             count = b->tile / sizeof *b->here, i;
    unsigned long long state = 1, again = 1;

    for (i = 0; i < count; i++)
        b->here[i] = bare_draw(&state);
    CUDA(cudaMemcpyAsync(b->there, b->here, b->tile, cudaMemcpyHostToDevice, b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
    memset(b->here, 0, b->tile);
    CUDA(cudaMemcpyAsync(b->here, b->there, b->tile, cudaMemcpyDeviceToHost, b->stream));
    CUDA(cudaStreamSynchronize(b->stream));
    for (i = 0; i < count; i++)
        if (b->here[i] != bare_draw(&again))
            bare_fail(w->name, "what was copied to the GPU and home has changed", BARE_FAILED);
}

static void measure_way(bare *b, const way *w)
{
    const double gb = 1e-9 * (double)b->bytes;
    const double copied = 1e-9 * (double)(b->bytes / b->tile * b->tile);
    const double reads = (double)b->bytes / sizeof(double) / LINE;
    double       start = bare_seconds(), time;

    w->obtain(b);
    time = bare_seconds() - start;
    print_result(w, "obtain", time, gb / time, "GB/s");
    print_result(w, "huge", 0, 100 * huge_bytes(b) / (double)b->bytes, "%");
    check_pages(b, w);
    time = time_of(b, copy_in);
    print_result(w, "in", time, copied / time, "GB/s");
    time = time_of(b, copy_out);
    print_result(w, "out", time, copied / time, "GB/s");
    time = time_of(b, read_rows);
    print_result(w, "read", time, 1e9 * time / reads, "ns/element");
    start = bare_seconds();
    w->release(b);
    time = bare_seconds() - start;
    print_result(w, "release", time, gb / time, "GB/s");
}

int main(int argc, char **argv)
{
    long   mib = argc > 1 ? atol(argv[1]) : 4096, order = argc > 2 ? atol(argv[2]) : 1024;
    bare   b = {0};
    size_t i;

    b.bytes = (size_t)mib << 20;
    b.tile = sizeof *b.here * (size_t)order * (size_t)order;
    if (mib < 2 || mib > 1L << 20 || order < 1 || order > 1L << 15 || b.tile > b.bytes)
        bare_usage("[MIB [TILE]]");
    bare_need_gpu();
    CUDA(cudaStreamCreateWithFlags(&b.stream, cudaStreamNonBlocking));
    CUDA(cudaMalloc((void **)&b.there, 4 * b.tile));
    printf("what,seconds,amount,unit\n");
    for (i = 0; i < sizeof ways / sizeof *ways; i++)
        measure_way(&b, &ways[i]);
    CUDA(cudaFree(b.there));
    CUDA(cudaStreamDestroy(b.stream));
    return 0;
}
