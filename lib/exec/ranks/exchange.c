/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The messages of a run over MPI. A message's id is twice its index in the list, plus 1 if it comes
 * to this rank. Workers append tasks that are done to a list under a mutex. The caller's thread
 * alone uses all else, except that the lock of the run guards `unreported`.
 */
#include "exec/ranks/exchange.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "support/clock.h"

struct hsi_exchange {
    const hs_mpi     *mpi;
    hsi_exchange_plan plan;
    size_t            tasks, own_tasks;
    size_t           *first; /* by task: index of its first parcel from this rank; tasks + 1 */
    uint32_t *blocked;       /* by task: index + 1 of a parcel to this rank that is posted when all
                                parcels of the task have left; 0: none */
    uint32_t *next;          /* by parcel to this rank: the same for a further parcel */

    /* the run */
    uint32_t     *leaving; /* by own task: parcels that have not left, and 1 until it is done */
    uint32_t     *missing; /* by task of another rank: parcels that have not arrived */
    uint32_t     *over;    /* tasks of other ranks, as reported by hsi_exchange_poll() */
    size_t        over_count;
    size_t        unreported; /* tasks of other ranks that are not over for this rank */
    size_t        in_flight;  /* posted messages that are not complete */
    uint64_t      sent, sent_bytes;
    hs_exec_rank *ranks; /* by rank; valid if `finished` */
    bool          finished;
    bool          broken; /* a message could not be posted */
    hs_error      fault;

    pthread_mutex_t lock; /* guards the rest */
    uint32_t       *done; /* own tasks that are done and concern messages; room for all */
    size_t          done_count, done_taken;
};

/* Set first[] from the sorted parcels. */
static void index_parcels(hsi_exchange *ex)
{
    const hsi_exchange_plan *plan = &ex->plan;
    size_t                   i = 0;

    for (size_t task = 0; task <= ex->tasks; task++) {
        while (i < plan->from_count && plan->from[i].task < task)
            i++;
        ex->first[task] = i;
    }
    for (size_t task = 0; task < ex->tasks; task++)
        ex->own_tasks += !plan->elsewhere[task];
    for (i = plan->to_count; i-- > 0;) {
        uint32_t after = plan->to[i].after;

        if (after == HS_NONE)
            continue;
        ex->next[i] = ex->blocked[after];
        ex->blocked[after] = (uint32_t)i + 1;
    }
}

static bool allocate(hsi_exchange *ex)
{
    const size_t tasks = ex->tasks + 1;

    ex->first = calloc(tasks + 1, sizeof *ex->first);
    ex->blocked = calloc(tasks, sizeof *ex->blocked);
    ex->next = calloc(ex->plan.to_count + 1, sizeof *ex->next);
    ex->leaving = calloc(tasks, sizeof *ex->leaving);
    ex->missing = calloc(tasks, sizeof *ex->missing);
    ex->over = calloc(tasks, sizeof *ex->over);
    ex->done = calloc(tasks, sizeof *ex->done);
    ex->ranks = calloc(ex->mpi->ranks, sizeof *ex->ranks);
    return ex->first && ex->blocked && ex->next && ex->leaving && ex->missing && ex->over &&
           ex->done && ex->ranks;
}

static void free_arrays(hsi_exchange *ex)
{
    free(ex->first);
    free(ex->blocked);
    free(ex->next);
    free(ex->leaving);
    free(ex->missing);
    free(ex->over);
    free(ex->done);
    free(ex->ranks);
}

hs_status hsi_exchange_create(const hs_mpi *mpi, size_t tasks, const hsi_exchange_plan *plan,
                              hsi_exchange **out)
{
    hsi_exchange *ex = calloc(1, sizeof *ex);

    if (!ex)
        return HS_ENOMEM;
    ex->mpi = mpi;
    ex->tasks = tasks;
    ex->plan = *plan;
    if (!allocate(ex) || pthread_mutex_init(&ex->lock, NULL) != 0) {
        free_arrays(ex);
        free(ex);
        return HS_ENOMEM;
    }
    index_parcels(ex);
    *out = ex;
    return HS_OK;
}

