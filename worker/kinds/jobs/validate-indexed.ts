// What only indexed jobs must keep to: bounds, so that lists of indexes stay short.
import type { JobSpec } from "../../../shared/k8s/api/batch-v1.ts";
import { type FieldError, type FieldPath, invalid, required } from "../../../shared/k8s/field.ts";

const parallelismMax = 100_000;
const failedIndexesMax = 100_000;
const completionsSoft = 100_000;
/** Of parallelism and of failed indexes, above the soft bound of completions. */
const manyCompletionsMax = 10_000;

export function validateIndexed(spec: JobSpec, at: FieldPath): FieldError[] {
  const { completions, parallelism, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const [parallelismAt, failedAt] = [at.child("parallelism"), at.child("maxFailedIndexes")];
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(required(at.child("completions"), "when completion mode is Indexed"));
  if (parallelism !== undefined && parallelism > parallelismMax) {
    const why = `must be less than or equal to ${parallelismMax} when completion mode is Indexed`;
    errors.push(invalid(parallelismAt, parallelism, why));
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    errors.push(invalid(failedAt, maxFailedIndexes, "must be less than or equal to completions"));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > failedIndexesMax) {
    errors.push(invalid(failedAt, maxFailedIndexes, `must be less than or equal to ${failedIndexesMax}`));
  }
  if (completions === undefined || completions <= completionsSoft || backoffLimitPerIndex === undefined) return errors;
  const why = `must be less than or equal to ${manyCompletionsMax} when completions are above ${completionsSoft} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    errors.push(required(failedAt, `must be specified when completions is above ${completionsSoft}`));
  }
  if (parallelism !== undefined && parallelism > manyCompletionsMax) {
    errors.push(invalid(parallelismAt, parallelism, why));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > manyCompletionsMax) {
    errors.push(invalid(failedAt, maxFailedIndexes, why));
  }
  return errors;
}
