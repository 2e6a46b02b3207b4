/* SPDX-License-Identifier: BSD-3-Clause */
#include <hybridsched/io.h>

#include "support/decimal/decimal.h"

size_t hs_format_double(double value, char buffer[32])
{
    _Static_assert(HSI_DECIMAL_MAX <= 32, "the public promise");
    return hsi_decimal_write(value, buffer);
}
