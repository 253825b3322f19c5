/// BLAS and LAPACK of either precision by one name.
#pragma once

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void strsm_(const char*, const char*, const char*, const char*, const int*, const int*, const float*, const float*,
            const int*, float*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*);
void sgetrf_(const int*, const int*, float*, const int*, int*, int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void slaswp_(const int*, float*, const int*, const int*, const int*, const int*, const int*);
void dlaswp_(const int*, double*, const int*, const int*, const int*, const int*, const int*);
}

namespace ayatori::hpl {

/// c -= a b; a: m x k, b: k x n, by columns with these leading dimensions.
inline void subtract_product(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc) {
  const float minus = -1;
  const float one = 1;
  sgemm_("N", "N", &m, &n, &k, &minus, a, &lda, b, &ldb, &one, c, &ldc);
}
inline void subtract_product(int m, int n, int k, const double* a, int lda, const double* b, int ldb, double* c,
                             int ldc) {
  const double minus = -1;
  const double one = 1;
  dgemm_("N", "N", &m, &n, &k, &minus, a, &lda, b, &ldb, &one, c, &ldc);
}

/// b = t^-1 b; t: m x m, "L" with ones on the diagonal, or "U".
inline void solve_triangle(bool lower, int m, int n, const float* t, int ldt, float* b, int ldb) {
  const float one = 1;
  strsm_("L", lower ? "L" : "U", "N", lower ? "U" : "N", &m, &n, &one, t, &ldt, b, &ldb);
}
inline void solve_triangle(bool lower, int m, int n, const double* t, int ldt, double* b, int ldb) {
  const double one = 1;
  dtrsm_("L", lower ? "L" : "U", "N", lower ? "U" : "N", &m, &n, &one, t, &ldt, b, &ldb);
}

/// Factors a panel with row exchanges. Returns LAPACK's info: i > 0 if pivot i is 0.
inline int factor(int m, int n, float* a, int lda, int* pivots) {
  int info = 0;
  sgetrf_(&m, &n, a, &lda, pivots, &info);
  return info;
}
inline int factor(int m, int n, double* a, int lda, int* pivots) {
  int info = 0;
  dgetrf_(&m, &n, a, &lda, pivots, &info);
  return info;
}

/// Exchanges rows 1 to `count` of n columns with those of the pivots (from 1 on).
inline void exchange_rows(int n, float* a, int lda, int count, const int* pivots) {
  const int one = 1;
  slaswp_(&n, a, &lda, &one, &count, pivots, &one);
}
inline void exchange_rows(int n, double* a, int lda, int count, const int* pivots) {
  const int one = 1;
  dlaswp_(&n, a, &lda, &one, &count, pivots, &one);
}

}  // namespace ayatori::hpl
