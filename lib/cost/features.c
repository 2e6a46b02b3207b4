/* SPDX-License-Identifier: BSD-3-Clause */
/* Features of tasks: key, size, work and bytes, from the columns, names and edges of a row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/cost.h>

#include "core/task_digest.h"
#include "cost/fill.h"
#include "cost/kernel_work.h"
#include "support/sized.h"

struct hs_feature_index {
    const hs_instance *in;
    double            *bytes[2]; /* bytes read and written by a task of each row; NULL: no graph */
};

void hs_feature_index_free(hs_feature_index *index)
{
    if (!index)
        return;
    free(index->bytes[0]);
    free(index->bytes[1]);
    free(index);
}

static uint32_t count_of(const hs_instance *in, size_t row)
{
    hs_task task;

    hs_instance_row(in, row, &task);
    return task.count;
}

static void add_edges(hs_feature_index *index, size_t row)
{
    size_t   predecessor;
    uint32_t copy, count = count_of(index->in, row);
    double   bytes;

    for (size_t i = 0; hs_instance_predecessor(index->in, row, i, &predecessor, &copy, &bytes);
         i++) {
        if (bytes == 0)
            continue;
        index->bytes[0][row] += bytes * (copy ? 1 : count_of(index->in, predecessor));
        index->bytes[1][predecessor] += bytes * count; /* of one copy: an upper bound */
    }
}

static void add_accesses(hs_feature_index *index, size_t row)
{
    size_t         handle;
    hs_access_mode mode;

    for (size_t i = 0; hs_instance_access(index->in, row, i, &handle, &mode); i++) {
        double bytes = hs_instance_handle_bytes(index->in, handle);

        if (mode & HS_READ)
            index->bytes[0][row] += bytes;
        if (mode & HS_WRITE)
            index->bytes[1][row] += bytes;
    }
}

hs_status hs_feature_index_create(const hs_instance *in, hs_feature_index **out)
{
    hs_feature_index *index;
    size_t            rows;

    if (!in || !out)
        return HS_EINVAL;
    index = calloc(1, sizeof *index);
    if (!index)
        return HS_ENOMEM;
    index->in = in;
    rows = hs_instance_rows(in);
    if (hs_instance_has_graph(in)) {
        index->bytes[0] = calloc(rows, sizeof **index->bytes);
        index->bytes[1] = calloc(rows, sizeof **index->bytes);
        if (!index->bytes[0] || !index->bytes[1]) {
            hs_feature_index_free(index);
            return HS_ENOMEM;
        }
        for (size_t row = 0; row < rows; row++) {
            add_edges(index, row);
            add_accesses(index, row);
        }
    }
    *out = index;
    return HS_OK;
}

/* Append text to a key, truncated to the key's room. */
static void append(char key[HS_MAX_KEY], const char *text, size_t length)
{
    size_t used = strlen(key);

    if (length > HS_MAX_KEY - 1 - used)
        length = HS_MAX_KEY - 1 - used;
    memcpy(key + used, text, length);
    key[used + length] = '\0';
}

static void append_base_name(char key[HS_MAX_KEY], const char *path, size_t length)
{
    const char *name = path;

    for (size_t i = 0; i + 1 < length; i++)
        if (path[i] == '/')
            name = path + i + 1;
    append(key, name, length - (size_t)(name - path));
}

/* Return whether a program runs a script named in its arguments. */
static bool is_interpreter(const char *name)
{
    static const char *const interpreters[] = {"sh",      "bash",  "perl", "ruby",
                                               "Rscript", "julia", "node", "java"};

    for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++)
        if (strcmp(name, interpreters[i]) == 0)
            return true;
    return strncmp(name, "python", 6) == 0 && name[6 + strspn(name + 6, "0123456789.")] == '\0';
}

/* Return whether a word is an option after which every interpreter that knows it reads a script. */
static bool is_plain_option(const char *word, size_t length)
{
    static const char *const options[] = {"-u", "-x", "-w", "-B", "-jar", "--vanilla"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i]) == length && memcmp(word, options[i], length) == 0)
            return true;
    return strncmp(word, "-Xm", 3) == 0; /* memory of java */
}

