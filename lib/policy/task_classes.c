/* SPDX-License-Identifier: BSD-3-Clause */
#include "policy/task_classes.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/order.h"
#include "support/hash.h"
#include "support/heap.h"

static hsi_task_class *class_at(const hsi_task_classes *cs, uint32_t number)
{
    return (hsi_task_class *)cs->classes.data + number;
}

static uint32_t number_of(const hsi_task_classes *cs, const hsi_task_class *c)
{
    return (uint32_t)(c - (hsi_task_class *)cs->classes.data);
}

/* Sort tasks by priority, then in the order of the graph. */
static int is_earlier_task(const void *context, uint32_t a, uint32_t b)
{
    const hsi_problem *pb = context;
    int64_t            priority_a = hsi_priority_of(pb, a), priority_b = hsi_priority_of(pb, b);

    return priority_a != priority_b ? priority_a > priority_b : hsi_task_comes_first(pb, a, b);
}

/* Sort classes by their leaders. */
static int is_earlier_class(const void *context, uint32_t a, uint32_t b)
{
    const hsi_task_classes *cs = context;

    return is_earlier_task(cs->pb, class_at(cs, a)->leader, class_at(cs, b)->leader);
}

/* Return the number by which the classes in preferred[type] are sorted, the smallest first. */
static double preference_of(const hsi_task_class *c, hs_type type)
{
    double own = c->on[type].time, other = c->on[1 - type].time;

    return isinf(own) ? INFINITY : isinf(other) ? 0 : own / other;
}

static bool is_untried(const hsi_task_classes *cs, const hsi_task_class *c, hs_type type)
{
    const struct hsi_class_on_type *on = &c->on[type];

    return cs->guesses == HS_GUESSES_TRIED && c->waiting > 0 && on->guessed && on->done == 0 &&
           on->active == 0 && !isinf(on->time);
}

/* Remove the tasks at the top of a class's heap that no longer wait. */
static void drop_gone(hsi_task_classes *cs, hsi_task_class *c)
{
    uint32_t *heap = cs->heap + c->first;

    while (c->heaped > 0 && cs->gone[heap[0]])
        hsi_heap_pop(heap, c->heaped--, is_earlier_task, cs->pb);
}

/* Set the members of a class by which the sets are sorted. */
static void describe_waiting(hsi_task_classes *cs, hsi_task_class *c)
{
    drop_gone(cs, c);
    c->leader = c->waiting > 0 ? cs->heap[c->first] : HS_NONE;
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        c->on[type].waits = c->waiting > 0;
        c->on[type].untried = is_untried(cs, c, (hs_type)type);
        c->on[type].preference = preference_of(c, (hs_type)type);
        c->on[type].crowd = -(double)c->waiting;
    }
}

static bool is_placed_like(const hsi_task_class *a, const hsi_task_class *b, int type)
{
    const struct hsi_class_on_type *x = &a->on[type], *y = &b->on[type];

    return a->leader == b->leader && x->waits == y->waits && x->untried == y->untried &&
           x->preference == y->preference && (x->crowd == y->crowd || !x->untried);
}

/* Update the key of a class in the sets of a type, if its place stays the same: then true. */
static bool keeps_place(hsi_task_classes *cs, const hsi_task_class *c, const hsi_task_class *now,
                        int type)
{
    const struct hsi_class_on_type *x = &c->on[type], *y = &now->on[type];

    return x->waits && y->waits && !x->untried && !y->untried &&
           hsi_set_change_key(&cs->preferred[type], x->preference, number_of(cs, c), y->preference);
}

/* Bring the sets of both types up to date with a class. */
static void place(hsi_task_classes *cs, hsi_task_class *c)
{
    uint32_t       number = number_of(cs, c);
    hsi_task_class now = *c;

    describe_waiting(cs, &now);
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        if (is_placed_like(c, &now, type) || keeps_place(cs, c, &now, type))
            continue;
        if (c->on[type].waits)
            hsi_set_remove(&cs->preferred[type], c->on[type].preference, number);
        if (c->on[type].untried)
            hsi_set_remove(&cs->untried[type], c->on[type].crowd, number);
        now.on[type].moved = true;
    }
    *c = now;
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        struct hsi_class_on_type *on = &c->on[type];

        if (on->moved && on->waits)
            hsi_set_insert(&cs->preferred[type], on->preference, number);
        if (on->moved && on->untried)
            hsi_set_insert(&cs->untried[type], on->crowd, number);
        on->moved = false;
    }
}

