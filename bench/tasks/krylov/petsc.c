/* CG and its pipelined forms of PETSc on the problem of paper 4, that of PETSc's tutorial ex3 of KSP: Laplace's
 * equation on the unit square, M × M bilinear elements, u = y at the border. `ayatori bench overlap --task krylov`
 * compiles it with the MPI compiler of the PETSc that is here, and starts it by the launcher of that MPI:
 *
 *     krylov TYPE M MAX_ITERATIONS REPEATS [WARM_UP_SECONDS]
 *
 * TYPE: PETSc's name of a method: cg, pipecg, groppcg, pipecg2. The preconditioner is Jacobi. Repeats of the first
 * WARM_UP_SECONDS don't count: until the plug-in has tried its thread. Rank 0 prints one JSON line: `iterations`,
 * `converged`, `residuals` (the norms that the method computes, one an iteration), `residual` (b − A u at the end,
 * relative to b, computed by itself), `error` (h times the norm of u − y), and in `samples` of each repeat the seconds
 * of the whole solution (`total`) and of its reductions (`communication`), each on the slowest rank.
 */

#include <petscksp.h>

enum { max_history = 10000 };

/* Of a row's point (i, k) and its neighbour (i + di, k + dk), for elements of any size h: entries have the factor h².
 */
static PetscScalar entry(PetscInt di, PetscInt dk) {
  if (di == 0 && dk == 0) return 4.0 / 6.0;
  return di == 0 || dk == 0 ? -2.0 * 0.125 : 1.0 / 12.0;
}

static PetscErrorCode fill_row(Mat a, PetscInt m, PetscInt row) {
  const PetscInt i = row / (m + 1), k = row % (m + 1);
  PetscInt columns[9], count = 0;
  PetscScalar values[9];
  const PetscScalar h = 1.0 / (PetscReal)m, one = 1.0;
  PetscFunctionBeginUser;
  if (i == 0 || k == 0 || i == m || k == m) {
    PetscCall(MatSetValues(a, 1, &row, 1, &row, &one, INSERT_VALUES));
    PetscFunctionReturn(0);
  }
  for (PetscInt di = -1; di <= 1; ++di) {
    for (PetscInt dk = -1; dk <= 1; ++dk) {
      columns[count] = row + di * (m + 1) + dk;
      values[count++] = h * h * entry(di, dk);
    }
  }
  PetscCall(MatSetValues(a, 1, &row, count, columns, values, INSERT_VALUES));
  PetscFunctionReturn(0);
}

/* The matrix; in `b` and `start` y at the border and 0 inside; in `exact` y. */
static PetscErrorCode make_system(PetscInt m, Mat* a, Vec* b, Vec* start, Vec* exact) {
  const PetscInt n = (m + 1) * (m + 1);
  PetscInt first, end;
  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 9, NULL, 8, NULL, a));
  PetscCall(MatCreateVecs(*a, b, start));
  PetscCall(VecDuplicate(*b, exact));
  PetscCall(MatGetOwnershipRange(*a, &first, &end));
  for (PetscInt row = first; row < end; ++row) {
    const PetscInt i = row / (m + 1), k = row % (m + 1);
    const PetscScalar y = (PetscReal)i / (PetscReal)m;
    const PetscScalar given = i == 0 || k == 0 || i == m || k == m ? y : 0;
    PetscCall(fill_row(*a, m, row));
    PetscCall(VecSetValues(*b, 1, &row, &given, INSERT_VALUES));
    PetscCall(VecSetValues(*exact, 1, &row, &y, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  PetscCall(VecAssemblyBegin(*exact));
  PetscCall(VecAssemblyEnd(*exact));
  PetscCall(VecCopy(*b, *start));
  PetscFunctionReturn(0);
}

/* Seconds of this rank in reductions so far. Dot products and norms have some arithmetic in them. */
static PetscErrorCode reduction_seconds(PetscLogDouble* seconds) {
  static const char* const names[] = {"VecDot",         "VecTDot",      "VecNorm",      "VecMDot",
                                      "VecReduceBegin", "VecReduceEnd", "VecReduceComm"};
  PetscFunctionBeginUser;
  *seconds = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    PetscLogEvent event = -1;
    PetscEventPerfInfo info;
    PetscCall(PetscLogEventGetId(names[i], &event));
    if (event < 0) continue;
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    *seconds += info.time;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode print_numbers(const char* name, const PetscReal* values, PetscInt count) {
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\"%s\": [", name));
  for (PetscInt i = 0; i < count; ++i) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%.9g", i == 0 ? "" : ", ", (double)values[i]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "]"));
  PetscFunctionReturn(0);
}

