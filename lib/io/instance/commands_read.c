/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a list of shell commands, a command a line, as an instance. */
#include <errno.h>
#include <stdio.h>

#include "core/builder.h"
#include "core/error.h"
#include "io/import/source_text.h"
#include "io/text/file_header.h"

typedef struct command_list {
    struct hsi_import_text text;
    hs_read_settings       settings;
    hs_error               error; /* first fault found; HS_OK: none */
    hs_builder            *builder;
    size_t                 commands; /* number of commands so far */
} command_list;

/* Find the next line from `at`, without LF or CR LF; return the start of the line after it. */
static const char *next_line(const char *at, const char *end, hsi_text *line)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));

    *line = (hsi_text){at, (size_t)((stop ? stop : end) - at)};
    if (line->length > 0 && at[line->length - 1] == '\r')
        line->length--;
    return stop ? stop + 1 : end;
}

/* Return whether the line has nothing to run: it is blank or a comment. */
static bool is_empty(hsi_text line)
{
    size_t i = 0;

    while (i < line.length && (line.at[i] == ' ' || line.at[i] == '\t'))
        i++;
    return i == line.length || line.at[i] == '#';
}

static bool is_column(hsi_text word)
{
    int i = 0;

    while (i < HSI_COLUMNS && !hsi_text_is(word, hsi_columns[i].is.name))
        i++;
    return i < HSI_COLUMNS;
}

/* Return whether the line is the header of a table: two names of columns or more, or a command's. */
static bool is_header(hsi_text line)
{
    hsi_text    word = {line.at, 0};
    const char *end = line.at + line.length, *comma;
    bool        is_list = false;

    for (; (comma = memchr(word.at, ',', (size_t)(end - word.at))); word.at = comma + 1) {
        word.length = (size_t)(comma - word.at);
        if (!is_column(word))
            return false;
        is_list = true;
    }
    word.length = (size_t)(end - word.at);
    return is_list ? is_column(word)
                   : hsi_text_is(word, "cpu_command") || hsi_text_is(word, "gpu_command");
}

/* Return whether the line ends in a backslash that escapes the end of the line. */
static bool is_continued(hsi_text line)
{
    size_t backslashes = 0;

    while (backslashes < line.length && line.at[line.length - 1 - backslashes] == '\\')
        backslashes++;
    return backslashes % 2 == 1;
}

static hs_status check_command(command_list *list, hsi_text line)
{
    if (list->commands == 0 && is_header(line))
        return hsi_import_fail(&list->text, line.at, "this is the header of a table, not a command; "
                               "expected a shell command in each line (hsched-exec runs a table "
                               "without --commands)");
    if (is_continued(line))
        return hsi_import_fail(&list->text, line.at + line.length - 1, "the command goes on in the "
                               "next line; expected each command in one line");
    if (list->commands == HS_MAX_TASKS)
        return hsi_import_fail(&list->text, line.at, "more commands than there may be; expected at "
                               "most %llu", (unsigned long long)HS_MAX_TASKS);
    return HS_OK;
}

/* Add the command in line `number` as a task that only CPUs run, in an unknown time. */
static hs_status add_command(command_list *list, hsi_text line, uint64_t number)
{
    const uint32_t times = HSI_BIT(HSI_CPU) | HSI_BIT(HSI_GPU);
    char           id[24];
    hsi_row        row = {.given = HSI_BIT(HSI_ID) | times | HSI_BIT(HSI_CPU_COMMAND)};
    hs_status      st = check_command(list, line);

    if (st != HS_OK)
        return st;
    list->commands++;
    row.value[HSI_ID].text =
        (hsi_text){id, (size_t)snprintf(id, sizeof id, "%llu", (unsigned long long)number)};
    row.value[HSI_CPU].time = HS_UNKNOWN;
    row.value[HSI_GPU].time = INFINITY;
    row.value[HSI_CPU_COMMAND].text = line;
    return hsi_builder_add_row(list->builder, &row);
}

static hs_status read_lines(command_list *list)
{
    const char *at = list->text.at, *end = list->text.end;
    hsi_text    line;
    hs_status   st = HS_OK;

    for (uint64_t number = 1; at < end && st == HS_OK; number++) {
        at = next_line(at, end, &line);
        if (!is_empty(line))
            st = add_command(list, line, number);
    }
    if (st == HS_OK && list->commands == 0)
        return hsi_import_fail(&list->text, NULL, "the list has no command; expected a shell "
                               "command in each line");
    return st;
}

/* Set the numbers of workers. A list has none, and no use for GPUs. */
static hs_status set_workers(command_list *list)
{
    const hs_read_settings *s = &list->settings;
    unsigned                cpus = s->cpus;

    if (!s->has_cpus && !s->missing_workers)
        return hsi_error_set(&list->error, HS_EINVAL, "a list of commands has no number of CPUs; "
                             "expected one in hs_read_settings");
    if (!s->has_cpus)
        cpus = s->missing_workers(s->missing_data, HS_CPU);
    if (cpus == 0)
        return hsi_import_fail(&list->text, NULL, "there is no CPU, and a list of commands runs on "
                               "CPUs only; expected at least one (a table may have a column "
                               "gpu_command)");
    return hs_builder_set_workers(list->builder, cpus < HS_MAX_WORKERS ? cpus : HS_MAX_WORKERS,
                                  s->has_gpus ? s->gpus : 0);
}

hs_status hs_commands_read(int fd, const hs_read_settings *settings, hs_instance **out,
                           hs_error *error)
{
    command_list list = {.commands = 0};
    hs_status    st;
    int          saved_errno;

    if (!out)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_read_settings_resolve(&list.settings, settings);
    if (st == HS_OK)
        st = hs_builder_create(&list.builder);
    if (st == HS_OK)
        st = hsi_import_text_open(&list.text, fd, &list.error);
    if (st == HS_OK)
        st = read_lines(&list);
    if (st == HS_OK)
        st = set_workers(&list);
    if (st == HS_OK)
        st = hs_builder_finish(list.builder, out, NULL);
    saved_errno = errno;
    hsi_import_text_close(&list.text);
    hs_builder_free(list.builder);
    errno = saved_errno;
    return hsi_import_copy_error(st, &list.error, error);
}