/* Add the time of a class to the sum of times that are no guesses; with `sign` -1 remove it. */
static void count_measured(hsi_task_classes *cs, const struct hsi_class_on_type *on, hs_type type,
                           int sign)
{
    if (on->guessed)
        return;
    cs->measured_time[type] += sign * on->time;
    cs->measured[type] += sign;
}

/* Return a guess for a class whose key has no executions on the type: the mean time of the classes
 * whose time is no guess there; without such classes, `otherwise`. */
static double guess(const hsi_task_classes *cs, hs_type type, double otherwise)
{
    double time = cs->measured[type] > 0 ? cs->measured_time[type] / cs->measured[type] : otherwise;

    return cs->guesses == HS_GUESSES_DOUBTED ? fmax(time, cs->longest[type]) : time;
}

static void get_features(const hsi_task_classes *cs, const hsi_task_class *c, hs_type type,
                         hs_features *features)
{
    hs_features_init(features);
    hs_feature_index_get(cs->features, c->row, type, features);
    features->what = 0;
}

/* Predict the time of a class on a type from its features there. */
static void predict_from(hsi_task_classes *cs, hsi_task_class *c, hs_type type,
                         const hs_features *features)
{
    struct hsi_class_on_type *on = &c->on[type];
    hs_prediction             prediction;

    hs_prediction_init(&prediction);
    hs_cost_predict(cs->cost, type, features, &prediction);
    count_measured(cs, on, type, -1);
    on->time = prediction.time * cs->second;
    on->guessed = hs_cost_is_guess(prediction.source);
    if (prediction.source >= HS_COST_LEAST)
        on->time = guess(cs, type, on->time);
    if (on->done == 0)
        on->time = fmax(on->time, on->aborted);
    count_measured(cs, on, type, 1);
}

static void predict(hsi_task_classes *cs, hsi_task_class *c, hs_type type)
{
    hs_features features;

    get_features(cs, c, type, &features);
    predict_from(cs, c, type, &features);
}

/* Return whether a time is known for each task, not only for a class. */
static bool is_known(const hsi_task_classes *cs, uint32_t task, hs_type type)
{
    double time = type == HS_CPU ? cs->pb->p[task] : cs->pb->q[task];

    return isinf(time) || hs_instance_source(cs->in, task, type) <= HS_COST_TASK;
}

static uint64_t add_number(uint64_t hash, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return hsi_hash_mix(hash ^ bits, 0xa0761d6478bd642fu);
}

/* Return a hash of what makes the class of a task, on both types. */
static uint64_t hash_task(const hsi_task_classes *cs, uint32_t task, size_t row)
{
    uint64_t    hash = 1;
    hs_features f;

    for (int type = HS_CPU; type <= HS_GPU; type++) {
        if (is_known(cs, task, (hs_type)type)) {
            hash = add_number(hash + 1, type == HS_CPU ? cs->pb->p[task] : cs->pb->q[task]);
            continue;
        }
        hs_features_init(&f);
        hs_feature_index_get(cs->features, row, (hs_type)type, &f);
        hash = hsi_hash(f.key, strlen(f.key), hash);
        hash = add_number(add_number(hash, f.size), f.flops);
        hash = add_number(add_number(hash, f.bytes_in), f.bytes_out);
    }
    return hash ^ hash >> 29;
}

/* A hash table from 64-bit hashes to numbers, used while the classes are built. */
typedef struct hash_table {
    uint64_t *hash;
    uint32_t *number; /* HS_NONE: empty */
    size_t    size;   /* a power of two */
} hash_table;

static uint32_t *find_slot(hash_table *table, uint64_t hash)
{
    size_t at = hash & (table->size - 1);

    while (table->number[at] != HS_NONE && table->hash[at] != hash)
        at = (at + 1) & (table->size - 1);
    table->hash[at] = hash;
    return &table->number[at];
}

static void close_table(hash_table *table)
{
    free(table->hash);
    free(table->number);
}

