/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Target of campaigns. The reader ends the program at the first fault: exit() is redirected to the
 * target, and memory that the reader leaves behind is freed by a list of all allocations.
 */

#include "fuzz/fuzz.h"

#include <setjmp.h>
#include <string.h>

#include "bench/bench.h"
#include "common/message.h"

enum { BLOCKS = 1 << 16 };

static void  *blocks[BLOCKS]; /* memory allocated since the begin of the target and not freed */
static size_t block_count;
static bool   running;
static jmp_buf target;

void         *__real_malloc(size_t size);
void         *__real_calloc(size_t count, size_t size);
void         *__real_realloc(void *old, size_t size);
char         *__real_strdup(const char *text);
void          __real_free(void *memory);
_Noreturn void __real_exit(int status);

void         *__wrap_malloc(size_t size);
void         *__wrap_calloc(size_t count, size_t size);
void         *__wrap_realloc(void *old, size_t size);
char         *__wrap_strdup(const char *text);
void          __wrap_free(void *memory);
_Noreturn void __wrap_exit(int status);

static void *note(void *memory)
{
    if (running && memory && block_count < BLOCKS)
        blocks[block_count++] = memory;
    return memory;
}

static void forget(const void *memory)
{
    for (size_t i = running && memory ? block_count : 0; i-- > 0;)
        if (blocks[i] == memory) {
            blocks[i] = blocks[--block_count];
            return;
        }
}

void *__wrap_malloc(size_t size)
{
    return note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return note(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    forget(old);
    return note(__real_realloc(old, size));
}

char *__wrap_strdup(const char *text)
{
    return note(__real_strdup(text));
}

void __wrap_free(void *memory)
{
    forget(memory);
    __real_free(memory);
}

void __wrap_exit(int status)
{
    if (!running)
        __real_exit(status);
    longjmp(target, 1 + status);
}

/* Read the campaign; return 0, or the status of the end of the program. */
static int read_campaign(const char *text)
{
    static bench_campaign campaign;
    int                   ended = setjmp(target);

    if (ended == 0) {
        running = true;
        bench_campaign_read(&campaign, "fuzz", "fuzz", text);
        bench_campaign_free(&campaign);
    }
    running = false;
    return ended ? ended - 1 : 0;
}

void fuzz_campaign(const uint8_t *data, size_t size)
{
    char        *text;
    int          status;

    fuzz_mute(true);
    text = fuzz_text(data, size);
    status = read_campaign(text);
    fuzz_mute(false);
    free(text);
    FUZZ_REQUIRE(status == EXIT_OK || status == EXIT_USAGE, "exit status %d", status);
    FUZZ_REQUIRE(status != EXIT_OK || block_count == 0, "%zu leaks", block_count);
    while (block_count > 0)
        __real_free(blocks[--block_count]);
}
