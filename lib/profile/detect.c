/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU model of this computer. */
#include "profile/detect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "support/sized.h"

/* Return the value of a line "NAME : VALUE" without surrounding blanks; NULL: another line. */
static char *value_of(char *line, const char *name)
{
    char *value = line + strlen(name), *end;

    if (strncmp(line, name, strlen(name)) != 0)
        return NULL;
    value += strspn(value, " \t");
    if (*value++ != ':')
        return NULL;
    value += strspn(value, " \t");
    end = value + strlen(value);
    while (end > value && strchr(" \t\n", end[-1]))
        *--end = '\0';
    return *value ? value : NULL;
}

void hsi_detect_cpu_model(const char *path, const char *architecture,
                          char model[HS_MAX_PROCESSOR_MODEL])
{
    FILE *file = fopen(path, "re");
    char  line[4 * HS_MAX_PROCESSOR_MODEL];

    snprintf(model, HS_MAX_PROCESSOR_MODEL, "%s", architecture);
    while (file && fgets(line, sizeof line, file)) {
        char *name = value_of(line, "model name"), *part = value_of(line, "CPU part");

        if (part)
            snprintf(model, HS_MAX_PROCESSOR_MODEL, "%s %.100s", architecture, part);
        if (!name)
            continue;
        snprintf(model, HS_MAX_PROCESSOR_MODEL, "%s", name);
        break;
    }
    if (file)
        fclose(file);
}

void hs_processor_detect_cpu(int cores, hs_processor *processor)
{
    hs_processor   full = {.type = HS_CPU, .cores = cores};
    struct utsname system;

    if (uname(&system) != 0)
        strcpy(system.machine, "unknown");
    hsi_detect_cpu_model("/proc/cpuinfo", system.machine, full.model);
    hsi_sized_copy_out(processor, &full, sizeof full);
}
