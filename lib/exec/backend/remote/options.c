/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/backend/remote/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/decimal/decimal.h"

typedef enum option_kind { REAL, INT, UNSIGNED, BOOL, TEXT } option_kind;

/* A member of hsi_node_options. */
static const struct option {
    const char *name;
    option_kind kind;
    size_t      offset;
} options_table[] = {
#define MEMBER(name, kind, member)                                                                 \
    {                                                                                              \
        name, kind, offsetof(hsi_node_options, member)                                             \
    }
    MEMBER("name", TEXT, name),
    MEMBER("folder", TEXT, folder),
    MEMBER("gpu-module", TEXT, module),
    MEMBER("first-cpu", UNSIGNED, first[HS_CPU]),
    MEMBER("first-gpu", UNSIGNED, first[HS_GPU]),
    MEMBER("cpus", UNSIGNED, count[HS_CPU]),
    MEMBER("gpus", UNSIGNED, count[HS_GPU]),
    MEMBER("all-cpus", UNSIGNED, total[HS_CPU]),
    MEMBER("all-gpus", UNSIGNED, total[HS_GPU]),
    MEMBER("node-timeout", REAL, timeout),
    MEMBER("output", BOOL, output),
    MEMBER("allow-commands", BOOL, settings.run.allow_commands),
    MEMBER("time-scale", REAL, settings.run.time_scale),
    MEMBER("emulate-cpus", INT, settings.run.emulate[HS_CPU]),
    MEMBER("emulate-gpus", INT, settings.run.emulate[HS_GPU]),
    MEMBER("cores-per-cpu-worker", UNSIGNED, settings.place.cores[HS_CPU]),
    MEMBER("cores-per-gpu-worker", UNSIGNED, settings.place.cores[HS_GPU]),
    MEMBER("oversubscribe", INT, settings.place.oversubscribe),
    MEMBER("share-gpu-cores", INT, settings.place.share_gpu_cores),
    MEMBER("unbound", BOOL, settings.place.unbound),
    MEMBER("process-memory", REAL, settings.place.process_memory),
    MEMBER("keep-visible-devices", INT, settings.gpu.keep_visible_devices),
    MEMBER("grace", REAL, settings.fail.grace),
#undef MEMBER
};

enum { OPTIONS = sizeof options_table / sizeof *options_table };

/* Return the value as text, in `buffer` if it is a number; NULL: leave the option out. */
static const char *value_of(const hsi_node_options *options, const struct option *o,
                            char buffer[HSI_DECIMAL_MAX])
{
    const void *at = (const char *)options + o->offset;

    switch (o->kind) {
    case TEXT:
        return *(char *const *)at;
    case REAL:
        hsi_decimal_write(*(const double *)at, buffer);
        break;
    case INT:
        hsi_decimal_write_i64(*(const int *)at, buffer);
        break;
    case UNSIGNED:
        hsi_decimal_write_u64(*(const unsigned *)at, buffer);
        break;
    case BOOL:
        hsi_decimal_write_u64(*(const bool *)at, buffer);
        break;
    }
    return buffer;
}

bool hsi_node_options_write(const hsi_node_options *options, hsi_vector *out)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        char        number[HSI_DECIMAL_MAX], head[64];
        const char *value = value_of(options, &options_table[i], number);

        if (!value)
            continue;
        snprintf(head, sizeof head, "option %s +%zu\n", options_table[i].name, strlen(value));
        if (hsi_vector_append(out, head, strlen(head)) != 0 ||
            hsi_vector_append(out, value, strlen(value)) != 0)
            return false;
    }
    return true;
}

static bool set_text(char **member, const char *bytes, size_t length)
{
    if (memchr(bytes, '\0', length))
        return false;
    free(*member);
    *member = strndup(bytes, length);
    return *member != NULL;
}

/* Set a member that is a number of at least 0. */
static bool set_number(hsi_node_options *options, const struct option *o, const char *bytes,
                       size_t length)
{
    void  *at = (char *)options + o->offset;
    double value;

    if (hsi_decimal_read(bytes, bytes + length, &value) != bytes + length || !(value >= 0))
        return false;
    if (o->kind == REAL) {
        *(double *)at = value;
        return true;
    }
    if (value > HS_MAX_WORKERS || value != floor(value))
        return false;
    if (o->kind == BOOL)
        *(bool *)at = value > 0;
    else if (o->kind == INT)
        *(int *)at = (int)value;
    else
        *(unsigned *)at = (unsigned)value;
    return true;
}

bool hsi_node_options_read(hsi_node_options *options, const hsi_message *message)
{
    size_t i = 0;

    while (i < OPTIONS && strcmp(options_table[i].name, message->word[1]) != 0)
        i++;
    if (i == OPTIONS)
        return false;
    if (options_table[i].kind == TEXT)
        return set_text((char **)(void *)((char *)options + options_table[i].offset),
                        message->bytes, message->length);
    return set_number(options, &options_table[i], message->bytes, message->length);
}

void hsi_node_options_free(hsi_node_options *options)
{
    free(options->name);
    free(options->folder);
    free(options->module);
}