/* Open a table for `count` numbers; -1: out of memory. */
static int open_table(hash_table *table, size_t count)
{
    *table = (hash_table){.size = 64};
    while (table->size < 2 * count)
        table->size *= 2;
    table->hash = malloc(table->size * sizeof *table->hash);
    table->number = malloc(table->size * sizeof *table->number);
    if (!table->hash || !table->number)
        return -1;
    memset(table->number, 0xff, table->size * sizeof *table->number);
    return 0;
}

/* Find or create a key of a type; HS_NONE: out of memory. */
static uint32_t key_of(hsi_task_classes *cs, hash_table *keys, hs_type type, const char *name)
{
    hsi_class_key key = {.type = type, .first = HS_NONE};
    uint32_t     *number = find_slot(keys, hsi_hash(name, strlen(name), (uint64_t)type));

    if (*number != HS_NONE)
        return *number;
    memcpy(key.name, name, strlen(name) + 1);
    if (!hsi_vector_append(&cs->keys, &key, sizeof key))
        *number = (uint32_t)(cs->keys.size / sizeof key - 1);
    return *number;
}

/* Set the times of a new class, from its first task; -1: out of memory. */
static int describe(hsi_task_classes *cs, hash_table *keys, uint32_t number, uint32_t task)
{
    hsi_task_class *c = class_at(cs, number);
    hs_features     f;

    for (int type = HS_CPU; type <= HS_GPU; type++) {
        struct hsi_class_on_type *on = &c->on[type];
        hsi_class_key            *key;

        on->next = on->key = HS_NONE;
        on->time = type == HS_CPU ? cs->pb->p[task] : cs->pb->q[task];
        if (is_known(cs, task, (hs_type)type))
            continue;
        on->guessed = true;
        get_features(cs, c, (hs_type)type, &f);
        on->key = key_of(cs, keys, (hs_type)type, f.key);
        if (on->key == HS_NONE)
            return -1;
        key = (hsi_class_key *)cs->keys.data + on->key;
        on->next = key->first;
        key->first = number;
        predict(cs, c, (hs_type)type);
    }
    return 0;
}

/* Put each task into its class; the classes appear in the order of their first tasks. */
static hs_status classify(hsi_task_classes *cs, hash_table *table, hash_table *keys)
{
    size_t   last_row = SIZE_MAX;
    uint32_t last = HS_NONE;

    for (uint32_t task = 0; task < cs->pb->n; task++) {
        size_t         row = hs_instance_row_of(cs->in, task);
        hsi_task_class c = {.row = row};
        uint32_t      *number;

        if (hsi_poll_after_work(cs->pb->token, 8))
            return HS_ECANCELED;
        if (row != last_row) {
            number = find_slot(table, hash_task(cs, task, row));
            if (*number == HS_NONE) {
                *number = (uint32_t)(cs->classes.size / sizeof c);
                if (hsi_vector_append(&cs->classes, &c, sizeof c) ||
                    describe(cs, keys, *number, task))
                    return HS_ENOMEM;
            }
            last = *number;
            last_row = row;
        }
        cs->class_of[task] = last;
        class_at(cs, last)->size++;
    }
    return HS_OK;
}

static hs_status build(hsi_task_classes *cs)
{
    hash_table table = {0}, keys = {0};
    hs_status  st = HS_ENOMEM;
    uint32_t   first = 0;

    if (!open_table(&table, cs->pb->n) && !open_table(&keys, 2 * cs->pb->n))
        st = classify(cs, &table, &keys);
    close_table(&table);
    close_table(&keys);
    for (size_t i = 0; i < cs->classes.size / sizeof(hsi_task_class); i++) {
        class_at(cs, (uint32_t)i)->first = first;
        first += class_at(cs, (uint32_t)i)->size;
    }
    return st;
}

static hs_status reserve_sets(hsi_task_classes *cs)
{
    size_t count = cs->classes.size / sizeof(hsi_task_class);

    for (int type = HS_CPU; type <= HS_GPU; type++)
        if (hsi_set_reserve(&cs->preferred[type], count) ||
            hsi_set_reserve(&cs->untried[type], count))
            return HS_ENOMEM;
    return HS_OK;
}

