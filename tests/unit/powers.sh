#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The committed table of powers of ten is what its generator writes.

./make_powers | cmp - "${srcdir:-.}/lib/support/decimal/powers.c"
