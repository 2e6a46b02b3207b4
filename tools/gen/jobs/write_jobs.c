/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-gen jobs: write a table of commands, one for each combination of values. */
#include <stdlib.h>
#include <string.h>

#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/files.h"
#include "common/message.h"
#include "gen/gen.h"
#include "gen/jobs/template.h"
#include "gen/jobs/value_lists.h"

/* The columns of commands: the command line's words, and the template for GPUs. */
typedef struct jobs_columns {
    const char   *name[2];
    jobs_text     text[2];
    jobs_template template[2];
    size_t        count;
} jobs_columns;

static void free_columns(jobs_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        free(columns->text[i].at);
        jobs_template_free(&columns->template[i]);
    }
}

/* Add a column whose template is the words, with blanks between them. */
static void add_column(jobs_columns *columns, const char *name, char *const *words, size_t count,
                       size_t lists)
{
    size_t     column = columns->count++;
    jobs_text *text = &columns->text[column];
    char       why[JOBS_WHY];

    columns->name[column] = name;
    for (size_t i = 0; i < count; i++) {
        jobs_text_add(text, " ", i > 0);
        jobs_text_add(text, words[i], strlen(words[i]));
    }
    if (text->at[strspn(text->at, " \t\n")] == '\0')
        usage_error("jobs: the %s is empty", name);
    if (!utf8_is_valid(text->at))
        usage_error("jobs: the %s is not UTF-8, and a table must be", name);
    if (!jobs_template_parse(text->at, lists, &columns->template[column], why))
        usage_error("jobs: %s: %s", name, why);
}

/* Write a field of a CSV file in quotes. */
static void write_field(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void write_table(FILE *out, const jobs_columns *columns, const value_lists *lists)
{
    const char **values = checked_calloc(lists->count, sizeof *values);
    uint64_t     rows = value_lists_combinations(lists);
    jobs_text    command = {0};

    fputs("# hybridsched instance 1\nid", out);
    for (size_t i = 0; i < columns->count; i++)
        fprintf(out, ",%s", columns->name[i]);
    putc('\n', out);
    for (uint64_t row = 0; row < rows && !ferror(out); row++) {
        value_lists_combination(lists, row, values);
        fprintf(out, "%llu", (unsigned long long)row + 1);
        for (size_t i = 0; i < columns->count; i++) {
            command.length = 0;
            jobs_template_expand(&columns->template[i], values, row + 1, &command);
            putc(',', out);
            write_field(out, command.at);
        }
        putc('\n', out);
    }
    free(command.at);
    free(values);
}

/* Check the lists against the output and the limit of tables. Return 0, or an exit code. */
static int check_lists(const value_lists *lists, const char *path)
{
    const char **files = checked_calloc(lists->count, sizeof *files);
    uint64_t     rows = value_lists_combinations(lists);

    for (size_t i = 0; i < lists->count; i++)
        files[i] = lists->list[i].file;
    files_check(&path, 1, files, lists->count);
    free(files);
    if (rows <= HS_MAX_TASKS)
        return EXIT_OK;
    message("jobs: the lists have more combinations than a table may have tasks, %llu",
            (unsigned long long)HS_MAX_TASKS);
    return EXIT_USAGE;
}

static int write_file(const char *path, const jobs_columns *columns, const value_lists *lists)
{
    output *file;
    FILE   *out;
    int     code = output_open(path, &file);

    if (code)
        return code;
    out = output_stream(file);
    if (out)
        write_table(out, columns, lists);
    return output_close(file, out ? HS_OK : HS_ENOMEM);
}

int gen_write_jobs(const gen_request *request, const char *path)
{
    char *const  gpu_command[] = {request->gpu_command};
    jobs_columns columns = {.count = 0};
    value_lists  lists = {0};
    int          code;

    if (request->command_words == 0 && !request->gpu_command)
        usage_error("jobs needs a command, such as 'convert {} {.}.png'; hsched-exec "
                    "--commands=FILE runs a list of whole commands");
    if (request->list_words == 0)
        usage_error("jobs needs values: ::: VALUE..., or :::: FILE with a value in each line ('-': "
                    "standard input)");
    code = value_lists_read(request->lists, request->list_words, &lists);
    if (!code && request->command_words > 0)
        add_column(&columns, "cpu_command", request->command, request->command_words, lists.count);
    if (!code && request->gpu_command)
        add_column(&columns, "gpu_command", gpu_command, 1, lists.count);
    if (!code)
        code = check_lists(&lists, path);
    if (!code)
        code = write_file(path, &columns, &lists);
    free_columns(&columns);
    value_lists_free(&lists);
    return code;
}