/* Create cost models with the executions of `known`, which may be NULL. */
static hs_status copy_executions(const hs_cost *known, hs_cost **out)
{
    hs_status     st = hs_cost_create(out);
    hs_cost_entry entry;

    hs_cost_entry_init(&entry);
    for (size_t i = 0; st == HS_OK && known && hs_cost_entry_at(known, i, &entry); i++)
        if (entry.runs > 0)
            st = hs_cost_merge(*out, &entry);
    return st;
}

hs_status hsi_classes_open(hsi_task_classes *cs, const hsi_problem *pb, const hs_instance *in,
                           const hs_cost *known, hs_guess_use guesses)
{
    hs_status st;

    *cs = (hsi_task_classes){.pb = pb, .in = in, .guesses = guesses};
    cs->second = 1 / hs_unit_seconds(hs_instance_unit(in));
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        hsi_set_open(&cs->preferred[type], is_earlier_class, cs);
        hsi_set_open(&cs->untried[type], is_earlier_class, cs);
    }
    st = copy_executions(known, &cs->cost);
    cs->class_of = malloc((pb->n + 1) * sizeof *cs->class_of);
    cs->heap = malloc((pb->n + 1) * sizeof *cs->heap);
    cs->gone = malloc(pb->n + 1);
    if (!cs->class_of || !cs->heap || !cs->gone)
        st = HS_ENOMEM;
    if (st == HS_OK) {
        memset(cs->gone, 1, pb->n + 1);
        st = hs_feature_index_create(in, &cs->features);
    }
    if (st == HS_OK)
        st = build(cs);
    if (st == HS_OK)
        st = reserve_sets(cs);
    if (st != HS_OK)
        hsi_classes_close(cs);
    return st;
}

void hsi_classes_close(hsi_task_classes *cs)
{
    hs_cost_free(cs->cost);
    hs_feature_index_free(cs->features);
    hsi_vector_free(&cs->classes);
    hsi_vector_free(&cs->keys);
    free(cs->class_of);
    free(cs->heap);
    free(cs->gone);
    for (int type = HS_CPU; type <= HS_GPU; type++) {
        hsi_set_close(&cs->preferred[type]);
        hsi_set_close(&cs->untried[type]);
    }
    *cs = (hsi_task_classes){0};
}

void hsi_classes_add(hsi_task_classes *cs, const uint32_t *tasks, size_t count)
{
    for (size_t i = 0; i < count && !hsi_poll_after_work(cs->pb->token, 16); i++) {
        hsi_task_class *c = hsi_class_of(cs, tasks[i]);

        if (!cs->gone[tasks[i]])
            continue;
        cs->gone[tasks[i]] = 0;
        hsi_heap_push(cs->heap + c->first, c->heaped++, tasks[i], is_earlier_task, cs->pb);
        c->waiting++;
    }
    for (size_t i = 0; i < count && !hsi_poll_after_work(cs->pb->token, 16); i++) {
        hsi_task_class *c = hsi_class_of(cs, tasks[i]);

        if (c->on[HS_CPU].crowd != -(double)c->waiting)
            place(cs, c);
    }
}

void hsi_classes_remove(hsi_task_classes *cs, uint32_t task)
{
    hsi_task_class *c = hsi_class_of(cs, task);

    if (cs->gone[task])
        return;
    cs->gone[task] = 1;
    c->waiting--;
    place(cs, c);
}

static uint32_t take_from(hsi_task_classes *cs, hsi_task_class *c)
{
    uint32_t task = hsi_heap_pop(cs->heap + c->first, c->heaped--, is_earlier_task, cs->pb);
    cs->gone[task] = 1;
    c->waiting--;
    place(cs, c);
    return task;
}

/*
 * Return the number of waiting tasks from which on a class is worth a try on a type: a try on the
 * slower type takes as long as several tasks on the faster type.
 */
static double worth_a_try(const hsi_task_classes *cs, hs_type type)
{
    hs_type other = type == HS_CPU ? HS_GPU : HS_CPU;

    if (cs->done[type] == 0 || cs->done[other] == 0)
        return 1;
    return (cs->busy[type] / (double)cs->done[type]) / (cs->busy[other] / (double)cs->done[other]);
}

