// The rules of a schema, run over an instance.
import type { FieldError } from "../../../shared/k8s/field.ts";
import { rootPath } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Correlation } from "../../../shared/schema/structural/correlation.ts";
import { runRules } from "../../../shared/schema/structural/run-rules.ts";
import type { CompiledVersion } from "./compiled.ts";

/** `warn` is told of what was wrong before, and is left alone. */
export function rulesErrors(
  own: CompiledVersion,
  object: KubeObject,
  was: Correlation | undefined,
  warn?: (message: string) => void,
): FieldError[] {
  const run = { isRoot: true, at: rootPath, old: was?.old, correlation: was, ...(warn ? { warn } : {}) };
  const errors = runRules(own.schema.node, object, run);
  return errors.map((error) => (error.field === "" ? { ...error, field: "<nil>" } : error));
}
