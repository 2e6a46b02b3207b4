#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
exec sh "${srcdir:-.}/tests/cli/run.sh" --all bench