/* Solves from `start` into u, and gives the seconds of the slowest rank: all, and those in reductions. */
static PetscErrorCode solve(KSP ksp, Vec b, Vec start, Vec u, PetscReal* total, PetscReal* reducing) {
  PetscLogDouble before, after, begin, end;
  PetscFunctionBeginUser;
  PetscCall(VecCopy(start, u));
  PetscCall(reduction_seconds(&before));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSolve(ksp, b, u));
  PetscCall(PetscTime(&end));
  PetscCall(reduction_seconds(&after));
  double seconds[2] = {end - begin, after - before};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *total = seconds[0];
  *reducing = seconds[1];
  PetscFunctionReturn(0);
}

/* Relative to b. */
static PetscErrorCode true_residual(Mat a, Vec b, Vec u, PetscReal* found) {
  Vec rest;
  PetscReal norm;
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &rest));
  PetscCall(MatMult(a, u, rest));
  PetscCall(VecAYPX(rest, -1.0, b));
  PetscCall(VecNorm(rest, NORM_2, found));
  PetscCall(VecNorm(b, NORM_2, &norm));
  *found /= norm;
  PetscCall(VecDestroy(&rest));
  PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
  Mat a;
  Vec b, start, exact, u;
  KSP ksp;
  PC preconditioner;
  PetscInt iterations, count, most;
  PetscReal history[max_history], total[1000], reducing[1000], residual, error;
  KSPConvergedReason reason;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscInt m = argc >= 5 ? atoi(argv[2]) : 0, repeats = argc >= 5 ? atoi(argv[4]) : 0;
  PetscCheck(m >= 2 && m <= 20000 && repeats >= 1 && repeats <= 1000, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "krylov TYPE M MAX_ITERATIONS REPEATS [WARM_UP_SECONDS]");
  most = atoi(argv[3]);
  PetscCall(PetscLogDefaultBegin());
  PetscCall(make_system(m, &a, &b, &start, &exact));
  PetscCall(VecDuplicate(start, &u));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetType(ksp, argv[1]));
  PetscCall(KSPGetPC(ksp, &preconditioner));
  PetscCall(PCSetType(preconditioner, PCJACOBI));
  PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, most));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(KSPSetResidualHistory(ksp, history, max_history, PETSC_TRUE));
  PetscCall(KSPSetUp(ksp));
  for (PetscReal left = argc > 5 ? atof(argv[5]) : 0; left > 0; left -= total[0]) {
    PetscCall(solve(ksp, b, start, u, &total[0], &reducing[0]));
  }
  for (PetscInt i = 0; i < repeats; ++i) PetscCall(solve(ksp, b, start, u, &total[i], &reducing[i]));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetResidualHistory(ksp, NULL, &count));
  PetscCall(true_residual(a, b, u, &residual));
  PetscCall(VecAXPY(u, -1.0, exact));
  PetscCall(VecNorm(u, NORM_2, &error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "{\"type\": \"%s\", \"m\": %d, \"iterations\": %d, \"converged\": %s, \"residual\": %.6g, "
                        "\"error\": %.6g, ",
                        argv[1], (int)m, (int)iterations, reason > 0 ? "true" : "false", (double)residual,
                        (double)error / (double)m));
  PetscCall(print_numbers("residuals", history, count));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", \"samples\": {"));
  PetscCall(print_numbers("total", total, repeats));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", "));
  PetscCall(print_numbers("communication", reducing, repeats));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "}}\n"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&a));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&start));
  PetscCall(VecDestroy(&exact));
  PetscCall(VecDestroy(&u));
  return PetscFinalize();
}
