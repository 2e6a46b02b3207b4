/* SPDX-License-Identifier: BSD-3-Clause */
/* Knapsacks that bound what a worker can run; the argument stands in hsched-formats(5). */
#include "check/configuration.h"

#include <math.h>
#include <stdlib.h>

#include "check/knapsack.h"
#include "common/memory.h"

const char flaw_too_large[] = "it is too large to be verified";

enum { MOST_ITEMS = 1 << 26 };

void configuration_end(const configuration *c, mpq_t end)
{
    mpq_set_si(end, c->capacity + 1, 1);
    if (c->grid >= 0)
        mpq_mul_2exp(end, end, (mp_bitcnt_t)c->grid);
    else
        mpq_div_2exp(end, end, (mp_bitcnt_t)-c->grid);
}

/* All multipliers > m cpu-most + k gpu-most? */
static const char *flaw_of_sums(const configuration *c)
{
    mpz_t       all, workers, scratch;
    const char *flaw = NULL;

    mpz_inits(all, workers, scratch, NULL);
    for (size_t i = 0; i < c->kinds; i++) {
        mpz_set_si(scratch, c->kind[i].multiplier);
        mpz_mul_ui(scratch, scratch, c->kind[i].count);
        mpz_add(all, all, scratch);
    }
    mpz_set_si(workers, c->most[0]);
    mpz_mul_ui(workers, workers, c->workers[0]);
    mpz_set_si(scratch, c->most[1]);
    mpz_addmul_ui(workers, scratch, c->workers[1]);
    if (mpz_cmp(all, workers) <= 0)
        flaw = "the workers could be worth all tasks";
    else if (mpz_sizeinbase(all, 2) > 61)
        flaw = "the multipliers are too large";
    mpz_clears(all, workers, scratch, NULL);
    return flaw;
}

/* floor(time / 2^grid), or more than the capacity. */
static int64_t weight_of(const configuration *c, double time)
{
    int64_t weight = c->capacity + 1;
    mpq_t   cells;
    mpz_t   whole;

    if (isinf(time))
        return weight;
    mpq_init(cells);
    mpz_init(whole);
    mpq_set_d(cells, time);
    if (c->grid >= 0)
        mpq_div_2exp(cells, cells, (mp_bitcnt_t)c->grid);
    else
        mpq_mul_2exp(cells, cells, (mp_bitcnt_t)-c->grid);
    mpz_fdiv_q(whole, mpq_numref(cells), mpq_denref(cells));
    if (mpz_cmp_si(whole, c->capacity) <= 0)
        weight = mpz_get_si(whole);
    mpq_clear(cells);
    mpz_clear(whole);
    return weight;
}

/* Items that stand for its copies: as many as can be in one set; one, if all of them can. */
static uint64_t copies_of(const certified_kind *kind, int64_t weight, int64_t capacity)
{
    uint64_t room;

    if (weight == 0)
        return 1;
    room = (uint64_t)(capacity / weight);
    return room < kind->count ? room : kind->count;
}

static const char *flaw_of_type(const configuration *c, int type, uint64_t *work)
{
    knapsack_item   *items;
    knapsack_verdict verdict;
    uint64_t         total = 0;
    size_t           count = 0;

    for (size_t i = 0; i < c->kinds; i++)
        total += copies_of(&c->kind[i], weight_of(c, c->kind[i].time[type]), c->capacity);
    if (total > MOST_ITEMS)
        return flaw_too_large;
    items = checked_calloc(total + 1, sizeof *items);
    for (size_t i = 0; i < c->kinds; i++) {
        const certified_kind *kind = &c->kind[i];
        knapsack_item         item = {weight_of(c, kind->time[type]), kind->multiplier};

        if (item.weight == 0)
            item.worth *= (int64_t)kind->count; /* below 2^61, as all are together */
        for (uint64_t copies = copies_of(kind, item.weight, c->capacity); copies > 0; copies--)
            items[count++] = item;
    }
    verdict = knapsack_check(items, count, c->capacity, c->most[type], work);
    free(items);
    if (verdict == KNAPSACK_TOO_HARD)
        return flaw_too_large;
    if (verdict == KNAPSACK_FAILS)
        return type ? "a GPU can run tasks worth more than gpu-most"
                    : "a CPU can run tasks worth more than cpu-most";
    return NULL;
}

const char *configuration_flaw(const configuration *c, uint64_t *work)
{
    const char *flaw = flaw_of_sums(c);

    for (int type = 0; type < 2 && !flaw; type++)
        if (c->workers[type] > 0)
            flaw = flaw_of_type(c, type, work);
    return flaw;
}
