# SPDX-License-Identifier: BSD-3-Clause
# What the cases' scripts share.

# Runs a command; the seconds in its CSV, JSON or table become T. Keeps its status.
no_seconds()
{
    "$@" >no_seconds.out
    status=$?
    sed -e 's/,[0-9]*\.[0-9]\{6\}$/,T/' -e 's/"seconds": [0-9.]*}/"seconds": T}/' \
        -e 's/ [ ]*[0-9]*\.[0-9]\{6\}$/ T/' no_seconds.out
    rm no_seconds.out
    return $status
}

# "ran: STATUS" after what the command printed, for cases of several commands.
try()
{
    "$@"
    echo "status $?"
}
