/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Target of journals. An input that begins with `!` lacks the sums, which are added, because random
 * bytes have no correct sum.
 */

#include "fuzz/fuzz.h"

#include <string.h>

#include "exec/journal/text.h"

enum { TASKS = 8 };

static hs_instance *make_instance(void)
{
    static const char *const names[TASKS - 1] = {"a", "a b", "100%", "%0a", "x\n", "\xff", "done"};
    hs_builder              *b = NULL;
    hs_instance             *in = NULL;
    hs_task                  task;

    FUZZ_REQUIRE(hs_builder_create(&b) == HS_OK && hs_builder_set_workers(b, 2, 1) == HS_OK,
                 "no builder");
    hs_task_init(&task);
    task.cpu = 1;
    task.gpu = 2;
    for (size_t i = 0; i < TASKS; i++) {
        task.id = i < TASKS - 1 ? names[i] : NULL;
        FUZZ_REQUIRE(hs_builder_add_row(b, &task) == HS_OK, "no row");
        if (i == TASKS - 1)
            FUZZ_REQUIRE(hs_builder_add_predecessor(b, i, 0, 0, 0) == HS_OK, "no edge");
    }
    FUZZ_REQUIRE(hs_builder_finish(b, &in, NULL) == HS_OK, "no instance");
    hs_builder_free(b);
    return in;
}

/* Return a journal of the lines of the input, with correct sums. A line of the letter `h` becomes a
 * header, `r` the line of a new run, and `c` the end of a run. */
static char *seal_lines(const char *at, size_t size, size_t *length)
{
    size_t   lines = 1;
    uint64_t chain = 0, synced;
    char    *text;

    for (size_t i = 0; i < size; i++)
        lines += at[i] == '\n';
    text = malloc(size + lines * 128 + 1);
    FUZZ_REQUIRE(text, "out of memory");
    for (*length = 0; size > 0;) {
        const char *end = memchr(at, '\n', size);
        size_t      part = end ? (size_t)(end - at) : size;
        char       *line = text + *length;

        synced = part % 3 ? *length : 0;
        if (part == 1 && *at == 'h') {
            *length += hsi_journal_put_header(line, &chain);
        } else if (part == 1 && *at == 'r') {
            *length += hsi_journal_put_run(line, synced, &chain);
        } else if (part == 1 && *at == 'c') {
            *length += hsi_journal_put_closed(line, synced, &chain);
        } else {
            memcpy(line, at, part);
            *length += hsi_journal_seal(line, part, synced, &chain);
        }
        part += end != NULL;
        at += part;
        size -= part;
    }
    text[*length] = '\0';
    return text;
}

typedef struct reading {
    unsigned char     state[TASKS];
    uint16_t          attempts[TASKS];
    hsi_journal_past  past;
    hsi_journal_found found;
    hs_status         st;
} reading;

static void read_text(reading *r, const hs_instance *in, const char *text, size_t size)
{
    hsi_journal_text journal = {"journal", text, size};
    hs_error         error = {0};

    memset(r, 0, sizeof *r);
    r->past.state = r->state;
    r->past.attempts = r->attempts;
    r->st = hsi_journal_read(&journal, 1, in, &r->past, &r->found, &error);
    FUZZ_REQUIRE(r->st == HS_OK || r->st == HS_EINVAL, "status %s", hs_status_text(r->st));
    FUZZ_REQUIRE(r->st == HS_OK || error.why[0], "no reason");
}

/* Check that the numbers of tasks are those of the states, and that the trusted part alone gives
 * the same states. */
static void check_reading(const reading *r, const hs_instance *in, const char *text, size_t size)
{
    size_t  done = 0, failed = 0;
    reading again;
    char   *part;

    for (size_t i = 0; i < TASKS; i++) {
        FUZZ_REQUIRE(r->state[i] <= HSI_PAST_FAILED, "state %d", r->state[i]);
        done += r->state[i] == HSI_PAST_DONE;
        failed += r->state[i] == HSI_PAST_FAILED;
    }
    FUZZ_REQUIRE(done == r->past.done && failed == r->past.failed, "%zu done, %zu failed", done,
                 failed);
    FUZZ_REQUIRE(r->found.end <= size, "%zu bytes are trusted of %zu", r->found.end, size);
    part = fuzz_text((const uint8_t *)text, r->found.end);
    read_text(&again, in, part, r->found.end);
    free(part);
    FUZZ_REQUIRE(again.st == HS_OK && again.found.end == r->found.end &&
                     again.found.chain == r->found.chain &&
                     memcmp(again.state, r->state, sizeof again.state) == 0 &&
                     memcmp(again.attempts, r->attempts, sizeof again.attempts) == 0,
                 "the trusted part is read differently");
}

void fuzz_journal(const uint8_t *data, size_t size)
{
    static hs_instance *in;
    size_t              length = size;
    char               *text;
    reading             r;

    if (!in)
        in = make_instance();
    text = size > 0 && *data == '!' ? seal_lines((const char *)data + 1, size - 1, &length)
                                    : fuzz_text(data, size);
    read_text(&r, in, text, length);
    if (r.st == HS_OK)
        check_reading(&r, in, text, length);
    free(text);
}
