/* SPDX-License-Identifier: BSD-3-Clause */
/* Log-linear regression of times on work and bytes, solved by a Cholesky factorisation. */
#include "cost/log_linear.h"

#include <math.h>
#include <string.h>

enum {
    N = HSI_LOG_FEATURES,
    LEAST_RUNS = 8,
    LEAST_TUPLES = 4,
    RANGE = 4 /* factor beyond the features seen within which the fit is used */
};

static void logarithms(const hsi_sample *sample, double x[N])
{
    x[0] = log1p(sample->flops);
    x[1] = log1p(sample->bytes_in);
    x[2] = log1p(sample->bytes_out);
}

static bool is_same_tuple(const hsi_sample *a, const hsi_sample *b)
{
    return a->flops == b->flops && a->bytes_in == b->bytes_in && a->bytes_out == b->bytes_out;
}

static bool has_enough(const hsi_sample *samples, size_t count)
{
    size_t tuple[LEAST_TUPLES];
    int    tuples = 0;
    double runs = 0;

    for (size_t i = 0; i < count; i++) {
        bool is_new = true;

        runs += samples[i].weight;
        for (int j = 0; j < tuples; j++)
            is_new = is_new && !is_same_tuple(&samples[tuple[j]], &samples[i]);
        if (is_new && tuples < LEAST_TUPLES)
            tuple[tuples++] = i;
    }
    return tuples == LEAST_TUPLES && runs >= LEAST_RUNS;
}

/* Compute the weighted means of the logarithms, and the range of each feature. */
static void find_centre(const hsi_sample *samples, size_t count, hsi_log_linear *fit)
{
    double weight = 0;

    for (int f = 0; f < N; f++)
        fit->low[f] = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double feature[N] = {samples[i].flops, samples[i].bytes_in, samples[i].bytes_out};
        double       x[N];

        logarithms(&samples[i], x);
        weight += samples[i].weight;
        fit->level += samples[i].weight * log(samples[i].seconds);
        for (int f = 0; f < N; f++) {
            fit->centre[f] += samples[i].weight * x[f];
            fit->low[f] = fmin(fit->low[f], feature[f]);
            fit->high[f] = fmax(fit->high[f], feature[f]);
        }
    }
    fit->level /= weight;
    for (int f = 0; f < N; f++)
        fit->centre[f] /= weight;
}

/* Set up the normal equations of the centred features, with a ridge. */
static void normal_equations(const hsi_sample *samples, size_t count, const hsi_log_linear *fit,
                             double matrix[N][N], double right[N])
{
    double trace = 0;

    for (size_t i = 0; i < count; i++) {
        double x[N], t = log(samples[i].seconds) - fit->level, w = samples[i].weight;

        logarithms(&samples[i], x);
        for (int f = 0; f < N; f++)
            x[f] -= fit->centre[f];
        for (int f = 0; f < N; f++) {
            right[f] += w * x[f] * t;
            for (int g = 0; g < N; g++)
                matrix[f][g] += w * x[f] * x[g];
        }
    }
    for (int f = 0; f < N; f++)
        trace += matrix[f][f];
    for (int f = 0; f < N; f++)
        matrix[f][f] += 1e-6 * trace / N;
}

/* Factorise a symmetric positive definite matrix in place: L L^T, L in the lower triangle. */
static bool factorise(double a[N][N])
{
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < j; k++)
            a[j][j] -= a[j][k] * a[j][k];
        if (!(a[j][j] > 0))
            return false;
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < N; i++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    return true;
}

static void solve(double l[N][N], const double right[N], double x[N])
{
    for (int i = 0; i < N; i++) {
        x[i] = right[i];
        for (int k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int k = i + 1; k < N; k++)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
}

static double log_time(const hsi_log_linear *fit, const hsi_sample *sample)
{
    double x[N], sum = fit->level;

    logarithms(sample, x);
    for (int f = 0; f < N; f++)
        sum += fit->coefficient[f] * (x[f] - fit->centre[f]);
    return sum;
}

static double residual_spread(const hsi_sample *samples, size_t count, const hsi_log_linear *fit)
{
    double sum = 0, weight = 0;

    for (size_t i = 0; i < count; i++) {
        double residual = log_time(fit, &samples[i]) - log(samples[i].seconds);

        sum += samples[i].weight * residual * residual;
        weight += samples[i].weight;
    }
    return sqrt(sum / weight);
}

bool hsi_fit_log_linear(const hsi_sample *samples, size_t count, hsi_log_linear *fit)
{
    double matrix[N][N] = {{0}}, right[N] = {0};

    memset(fit, 0, sizeof *fit);
    if (!has_enough(samples, count))
        return false;
    find_centre(samples, count, fit);
    normal_equations(samples, count, fit, matrix, right);
    if (!factorise(matrix))
        return false;
    solve(matrix, right, fit->coefficient);
    fit->spread = residual_spread(samples, count, fit);
    return isfinite(fit->spread);
}

double hsi_log_linear_time(const hsi_log_linear *fit, const hsi_sample *features)
{
    const double feature[N] = {features->flops, features->bytes_in, features->bytes_out};

    for (int f = 0; f < N; f++)
        if (feature[f] < fit->low[f] / RANGE || feature[f] > fit->high[f] * RANGE)
            return 0;
    return exp(log_time(fit, features));
}
