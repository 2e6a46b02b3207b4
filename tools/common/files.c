/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/message.h"

bool is_dash(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

void files_check_svg(const char *option, const char *path)
{
    static const char *const others[] = {".png", ".pdf", ".jpg", ".jpeg", ".gif", ".webp", ".eps",
                                         ".ps",  ".html"};
    const char              *end = path ? strrchr(path, '.') : NULL;

    for (size_t i = 0; end && i < sizeof others / sizeof *others; i++)
        if (strcasecmp(end, others[i]) == 0)
            usage_error("%s: '%s': the picture is SVG, whatever it is called; rsvg-convert makes "
                        "PNG and PDF of it",
                        option, path);
}

int files_count_stdout(const char *const *path, int count)
{
    int dashes = 0;

    for (int i = 0; i < count; i++)
        dashes += is_dash(path[i]);
    return dashes;
}

void files_check(const char *const *outputs, int count, const char *const *inputs,
                 size_t input_count)
{
    if (files_count_stdout(outputs, count) > 1)
        usage_error("only one output can be '-', standard output: give the others file names");
    for (int i = 0; i < count; i++) {
        if (!outputs[i] || is_dash(outputs[i]))
            continue;
        for (int j = 0; j < i; j++)
            if (outputs[j] && same_file(outputs[i], outputs[j]))
                usage_error("%s is given for two outputs: give each its own file", outputs[i]);
        for (size_t j = 0; j < input_count; j++)
            if (inputs[j] && same_file(outputs[i], inputs[j]))
                usage_error("%s is both input and output: give the output another file",
                            outputs[i]);
    }
}

int files_open(const char *const *path, output **file, int count)
{
    int code = EXIT_OK;

    for (int i = 0; i < count && !code; i++)
        if (path[i])
            code = output_open(path[i], &file[i]);
    return code;
}

int files_check_creatable(const char *const *path, int count)
{
    int code = EXIT_OK;

    for (int i = 0; i < count && !code; i++)
        if (path[i])
            code = output_check_creatable(path[i]);
    return code;
}

int files_write(output **file, int count, files_writer *write, const void *data)
{
    int code = EXIT_OK;

    for (int i = 0; i < count && !code; i++) {
        hs_status status = file[i] ? write(i, output_fd(file[i]), data) : HS_OK;

        if (status != HS_OK) {
            code = output_close(file[i], status);
            file[i] = NULL;
        }
    }
    for (int i = 0; i < count && !code; i++) {
        if (file[i])
            code = output_close(file[i], HS_OK);
        file[i] = NULL;
    }
    return code;
}

void files_discard(output **file, int count)
{
    for (int i = 0; i < count; i++)
        output_discard(file[i]);
}

bool files_is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool files_in_path(const char *word)
{
    const char *folders = getenv("PATH"), *rest = folders ? folders : "/usr/bin:/bin";
    char        path[4096];

    for (;; rest++) {
        int length = (int)strcspn(rest, ":");

        if ((size_t)snprintf(path, sizeof path, "%.*s%s%s", length, rest, length ? "/" : "",
                             word) < sizeof path &&
            files_is_program(path))
            return true;
        rest += length;
        if (!*rest)
            return false;
    }
}
