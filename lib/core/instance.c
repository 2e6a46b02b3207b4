/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/graph/graph.h"
#include "support/decimal/decimal.h"
#include "support/sized.h"

void hsi_store_free_content(hsi_store *store)
{
    for (int c = 0; c < HSI_COLUMNS && !store->is_borrowed; c++) {
        hsi_vector_free(&store->cells[c].at);
        hsi_vector_free(&store->cells[c].text);
    }
    hsi_vector_free(&store->notes);
    hsi_node_list_clear(&store->nodes);
    free(store->first);
    free(store->source);
    hsi_relations_free(store->relations);
}

void hsi_store_release(hsi_store *store)
{
    if (!store || atomic_fetch_sub(&store->references, 1) != 1)
        return;
    hsi_graph_free(atomic_load(&store->graph));
    hsi_store_free_content(store);
    free(store);
}

int hsi_store_first_difference(const hsi_store *store, size_t row, const hsi_row *other, int end)
{
    for (int c = 0; c < end; c++) {
        hsi_value ours = hsi_store_value(store, c, row);
        hsi_value theirs = hsi_columns[c].is.type != HS_COLUMN_LIST && other->given & HSI_BIT(c)
                               ? other->value[c]
                               : hsi_column_default(c);

        if (!hsi_column_values_equal(c, &ours, &theirs))
            return c;
    }
    return -1;
}

/*
 * Check that no sum can overflow: a schedule ends before every worker could have run every task
 * twice, with all transfers.
 */
static hs_status validate_sums(const hsi_store *store, double time_sum, unsigned cpus,
                               unsigned gpus)
{
    double most =
        (time_sum + (store->relations ? store->relations->transfers : 0)) * ((double)cpus + gpus);

    return most <= DBL_MAX / 4 ? HS_OK : HS_EOVERFLOW;
}

hs_status hsi_store_validate(const hsi_store *store, unsigned cpus, unsigned gpus, size_t *row)
{
    const double *cpu_times = hsi_store_times(store, HSI_CPU);
    const double *gpu_times = hsi_store_times(store, HSI_GPU);
    double        cpu_sum = 0, gpu_sum = 0;
    size_t        i;

    *row = 0;
    if (cpus > HS_MAX_WORKERS || gpus > HS_MAX_WORKERS || cpus + gpus == 0)
        return HS_EINVAL;
    for (i = 0; i < store->rows; i++) {
        double   cpu = cpu_times[i], gpu = gpu_times[i];
        uint32_t count = hsi_store_count(store, i);

        *row = i;
        if (cpu <= 0 || gpu <= 0 || (store->is_borrowed && (isnan(cpu) || isnan(gpu))))
            return HS_ETIME;
        if (!(cpus > 0 && cpu != INFINITY) && !(gpus > 0 && gpu != INFINITY))
            return HS_EWORKER;
        cpu_sum += cpu < INFINITY ? cpu * count : 0;
        gpu_sum += gpu < INFINITY ? gpu * count : 0;
        if (!(cpu_sum + gpu_sum < INFINITY))
            return HS_EOVERFLOW;
    }
    return validate_sums(store, cpu_sum + gpu_sum, cpus, gpus);
}

size_t hsi_store_count_unknown(const hsi_store *store)
{
    const double *cpu = hsi_store_times(store, HSI_CPU), *gpu = hsi_store_times(store, HSI_GPU);
    size_t        unknown = 0;

    for (size_t i = 0; i < store->rows; i++)
        unknown += isnan(cpu[i]) || isnan(gpu[i]);
    return unknown;
}

size_t hs_instance_unknown(const hs_instance *in)
{
    return in->store->unknown;
}

/* Create an instance that, on success, owns the caller's reference to the store. */
static hs_status instance_over(hsi_store *store, unsigned cpus, unsigned gpus, hs_instance **out)
{
    size_t       row;
    hs_instance *in;
    hs_status    st = hsi_store_validate(store, cpus, gpus, &row);

    if (st != HS_OK)
        return st;
    in = malloc(sizeof *in);
    if (!in)
        return HS_ENOMEM;
    in->store = store;
    in->cpus = cpus;
    in->gpus = gpus;
    *out = in;
    return HS_OK;
}

