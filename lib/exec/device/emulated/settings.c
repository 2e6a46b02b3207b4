/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "exec/device/emulated/emulated.h"

enum { NAME = 24 };

static double *number_of(hsi_emulated_settings *s, const char *name)
{
    const struct {
        const char *name;
        double     *at;
    } numbers[] = {
        {"devices", &s->devices},       {"bandwidth", &s->bandwidth},
        {"launch", &s->launch},         {"speed", &s->speed},
        {"memory", &s->memory},         {"chunk", &s->chunk},
        {"operations", &s->operations}, {"manual", &s->manual},
        {"fail-call", &s->fail_call},   {"fail-operation", &s->fail_operation},
    };
    size_t i;

    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, name) == 0)
            return numbers[i].at;
    return NULL;
}

/* Read the value of `fault`. */
static bool read_fault(const char *text, size_t length, hsi_emulated_fault *out)
{
    static const char *const words[] = {"lost", "memory", "wrong", "hang"};
    size_t                   i;

    for (i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
            *out = (hsi_emulated_fault)i;
            return true;
        }
    return false;
}

static bool read_value(hsi_emulated_settings *s, const char *name, const char *text, size_t length)
{
    double *number = number_of(s, name), value;
    char   *end;

    if (strcmp(name, "fault") == 0)
        return read_fault(text, length, &s->fault);
    if (!number || length == 0)
        return false;
    value = strtod(text, &end);
    *number = value;
    return end == text + length && value >= 0 && value <= 1e18;
}

static bool read_setting(hsi_emulated_settings *s, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    char        name[NAME];
    size_t      size = equals ? (size_t)(equals - text) : NAME;

    if (size >= sizeof name)
        return false;
    memcpy(name, text, size);
    name[size] = '\0';
    return read_value(s, name, equals + 1, length - size - 1);
}

hs_status hsi_emulated_read_settings(const char *text, hsi_emulated_settings *out, hs_error *error)
{
    hsi_emulated_settings s = {.devices = 1, .memory = 64e6, .chunk = 64e6};
    size_t                length;

    for (; text && *text; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        if (!read_setting(&s, text, length))
            return hsi_error_set(error, HS_EINVAL,
                                 "'%.*s' is no setting of emulated devices; settings are like "
                                 "devices=2,bandwidth=1e9,launch=1e-6,speed=1e10,memory=64e6",
                                 (int)(length < 64 ? length : 64), text);
    }
    if (s.devices > 64)
        return hsi_error_set(error, HS_EINVAL,
                             "at most 64 devices are emulated, not %g; set devices=64", s.devices);
    if (s.operations >= 1 << HS_OPERATION_KINDS)
        return hsi_error_set(error, HS_EINVAL,
                             "emulated devices have no operations %g; set operations=7 for gemm, "
                             "syrk and trsm",
                             s.operations);
    *out = s;
    return HS_OK;
}
