/* SPDX-License-Identifier: BSD-3-Clause */

#include "picture_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "support/random.h"

/* Task names that corrupt a picture without correct escapes. */
static const char *const odd_names[] = {
    "plain", "<b>&\"x\"</b>", "a\001b\x7f", "\xff\xfe", "tab\tnew\nline", "]]>", "\xed\xa0\x80",
    "\xe6\x97\xa5\xe6\x9c\xac", "back\\slash\"", "\xef\xbf\xbe", "-->", "\xc2\x85", "cut \xf0\x9f",
};

enum { ODD_NAMES = sizeof odd_names / sizeof *odd_names };

static hs_instance *make_instance(const plan *p, hsi_random *random)
{
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, p->cpus, p->gpus), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(builder, p->unit), HS_OK);
    for (size_t i = 0; i < p->tasks; i++) {
        char    id[64];
        hs_task task = {.struct_size = sizeof task,
                        .cpu = p->unit_time * (0.5 + 20 * hsi_random_unit(random)),
                        .gpu = p->unit_time * (0.1 + 2 * hsi_random_unit(random))};

        if (i % 11 == 3 && p->gpus > 0)
            task.cpu = INFINITY;
        else if (i % 11 == 7 && p->cpus > 0)
            task.gpu = INFINITY;
        if (p->odd) {
            snprintf(id, sizeof id, "%s%zu", odd_names[i % ODD_NAMES], i);
            task.id = id;
            task.kernel = odd_names[i / 2 % ODD_NAMES];
        }
        ck_assert_int_eq(hs_builder_add_row(builder, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    hs_builder_free(builder);
    return in;
}

static unsigned pick_worker(const plan *p, const hs_instance *in, uint32_t task, hsi_random *random)
{
    for (;;) {
        unsigned w = (unsigned)hsi_random_below(random, p->cpus + p->gpus);

        if (isfinite(hs_instance_time(in, task, w < p->cpus ? HS_CPU : HS_GPU)))
            return w;
    }
}

sample make_sample(const plan *p)
{
    hsi_random    random;
    sample        made = {0};
    hs_placement *placed = calloc(2 * p->tasks + 1, sizeof *placed);
    double       *free_at = calloc(p->cpus + p->gpus, sizeof *free_at);
    size_t        count = 0;

    hsi_random_seed(&random, 17, 0);
    made.in = make_instance(p, &random);
    for (uint32_t task = 0; task < p->tasks; task++) {
        double after = 0;

        for (int aborts = p->abort && task % (unsigned)p->abort == 0; aborts >= 0; aborts--) {
            unsigned w = pick_worker(p, made.in, task, &random);
            double   time = hs_instance_time(made.in, task, w < p->cpus ? HS_CPU : HS_GPU);
            double   start = fmax(free_at[w], after) + p->gap * p->unit_time;

            if (aborts) /* sometimes zero */
                time *= task % 3 ? hsi_random_unit(&random) : 0;
            placed[count++] = (hs_placement){start, start + time, task, w,
                                             aborts ? HS_ABORTED : HS_RUN};
            made.aborted += aborts != 0;
            after = free_at[w] = start + time;
        }
    }
    made.runs = p->tasks;
    ck_assert_int_eq(hs_schedule_build(p->cpus, p->gpus, count, placed, &made.s), HS_OK);
    free(free_at);
    free(placed);
    return made;
}

void free_sample(sample *made)
{
    hs_schedule_free(made->s);
    hs_instance_free(made->in);
}

char *write_text(writer write_picture, const sample *made, const hs_picture *picture,
                 size_t *length)
{
    FILE *file = tmpfile();
    char *text;
    long  size;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(write_picture(fileno(file), made->in, made->s, picture, NULL), HS_OK);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    rewind(file);
    text = malloc((size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    *length = fread(text, 1, (size_t)size, file);
    ck_assert_uint_eq(*length, (size_t)size);
    text[size] = '\0';
    fclose(file);
    return text;
}

size_t occurrences(const char *text, const char *word)
{
    size_t length = strlen(word), count = 0;

    /* The address sanitizer's strstr() would measure the rest of the text at each call. */
    while (*text)
        if (*text == *word && strncmp(text, word, length) == 0) {
            text += length;
            count++;
        } else {
            text++;
        }
    return count;
}