/* Use the caller's array as a column; it is never written. */
static void borrow_column(hsi_store *store, int column, const void *array)
{
    store->cells[column].at.data = (void *)(uintptr_t)array;
}

hs_status hs_instance_wrap(size_t n, const double *cpu, const double *gpu, const int64_t *priority,
                           unsigned cpus, unsigned gpus, hs_instance **out)
{
    hsi_store *store;
    hs_status  st;

    if (!out || (n && (!cpu || !gpu)))
        return HS_EINVAL;
    if (n > HS_MAX_TASKS)
        return HS_ETOOBIG;
    store = calloc(1, sizeof *store);
    if (!store)
        return HS_ENOMEM;
    atomic_init(&store->references, 1);
    store->rows = store->tasks = n;
    store->is_borrowed = true;
    borrow_column(store, HSI_CPU, cpu);
    borrow_column(store, HSI_GPU, gpu);
    borrow_column(store, HSI_PRIORITY, priority);
    st = instance_over(store, cpus, gpus, out);
    if (st != HS_OK)
        hsi_store_release(store);
    return st;
}

hs_status hs_instance_with_workers(const hs_instance *in, unsigned cpus, unsigned gpus,
                                   hs_instance **out)
{
    hs_status st;

    if (!in || !out)
        return HS_EINVAL;
    atomic_fetch_add(&in->store->references, 1);
    st = instance_over(in->store, cpus, gpus, out);
    if (st != HS_OK)
        hsi_store_release(in->store);
    return st;
}

void hs_instance_free(hs_instance *in)
{
    if (!in)
        return;
    hsi_store_release(in->store);
    free(in);
}

unsigned hs_instance_cpus(const hs_instance *in)
{
    return in->cpus;
}

unsigned hs_instance_gpus(const hs_instance *in)
{
    return in->gpus;
}

size_t hs_instance_nodes(const hs_instance *in)
{
    const hsi_node_list *nodes = hsi_listed_nodes(in);

    return nodes ? nodes->count : 1;
}

const char *hs_instance_node(const hs_instance *in, size_t node, unsigned *cpus, unsigned *gpus)
{
    const hsi_node_list *nodes = hsi_listed_nodes(in);
    const hsi_node      *at;

    if (!nodes || node >= nodes->count)
        return NULL;
    at = hsi_node_at(nodes, node);
    *cpus = at[1].cpu - at->cpu;
    *gpus = at[1].gpu - at->gpu;
    return hsi_node_name(nodes, node);
}

hs_type hs_instance_worker_type(const hs_instance *in, unsigned worker)
{
    return worker < in->cpus ? HS_CPU : HS_GPU;
}

size_t hs_instance_node_of(const hs_instance *in, unsigned worker)
{
    const hsi_node_list *nodes = hsi_listed_nodes(in);

    if (!nodes)
        return 0;
    return worker < in->cpus ? hsi_node_of(nodes, HS_CPU, worker)
                             : hsi_node_of(nodes, HS_GPU, worker - in->cpus);
}

hs_unit hs_instance_unit(const hs_instance *in)
{
    return in->store->unit;
}

double hs_unit_seconds(hs_unit unit)
{
    static const double seconds[] = {[HS_SECONDS] = 1,
                                     [HS_MILLISECONDS] = 1e-3,
                                     [HS_MICROSECONDS] = 1e-6,
                                     [HS_NANOSECONDS] = 1e-9};

    return (unsigned)unit <= HS_NANOSECONDS ? seconds[unit] : 0;
}

const char *hs_unit_name(hs_unit unit)
{
    static const char *const names[] = {[HS_SECONDS] = "s",
                                        [HS_MILLISECONDS] = "ms",
                                        [HS_MICROSECONDS] = "us",
                                        [HS_NANOSECONDS] = "ns"};

    return (unsigned)unit <= HS_NANOSECONDS ? names[unit] : NULL;
}

size_t hs_instance_tasks(const hs_instance *in)
{
    return in->store->tasks;
}

size_t hs_instance_rows(const hs_instance *in)
{
    return in->store->rows;
}