bool hsi_classes_take(hsi_task_classes *cs, hs_type type, uint32_t *task)
{
    hsi_task_class *c;

    if (cs->untried[type].count > 0) {
        c = class_at(cs, hsi_set_at(&cs->untried[type], HSI_SET_FRONT, 0));
        if (c->waiting >= worth_a_try(cs, type)) {
            *task = take_from(cs, c);
            return true;
        }
    }
    if (cs->preferred[type].count == 0)
        return false;
    c = class_at(cs, hsi_set_at(&cs->preferred[type], HSI_SET_FRONT, 0));
    if (isinf(c->on[type].time))
        return false;
    *task = take_from(cs, c);
    return true;
}

bool hsi_classes_take_stranded(hsi_task_classes *cs, const unsigned in_service[2], uint32_t *task)
{
    size_t count = cs->classes.size / sizeof(hsi_task_class);

    for (uint32_t i = 0; i < count; i++) {
        hsi_task_class *c = class_at(cs, i);
        bool            can_run = false;

        for (int type = HS_CPU; type <= HS_GPU; type++)
            can_run = can_run || (in_service[type] > 0 && !isinf(c->on[type].time));
        if (c->waiting == 0 || can_run)
            continue;
        *task = take_from(cs, c);
        return true;
    }
    return false;
}

void hsi_classes_start(hsi_task_classes *cs, uint32_t task, hs_type type)
{
    hsi_task_class *c = hsi_class_of(cs, task);

    c->on[type].active++;
    if (c->on[type].untried)
        place(cs, c);
}

static bool is_power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

/* Predict the classes with a key anew. */
static void predict_key(hsi_task_classes *cs, uint32_t key)
{
    const hsi_class_key *k = (const hsi_class_key *)cs->keys.data + key;

    for (uint32_t i = k->first; i != HS_NONE; i = class_at(cs, i)->on[k->type].next) {
        predict(cs, class_at(cs, i), k->type);
        place(cs, class_at(cs, i));
    }
}

/* Predict the guessed classes of a type anew, since guesses use the times of other keys. */
static void predict_guesses(hsi_task_classes *cs, hs_type type)
{
    size_t count = cs->classes.size / sizeof(hsi_task_class);

    for (uint32_t i = 0; i < count; i++)
        if (class_at(cs, i)->on[type].guessed) {
            predict(cs, class_at(cs, i), type);
            place(cs, class_at(cs, i));
        }
}

/* Predict the time of a class after an attempt, which the cost models learn if it was done. */
static void learn(hsi_task_classes *cs, hsi_task_class *c, hs_type type, bool is_done,
                  double duration)
{
    hs_features features;

    get_features(cs, c, type, &features);
    if (is_done && duration > 0)
        (void)hs_cost_observe(cs->cost, type, &features, duration / cs->second, 0);
    predict_from(cs, c, type, &features);
}

hsi_learned hsi_classes_end(hsi_task_classes *cs, uint32_t task, hs_type type, bool is_done,
                            bool is_aborted, double duration)
{
    hsi_task_class           *c = hsi_class_of(cs, task);
    struct hsi_class_on_type *on = &c->on[type];
    hsi_learned               learned = HSI_LEARNED_CLASS;
    hsi_class_key            *key;

    on->active--;
    if (is_aborted)
        on->aborted = fmax(on->aborted, duration);
    if (is_done) {
        on->done++;
        cs->done[type]++;
        cs->busy[type] += duration;
        cs->longest[type] = fmax(cs->longest[type], duration);
    }
    if (on->key == HS_NONE) {
        place(cs, c);
        return HSI_LEARNED_NOTHING;
    }
    learn(cs, c, type, is_done, duration);
    place(cs, c);
    if (!is_done)
        return HSI_LEARNED_NOTHING;
    key = (hsi_class_key *)cs->keys.data + on->key;
    if (is_power_of_two(++key->done)) {
        predict_key(cs, on->key);
        learned = HSI_LEARNED_OTHERS;
    }
    if (is_power_of_two(cs->done[type])) {
        predict_guesses(cs, type);
        learned = HSI_LEARNED_OTHERS;
    }
    return learned;
}
