/* SPDX-License-Identifier: BSD-3-Clause */

/* Write and parse the lines of a journal, and compute the sums that chain the lines. */

#include "exec/journal/text.h"

#include <string.h>
#include <time.h>

static const char digits[] = "0123456789abcdef";

static char *put_text(char *at, const char *text)
{
    size_t length = strlen(text);

    memcpy(at, text, length);
    return at + length;
}

static char *put_hex(char *at, uint64_t value)
{
    int i;

    for (i = HSI_JOURNAL_HEX; i-- > 0; value >>= 4)
        at[i] = digits[value & 15];
    return at + HSI_JOURNAL_HEX;
}

/* Write the value in decimal with at least `width` digits. */
static char *put_number(char *at, uint64_t value, int width)
{
    char reversed[24];
    int  count = 0;

    do
        reversed[count++] = digits[value % 10];
    while ((value /= 10) != 0 || count < width);
    while (count > 0)
        *at++ = reversed[--count];
    return at;
}

/* Write seconds with 9 decimals, limited to 0 .. 10^9; NaN becomes 0. */
static char *put_seconds(char *at, double seconds)
{
    uint64_t ns = seconds > 0 ? (uint64_t)((seconds < 1e9 ? seconds : 1e9) * 1e9 + 0.5) : 0;

    at = put_number(at, ns / 1000000000, 1);
    *at++ = '.';
    return put_number(at, ns % 1000000000, 9);
}

static bool is_plain(unsigned char byte)
{
    return byte > ' ' && byte != '%' && byte != 0x7f;
}

static char *put_name(char *at, const hs_instance *in, size_t task)
{
    char   name[HS_MAX_ID + 16];
    size_t length = hs_instance_name(in, task, name, sizeof name), i;

    for (i = 0; i < length && i < sizeof name - 1; i++) {
        unsigned char byte = (unsigned char)name[i];

        if (is_plain(byte)) {
            *at++ = name[i];
        } else {
            *at++ = '%';
            *at++ = digits[byte >> 4];
            *at++ = digits[byte & 15];
        }
    }
    return at;
}

static int hex_digit(char c)
{
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

bool hsi_journal_get_hex(const char *at, uint64_t *value)
{
    int i, digit;

    for (*value = 0, i = 0; i < HSI_JOURNAL_HEX; i++) {
        if ((digit = hex_digit(at[i])) < 0)
            return false;
        *value = *value << 4 | (unsigned)digit;
    }
    return true;
}

size_t hsi_journal_get_name(const char *at, size_t length, char *name)
{
    const char *end = at + length;
    char       *to = name;

    while (at < end) {
        if (*at == '%' && end - at >= 3) {
            *to++ = (char)((unsigned)hex_digit(at[1]) << 4 | (unsigned)hex_digit(at[2]));
            at += 3;
        } else {
            *to++ = *at++;
        }
    }
    return (size_t)(to - name);
}

typedef enum body_kind { KERNEL, COMMAND, CALL } body_kind;

/* Return the digest of what runs a task; the texts of different kinds may be equal. */
static uint64_t digest_what(body_kind kind, const char *text)
{
    return hsi_digest_finish(
        hsi_digest_string(hsi_digest_number(HSI_FNV_BASIS, (uint64_t)kind, 1), text));
}

uint64_t hsi_journal_emulated_digest(void)
{
    return digest_what(KERNEL, NULL);
}

uint64_t hsi_journal_digest_implementation(const hs_instance *in, uint32_t task, hs_type type)
{
    hs_task     row;
    const char *command;

    hs_instance_row(in, hs_instance_row_of(in, task), &row);
    command = type == HS_CPU ? row.cpu_command : row.gpu_command;
    return command && *command ? digest_what(COMMAND, command) : digest_what(KERNEL, row.kernel);
}

uint64_t hsi_journal_digest_call(const hs_instance *in, uint32_t task)
{
    hs_task row;

    hs_instance_row(in, hs_instance_row_of(in, task), &row);
    return digest_what(CALL, row.kernel);
}

static uint64_t digest_of_record(const hs_instance *in, const hsi_journal_record *record,
                                 hs_type type)
{
    if (record->emulated)
        return hsi_journal_emulated_digest();
    if (record->called)
        return hsi_journal_digest_call(in, record->attempt.task);
    return hsi_journal_digest_implementation(in, record->attempt.task, type);
}

/* Add the sum and a newline to the line that ends at `at`; return the whole length. */
static size_t seal(char *line, char *at, uint64_t *chain)
{
    uint64_t state = hsi_journal_sum_start(*chain);

    *chain = hsi_journal_sum_end(hsi_digest_bytes(state, line, (size_t)(at - line)));
    *at++ = ' ';
    at = put_hex(at, *chain);
    *at++ = '\n';
    return (size_t)(at - line);
}

size_t hsi_journal_put_header(char *line, uint64_t *chain)
{
    *chain = 0;
    return seal(line, put_text(line, "hybridsched-journal 2"), chain);
}

size_t hsi_journal_put_run(char *line, uint64_t synced, uint64_t *chain)
{
    struct timespec now;
    struct tm       utc;
    char            date[64] = "-";
    char           *at = put_text(line, "run ");

    clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S.", &utc);
    at = put_number(put_text(at, date), (uint64_t)now.tv_nsec / 1000000, 3);
    *at++ = 'Z';
    *at++ = ' ';
    at = put_number(at, synced, 1);
    return seal(line, at, chain);
}

static char *put_failure(char *at, const hs_exec_attempt *a)
{
    if (a->timed_out)
        return put_text(at, "timeout ");
    if (a->outcome == HS_OUTCOME_LOST)
        return put_text(at, "lost ");
    if (a->signal <= 0 && a->status < 0)
        return put_text(at, "failed ");
    at = put_text(at, a->signal > 0 ? "signal:" : "exit:");
    at = put_number(at, (uint64_t)(a->signal > 0 ? a->signal : a->status), 1);
    *at++ = ' ';
    return at;
}

size_t hsi_journal_put_record(char *line, const hs_instance *in, const hsi_journal_record *record)
{
    const hs_exec_attempt *a = &record->attempt;
    const int              done = a->outcome == HS_OUTCOME_DONE;
    const hs_type          type = a->worker < hs_instance_cpus(in) ? HS_CPU : HS_GPU;
    char                   worker[16];
    char                  *at = put_text(line, done ? "done " : "failed ");

    at = put_name(at, in, a->task);
    *at++ = ' ';
    hs_worker_name(hs_instance_cpus(in), a->worker, worker);
    at = put_text(at, worker);
    *at++ = ' ';
    at = put_number(at, a->number, 1);
    *at++ = ' ';
    at = put_seconds(at, a->start);
    *at++ = ' ';
    at = put_seconds(at, a->end);
    *at++ = ' ';
    at = put_hex(at, digest_of_record(in, record, type));
    *at++ = ' ';
    if (!done)
        at = put_failure(at, a);
    return (size_t)(at - line);
}

size_t hsi_journal_put_undone(char *line, const hs_instance *in, uint32_t task)
{
    char *at = put_name(put_text(line, "undone "), in, task);

    *at++ = ' ';
    return (size_t)(at - line);
}

size_t hsi_journal_seal(char *line, size_t length, uint64_t synced, uint64_t *chain)
{
    return seal(line, put_number(line + length, synced, 1), chain);
}

size_t hsi_journal_put_closed(char *line, uint64_t synced, uint64_t *chain)
{
    char *at = put_text(line, "closed ");

    at = put_number(at, synced, 1);
    return seal(line, at, chain);
}