void hs_instance_row_sized(const hs_instance *in, size_t row, hs_task *out, size_t size)
{
    hs_task full = hsi_task_defaults;

    for (int c = 0; c < HSI_COLUMNS; c++)
        if (in->store->cells[c].at.data) {
            hsi_value value = hsi_store_value(in->store, c, row);

            hsi_task_set_column(&full, c, &value);
        }
    hsi_sized_init(out, size, &full, sizeof full);
}

size_t hs_instance_row_of(const hs_instance *in, size_t task)
{
    const uint32_t *first = in->store->first;
    size_t          low = 0, high = in->store->rows;

    if (!first)
        return task;
    while (high - low > 1) { /* invariant of the binary search: first[low] <= task < first[high] */
        size_t middle = low + (high - low) / 2;

        if (first[middle] <= task)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double hs_instance_time(const hs_instance *in, size_t task, hs_type type)
{
    return hsi_store_times(in->store,
                           type == HS_CPU ? HSI_CPU : HSI_GPU)[hs_instance_row_of(in, task)];
}

int64_t hs_instance_priority(const hs_instance *in, size_t task)
{
    return hsi_store_value(in->store, HSI_PRIORITY, hs_instance_row_of(in, task)).integer;
}

int hs_instance_is_restartable(const hs_instance *in, size_t task)
{
    const hsi_store *store = in->store;
    size_t           row = hs_instance_row_of(in, task);
    int64_t          word = hsi_store_value(store, HSI_RESTARTABLE, row).integer;

    if (word != HS_RESTART_DEFAULT)
        return word == HS_RESTART_YES;
    return !hsi_store_text(store, HSI_CPU_COMMAND, row) &&
           !hsi_store_text(store, HSI_GPU_COMMAND, row);
}

/* Concatenate two texts as snprintf() does: truncated to `size`; returns the full length. */
static size_t concatenate(char *buffer, size_t size, hsi_text first, hsi_text second)
{
    size_t length = first.length + second.length, at = 0;

    if (size == 0)
        return length;
    size--;
    at = first.length < size ? first.length : size;
    memcpy(buffer, first.at, at);
    if (second.length > size - at)
        second.length = size - at;
    memcpy(buffer + at, second.at, second.length);
    buffer[at + second.length] = '\0';
    return length;
}

/* Write a letter followed by a number. */
static hsi_text write_numbered_name(char letter, size_t number, char text[1 + HSI_DECIMAL_MAX])
{
    text[0] = letter;
    return (hsi_text){text, 1 + hsi_decimal_write_u64(number, text + 1)};
}

size_t hsi_store_row_name(const hsi_store *store, size_t row, uint32_t copy, char *buffer,
                          size_t size)
{
    const char *id = hsi_store_text(store, HSI_ID, row);
    char        given[1 + HSI_DECIMAL_MAX], number[1 + HSI_DECIMAL_MAX];
    hsi_text    end = {"", 0};

    if (copy > 0)
        end = write_numbered_name('#', copy, number);
    if (!id)
        return concatenate(buffer, size, write_numbered_name('t', row, given), end);
    return concatenate(buffer, size, (hsi_text){id, hsi_store_text_length(store, HSI_ID, row)},
                       end);
}

size_t hs_instance_name(const hs_instance *in, size_t task, char *buffer, size_t size)
{
    const hsi_store *store = in->store;
    size_t           row = hs_instance_row_of(in, task);
    uint32_t         copy = 0;

    if (hsi_store_count(store, row) > 1)
        copy = (uint32_t)(task - store->first[row] + 1);
    return hsi_store_row_name(store, row, copy, buffer, size);
}

size_t hs_instance_row_name(const hs_instance *in, size_t row, uint32_t copy, char *buffer,
                            size_t size)
{
    return hsi_store_row_name(in->store, row, copy, buffer, size);
}

const char *hs_instance_note(const hs_instance *in, size_t index, const char **value)
{
    const hsi_vector *notes = &in->store->notes;
    size_t            at = 0;

    while (at < notes->size) {
        const char *key = (const char *)notes->data + at, *text = key + strlen(key) + 1;

        if (index-- == 0) {
            *value = text;
            return key;
        }
        at = (size_t)(text + strlen(text) + 1 - (const char *)notes->data);
    }
    return NULL;
}
