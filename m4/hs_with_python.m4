# HS_WITH_PYTHON
# Define the option --with-python[=yes|no|PYTHON], by default auto: the first of python3 in PATH and
# /usr/bin/python3 that has what the package needs. configure fails if an explicit yes or PYTHON lacks
# it. Set PYTHON, PYTHON_CPPFLAGS, pythondir, the conditional HAVE_PYTHON, and hs_with_python for the
# summary.
AC_DEFUN([HS_WITH_PYTHON], [
  AC_ARG_WITH([python], [AS_HELP_STRING([--with-python@<:@=PYTHON@:>@],
    [the Python package; needs cffi, numpy and Python.h @<:@auto@:>@])], [], [with_python=auto])
  AC_MSG_CHECKING([for a Python with cffi, numpy and Python.h])
  AS_CASE(["$with_python"],
    [no], [hs_pythons=],
    [auto|yes], [hs_pythons="python3 /usr/bin/python3"],
    [hs_pythons=$with_python])
  AS_IF([test "$enable_shared" = no],
    [hs_pythons= hs_lacks="shared libraries (--enable-shared)"],
    [hs_lacks="a Python"])
  hs_prefix=$prefix
  AS_IF([test "$hs_prefix" = NONE], [hs_prefix=$ac_default_prefix])
  PYTHON= PYTHON_CPPFLAGS= pythondir=
  for hs_python in $hs_pythons; do
    AS_IF([$hs_python "$srcdir/python/probe.py" "$hs_prefix" >conftest.out 2>conftest.err],
      [PYTHON=`sed -n 1p conftest.out`
       PYTHON_CPPFLAGS=-I`sed -n 2p conftest.out`
       pythondir=`sed -n 3p conftest.out`
       break],
      [hs_lacks="`tail -n 1 conftest.err` for $hs_python"])
  done
  rm -f conftest.out conftest.err
  AS_CASE(["$PYTHON,$with_python"],
    [,no], [hs_with_python=no],
    [,auto], [hs_with_python="no (missing: $hs_lacks)"],
    [,*], [AC_MSG_ERROR([--with-python was given, but is missing: $hs_lacks])],
    [hs_with_python=$PYTHON])
  AC_MSG_RESULT([$hs_with_python])
  AC_SUBST([PYTHON])
  AC_SUBST([PYTHON_CPPFLAGS])
  AC_SUBST([pythondir])
  AM_CONDITIONAL([HAVE_PYTHON], [test "x$PYTHON" != x])
])
