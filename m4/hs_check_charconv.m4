# HS_CHECK_CHARCONV
# Set HAVE_CHARCONV if the C++ compiler's <charconv> reads and writes doubles; for benchmarks only.
AC_DEFUN([HS_CHECK_CHARCONV], [
  AC_MSG_CHECKING([for doubles in C++17's <charconv>])
  AC_LANG_PUSH([C++])
  hs_saved_CXXFLAGS=$CXXFLAGS
  CHARCONV_CXXFLAGS=-std=c++17
  CXXFLAGS="$CXXFLAGS $CHARCONV_CXXFLAGS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <charconv>]],
    [[char text[32]; double value = 0.1;
      auto end = std::to_chars(text, text + sizeof text, value).ptr;
      return std::from_chars(text, end, value).ec != std::errc();]])],
    [hs_have_charconv=yes], [hs_have_charconv=no])
  CXXFLAGS=$hs_saved_CXXFLAGS
  AC_LANG_POP([C++])
  AC_MSG_RESULT([$hs_have_charconv])
  AC_SUBST([CHARCONV_CXXFLAGS])
  AM_CONDITIONAL([HAVE_CHARCONV], [test "$hs_have_charconv" = yes])
  AS_IF([test "$hs_have_charconv" = yes],
    [AC_DEFINE([HAVE_CHARCONV], [1], [Define if benchmarks may use C++17's <charconv>.])])
])