/* Return whether a word is a plain path: text that the shell changes, or code, is no key. */
static bool is_plain(const char *word, size_t length)
{
    return strcspn(word, "$`\"'\\*?[]{}()<>|&;#~!%^=") >= length;
}

/*
 * Append the name of the script that an interpreter runs, if only plain options precede it: a word
 * after any other option may be code, or the value of the option.
 */
static void append_script(char key[HS_MAX_KEY], const char *word)
{
    static const char blanks[] = " \t";
    size_t            length = 0;

    do {
        word += length;
        word += strspn(word, blanks);
        length = strcspn(word, " \t\n");
    } while (is_plain_option(word, length));
    if (length > 0 && !strchr("-+@", *word) && is_plain(word, length)) {
        append(key, " ", 1);
        append_base_name(key, word, length);
    }
}

/* Mark the key of a program that has the name of a built-in kernel, whose times are others. */
static void mark_kernel_name(char key[HS_MAX_KEY])
{
    char name[HS_MAX_KEY];

    if (!hsi_is_kernel_name(key))
        return;
    strcpy(name, key);
    strcpy(key, "command:");
    append(key, name, strlen(name));
}

static void command_key(const char *command, char key[HS_MAX_KEY])
{
    size_t      length;
    const char *word = hs_command_program(command, &length);

    if (!word) {
        append(key, "sh", 2);
        return;
    }
    append_base_name(key, word, length);
    if (is_interpreter(key))
        append_script(key, word + length);
    mark_kernel_name(key);
}

/* Set the key of a plugin's task, plugin:FILE:FUNCTION, without the folder of the file. */
static void plugin_key(const char *text, char key[HS_MAX_KEY])
{
    append(key, "plugin:", 7);
    append_base_name(key, text + 7, strlen(text + 7));
}

void hsi_kernel_features(const char *text, hs_features *f)
{
    hsi_kernel_name name = hsi_kernel_name_split(text);
    double          n, matrix;

    if (name.work) {
        append(f->key, text, 1);
        append(f->key, name.work->name, strlen(name.work->name));
        if (name.parts > 1)
            append(f->key, strrchr(text, '/'), strlen(strrchr(text, '/')));
    } else if (strncmp(text, "plugin:", 7) == 0) {
        plugin_key(text, f->key);
    } else {
        append(f->key, text, name.length);
    }
    if (f->size == 0)
        f->size = name.size;
    n = f->size;
    matrix = name.element * n * n;
    if (name.work && f->flops == 0)
        f->flops = (name.work->cubic * n + name.work->square) * n * n / name.parts;
    if (f->bytes_in == 0 && f->bytes_out == 0) {
        f->bytes_in = name.work ? (1 + (name.work->read - 1) / name.parts) * matrix : 0;
        f->bytes_out = name.work ? name.work->written * matrix / name.parts : 0;
        if (strcmp(f->key, "copy") == 0)
            f->bytes_in = f->bytes_out = n;
    }
}

void hsi_features_of_row(const hs_feature_index *index, size_t row, const hs_task *task,
                         hs_type type, hs_features *features)
{
    const char *command = type == HS_CPU ? task->cpu_command : task->gpu_command;

    hs_features_init(features);
    features->size = task->size;
    features->flops = task->flops;
    if (index->bytes[0]) {
        features->bytes_in = index->bytes[0][row];
        features->bytes_out = index->bytes[1][row];
    }
    features->what = hsi_task_digest_implementation(task, type);
    if (task->kernel && *task->kernel)
        hsi_kernel_features(task->kernel, features);
    else if (command && *command)
        command_key(command, features->key);
    if (features->size == 0)
        features->size = features->bytes_in + features->bytes_out;
}

void hs_feature_index_get(const hs_feature_index *index, size_t row, hs_type type,
                          hs_features *features)
{
    hs_features full;
    hs_task     task;

    hs_instance_row(index->in, row, &task);
    hsi_features_of_row(index, row, &task, type, &full);
    hsi_sized_copy_out(features, &full, sizeof full);
}