void hsi_exchange_free(hsi_exchange *ex)
{
    if (!ex)
        return;
    pthread_mutex_destroy(&ex->lock);
    free(ex->plan.elsewhere);
    free(ex->plan.from);
    free(ex->plan.to);
    free_arrays(ex);
    free(ex);
}

const hs_mpi *hsi_exchange_mpi(const hsi_exchange *ex)
{
    return ex->mpi;
}

bool hsi_exchange_is_elsewhere(const hsi_exchange *ex, uint32_t task)
{
    return ex->plan.elsewhere[task];
}

size_t hsi_exchange_own_tasks(const hsi_exchange *ex)
{
    return ex->own_tasks;
}

static void fail(hsi_exchange *ex, const char *why)
{
    if (!ex->broken)
        hsi_error_set(&ex->fault, HS_EIO, "%s", why);
    ex->broken = true;
}

static void post_receipt(hsi_exchange *ex, const hsi_parcel *p, uint32_t id)
{
    char why[HS_WHY] = "";

    ex->in_flight++;
    if (!ex->broken &&
        !ex->mpi->ops->receive(ex->mpi->state, *p->at, p->bytes, p->other, p->tag, id, why))
        fail(ex, why);
}

static void post_dispatch(hsi_exchange *ex, const hsi_parcel *p, uint32_t id)
{
    char why[HS_WHY] = "";

    ex->in_flight++;
    if (!ex->broken &&
        !ex->mpi->ops->send(ex->mpi->state, *p->at, p->bytes, p->other, p->tag, id, why))
        fail(ex, why);
}

/* Count down what must leave before the memory of the task's data may be used for newer content. */
static void count_left(hsi_exchange *ex, uint32_t task)
{
    uint32_t i;

    if (--ex->leaving[task] > 0)
        return;
    for (i = ex->blocked[task]; i > 0; i = ex->next[i - 1])
        post_receipt(ex, &ex->plan.to[i - 1], 2 * (i - 1) + 1);
}

static void send_task(hsi_exchange *ex, uint32_t task)
{
    for (size_t i = ex->first[task]; i < ex->first[task + 1]; i++) {
        const hsi_parcel *p = &ex->plan.from[i];

        post_dispatch(ex, p, 2 * (uint32_t)i);
        ex->sent++;
        ex->sent_bytes += p->bytes;
    }
    count_left(ex, task);
}

static void message_ended(void *data, uint32_t id)
{
    hsi_exchange *ex = data;
    uint32_t      task;

    ex->in_flight--;
    if (id % 2 == 0) {
        count_left(ex, ex->plan.from[id / 2].task);
        return;
    }
    task = ex->plan.to[id / 2].task;
    if (--ex->missing[task] == 0)
        ex->over[ex->over_count++] = task;
}

static hs_status compare_digests(hsi_exchange *ex, uint64_t digest, hs_error *error)
{
    const unsigned ranks = ex->mpi->ranks;
    uint64_t       mine = digest ^ ex->plan.digest, *all = calloc(ranks, sizeof *all);
    hs_status      st;

    if (!all)
        return HS_ENOMEM;
    st = hsi_mpi_share(ex->mpi, &mine, all, sizeof mine, error);
    for (unsigned r = 0; r < ranks && st == HS_OK; r++)
        if (all[r] != all[0])
            st = hsi_error_set(
                error, HS_EINVAL,
                "rank %u has other tasks, workers, plan or input than rank 0: start all "
                "ranks with the same files and options",
                r);
    free(all);
    return st;
}

hs_status hsi_exchange_begin(hsi_exchange *ex, uint64_t digest, hs_error *error)
{
    const hsi_exchange_plan *plan = &ex->plan;
    hs_status                st;

    ex->over_count = ex->unreported = ex->in_flight = 0;
    ex->sent = ex->sent_bytes = 0;
    ex->done_count = ex->done_taken = 0;
    ex->finished = ex->broken = false;
    for (size_t task = 0; task < ex->tasks; task++) {
        ex->leaving[task] = (uint32_t)(ex->first[task + 1] - ex->first[task]) + 1;
        ex->missing[task] = 0;
    }
    st = compare_digests(ex, digest, error);
    if (st != HS_OK)
        return st;
    for (size_t i = 0; i < plan->to_count; i++) {
        ex->unreported += ex->missing[plan->to[i].task]++ == 0;
        if (plan->to[i].after == HS_NONE)
            post_receipt(ex, &plan->to[i], 2 * (uint32_t)i + 1);
    }
    if (ex->broken)
        *error = ex->fault;
    return ex->broken ? HS_EIO : HS_OK;
}

