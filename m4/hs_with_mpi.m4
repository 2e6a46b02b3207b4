# HS_WITH_MPI
# Define the option --with-mpi[=yes|no|DIR], by default auto: an MPI of version 3 or later, by the
# compiler wrapper mpicc in DIR/bin or in PATH. configure fails if an explicit yes or DIR finds none.
# Set hs_with_mpi, MPI_CFLAGS, MPI_LIBS, MPIEXEC and the conditional HAVE_MPI.
AC_DEFUN([HS_WITH_MPI], [
  AC_ARG_WITH([mpi],
    [AS_HELP_STRING([--with-mpi@<:@=DIR@:>@],
       [MPI (Open MPI, MPICH), for the module for several ranks @<:@auto@:>@])],
    [], [with_mpi=auto])
  hs_with_mpi=no
  MPI_CFLAGS= MPI_LIBS= MPIEXEC=
  AS_IF([test "x$with_mpi" != xno], [
    AS_CASE(["$with_mpi"], [auto|yes], [hs_mpi_path=$PATH], [hs_mpi_path=$with_mpi/bin])
    AC_PATH_PROG([MPICC], [mpicc], [], [$hs_mpi_path])
    AC_PATH_PROGS([MPIEXEC], [mpirun mpiexec], [], [$hs_mpi_path])
    # Both wrappers print the command of the compiler with all its options.
    for hs_word in `test "x$MPICC" = x || "$MPICC" -show 2>/dev/null`; do
      AS_CASE(["$hs_word"],
        [-I*], [MPI_CFLAGS="$MPI_CFLAGS -isystem `AS_ECHO(["$hs_word"]) | sed 's/^-I//'`"],
        [-L*|-l*|-Wl,*], [MPI_LIBS="$MPI_LIBS $hs_word"])
    done
    hs_saved_CPPFLAGS=$CPPFLAGS; CPPFLAGS="$CPPFLAGS $MPI_CFLAGS"
    hs_saved_LIBS=$LIBS; LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([for MPI])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <mpi.h>
#if MPI_VERSION < 3
#error too old
#endif]], [[
  int level;
  MPI_Request request;
  return MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &level) + MPI_Ibarrier(MPI_COMM_WORLD, &request);
]])], [hs_with_mpi=yes])
    AC_MSG_RESULT([$hs_with_mpi])
    CPPFLAGS=$hs_saved_CPPFLAGS
    LIBS=$hs_saved_LIBS
    AS_IF([test "$hs_with_mpi" = no && test "x$with_mpi" != xauto],
      [AC_MSG_ERROR([--with-mpi was given, but no mpicc of an MPI from version 3 on was found])])
  ])
  AS_IF([test "$hs_with_mpi" = no], [MPI_CFLAGS= MPI_LIBS= MPIEXEC=])
  AC_SUBST([MPI_CFLAGS])
  AC_SUBST([MPI_LIBS])
  AC_SUBST([MPIEXEC])
  AM_CONDITIONAL([HAVE_MPI], [test "$hs_with_mpi" = yes])
])
