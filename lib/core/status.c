/* SPDX-License-Identifier: BSD-3-Clause */
#include <hybridsched/status.h>
#include <hybridsched/version.h>

const char *hs_status_text(hs_status status)
{
    switch (status) {
#define X(name, value, text) \
    case HS_##name:          \
        return text;
        HS_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

unsigned hs_library_version(void)
{
    return HS_VERSION_HEX;
}

const char *hs_library_version_string(void)
{
    return HS_VERSION_STRING;
}
