/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_POLICY_TASK_CLASSES_H
#define HSI_POLICY_TASK_CLASSES_H

#include <hybridsched/policy.h>

#include "core/problem.h"
#include "support/ordered_set.h"

/*
 * Waiting tasks by class, and the times that the classes are expected to take. Tasks with the same
 * key and features on both types, or the same known times, are a class. A worker takes from the
 * class of the smallest time on its own type over time on the other type, the task of the highest
 * priority, which breaks ties between classes, too. But a class whose time on a type is a guess is
 * first tried once there.
 */
typedef struct hsi_task_class {
    size_t   row;         /* first row with a task of the class */
    uint32_t first, size; /* range of the class in hsi_task_classes.heap */
    uint32_t heaped;      /* tasks in the heap, with those removed since */
    uint32_t waiting;     /* tasks in the heap, without those removed since */
    uint32_t leader;      /* waiting task of the highest priority */
    struct hsi_class_on_type {
        double   time;    /* expected time, in the instance's unit; INFINITY: not on this type */
        double   aborted; /* longest aborted attempt */
        uint32_t active;  /* attempts that run now */
        uint32_t done;    /* finished attempts of this run */
        uint32_t next;    /* next class with the same key on this type; HS_NONE: the last */
        uint32_t key;     /* index of the key; HS_NONE: the time is known */
        bool     guessed; /* no measurement or law describes the class on this type */
        bool     waits;   /* the class is in `preferred`, with the key `preference` */
        bool     untried; /* the class is in `untried`, with the key `crowd` */
        bool     moved;   /* the class must be inserted again */
        double   preference, crowd;
    } on[2]; /* by hs_type */
} hsi_task_class;

/* A key (name of a kernel or program) with its classes of tasks on a type. */
typedef struct hsi_class_key {
    char     name[HS_MAX_KEY];
    hs_type  type;
    uint32_t first; /* first class; HS_NONE: none */
    uint64_t done;  /* attempts done in this run */
} hsi_class_key;

typedef struct hsi_task_classes {
    const hsi_problem *pb;
    const hs_instance *in;
    hs_cost           *cost; /* measured executions of earlier runs and of this run */
    hs_feature_index  *features;
    hs_guess_use       guesses;
    double             second;           /* a second in the instance's unit */
    hsi_vector         classes, keys;    /* of hsi_task_class, of hsi_class_key */
    uint32_t          *class_of;         /* by task */
    uint32_t          *heap;             /* waiting tasks of each class, highest priority first */
    unsigned char     *gone;             /* by task: 1: removed from its heap */
    hsi_ordered_set    preferred[2];     /* by hs_type: classes with waiting tasks */
    hsi_ordered_set    untried[2];       /* by hs_type: guessed classes that no worker has tried */
    double             busy[2];          /* by hs_type: time of the attempts done in this run */
    uint64_t           done[2];          /* by hs_type: attempts done in this run */
    double             longest[2];       /* by hs_type: longest of these attempts */
    double             measured_time[2]; /* by hs_type: sum of the times of the measured classes */
    int                measured[2];      /* by hs_type: classes whose unknown time is no guess */
} hsi_task_classes;

/*
 * Open the classes of the tasks of `in`, none of which waits yet. `pb` is a view of `in` with one
 * item per task; both must outlive `classes`. `known` has executions of earlier runs and is copied;
 * NULL: none. `guesses`
 * is the use of guessed times. HS_ENOMEM leaves `classes` zeroed. O(n + entries of `known`).
 */
hs_status hsi_classes_open(hsi_task_classes *classes, const hsi_problem *pb, const hs_instance *in,
                           const hs_cost *known, hs_guess_use guesses);
void      hsi_classes_close(hsi_task_classes *classes);

static inline hsi_task_class *hsi_class_of(const hsi_task_classes *classes, uint32_t task)
{
    return (hsi_task_class *)classes->classes.data + classes->class_of[task];
}

/* Return the expected time of a task on a type; INFINITY: the type cannot run it. */
static inline double hsi_class_time(const hsi_task_classes *classes, uint32_t task, hs_type type)
{
    return hsi_class_of(classes, task)->on[type].time;
}

/* Add waiting tasks; or remove a task for good: it must not be added again. O(log n) each. */
void hsi_classes_add(hsi_task_classes *classes, const uint32_t *tasks, size_t count);
void hsi_classes_remove(hsi_task_classes *classes, uint32_t task);

/* Take the waiting task that a worker of the type should run: return true and set *task; or return
 * false: no waiting task can run there. O(log n). */
bool hsi_classes_take(hsi_task_classes *classes, hs_type type, uint32_t *task);

/* Take a waiting task that no type with `in_service` workers can run; false: there is none. */
bool hsi_classes_take_stranded(hsi_task_classes *classes, const unsigned in_service[2],
                               uint32_t *task);

/* Note that an attempt at a task starts on a type. */
void hsi_classes_start(hsi_task_classes *classes, uint32_t task, hs_type type);

/* The classes whose expected times an attempt has changed. */
typedef enum hsi_learned {
    HSI_LEARNED_NOTHING, /* at most a lower limit of the time of the task's class */
    HSI_LEARNED_CLASS,   /* the class of the task */
    HSI_LEARNED_OTHERS   /* other classes, too */
} hsi_learned;

/* Note that an attempt ended after `duration`. */
hsi_learned hsi_classes_end(hsi_task_classes *classes, uint32_t task, hs_type type, bool is_done,
                            bool is_aborted, double duration);

#endif