bool hsi_exchange_task_done(hsi_exchange *ex, uint32_t task)
{
    if (ex->first[task] == ex->first[task + 1] && !ex->blocked[task])
        return false;
    pthread_mutex_lock(&ex->lock);
    ex->done[ex->done_count++] = task;
    pthread_mutex_unlock(&ex->lock);
    return true;
}

/* Return true and the next task that is done. */
static bool next_done(hsi_exchange *ex, uint32_t *task)
{
    bool is_there;

    pthread_mutex_lock(&ex->lock);
    is_there = ex->done_taken < ex->done_count;
    if (is_there)
        *task = ex->done[ex->done_taken++];
    pthread_mutex_unlock(&ex->lock);
    return is_there;
}

static hs_status work(hsi_exchange *ex, hs_error *error)
{
    char     why[HS_WHY] = "";
    uint32_t task;

    while (next_done(ex, &task))
        send_task(ex, task);
    if (!ex->broken && ex->in_flight > 0 &&
        !ex->mpi->ops->test(ex->mpi->state, message_ended, ex, why))
        fail(ex, why);
    if (ex->broken)
        *error = ex->fault;
    return ex->broken ? HS_EIO : HS_OK;
}

hs_status hsi_exchange_poll(hsi_exchange *ex, const uint32_t **tasks, size_t *count,
                            hs_error *error)
{
    hs_status st;

    ex->over_count = 0;
    st = work(ex, error);
    *tasks = ex->over;
    *count = ex->over_count;
    return st;
}

bool hsi_exchange_is_awaited(const hsi_exchange *ex)
{
    return ex->unreported > 0;
}

void hsi_exchange_count_reported(hsi_exchange *ex, size_t count)
{
    ex->unreported -= count;
}

static void rest_a_moment(void)
{
    const struct timespec moment = {0, 20000};

    nanosleep(&moment, NULL);
}

hs_status hsi_exchange_finish(hsi_exchange *ex, const hs_exec_rank *mine, hs_error *error)
{
    hs_exec_rank facts = *mine;
    hs_status    st = work(ex, error);

    while (st == HS_OK && ex->in_flight > 0) {
        rest_a_moment();
        st = work(ex, error);
    }
    gethostname(facts.host, sizeof facts.host - 1);
    facts.sent = ex->sent;
    facts.sent_bytes = ex->sent_bytes;
    if (st == HS_OK)
        st = hsi_mpi_share(ex->mpi, &facts, ex->ranks, sizeof facts, error);
    ex->finished = st == HS_OK;
    return st;
}

static void count_moved(void *data, uint32_t id)
{
    hsi_exchange *ex = data;

    (void)id;
    ex->in_flight--;
}

hs_status hsi_exchange_move(hsi_exchange *ex, const hsi_parcel *from, size_t from_count,
                            const hsi_parcel *to, size_t to_count, hs_error *error)
{
    char why[HS_WHY] = "";

    for (size_t i = 0; i < to_count; i++)
        post_receipt(ex, &to[i], 0);
    for (size_t i = 0; i < from_count; i++)
        post_dispatch(ex, &from[i], 0);
    while (!ex->broken && ex->in_flight > 0) {
        size_t before = ex->in_flight;

        if (!ex->mpi->ops->test(ex->mpi->state, count_moved, ex, why))
            fail(ex, why);
        else if (ex->in_flight == before)
            rest_a_moment();
    }
    if (ex->broken)
        *error = ex->fault;
    return ex->broken ? HS_EIO : HS_OK;
}

const hs_exec_rank *hsi_exchange_rank(const hsi_exchange *ex, unsigned rank)
{
    return ex->finished && rank < ex->mpi->ranks ? &ex->ranks[rank] : NULL;
}
