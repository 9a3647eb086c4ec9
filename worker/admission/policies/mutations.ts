// Applies one mutation of a policy: evaluates its expression to a patch and applies the patch (upstream: mutating/patch).
import { runtimeCostBudget } from "../../../shared/cel/program.ts";
import {
  type StructValue,
  type Value,
  isList,
  itemsOf,
  kindOf,
  isMap,
  keysOf,
  find,
} from "../../../shared/cel/values.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { inside } from "../../../shared/schema/apply/compare.ts";
import { merge } from "../../../shared/schema/apply/merge.ts";
import type { Shape } from "../../../shared/schema/apply/shape.ts";
import { FailedTest, Inapplicable, jsonPatch } from "../../../shared/schema/json-patch.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import type { GroupVersionKind } from "../../registry/admission.ts";
import { decodePatched } from "../common/patched.ts";
import type { CompiledMutations } from "./compiled.ts";
import { OutOfBudget, evaluatorOf } from "./evaluation.ts";
import { MutationProblem } from "./mutation-problem.ts";
import { nativeOf } from "./native.ts";
import { type Subject, variablesOf } from "./variables.ts";

type Mutation = CompiledMutations["mutations"][number];

/** Returns the mutated object, without defaults. Throws `MutationProblem`. */
export function applyMutation(
  { type, expression }: Mutation,
  variables: CompiledMutations["variables"],
  subject: Subject,
  kind: GroupVersionKind,
  object: KubeObject,
): KubeObject {
  if ("problem" in expression) throw new MutationProblem(expression.problem);
  const value = evaluateExpression(expression, variables, subject);
  return type === "JSONPatch" ? applyJsonPatch(kind, object, value) : applyConfiguration(kind, object, value);
}

function evaluateExpression(
  expression: Mutation["expression"],
  variables: CompiledMutations["variables"],
  subject: Subject,
): Value {
  try {
    const outcome = evaluatorOf(
      variablesOf(subject, { hasAuthorizer: true }),
      variables,
      runtimeCostBudget,
      subject.request.context.meter,
    ).run(expression);
    if ("error" in outcome) throw new MutationProblem(outcome.error);
    return outcome.value;
  } catch (error) {
    if (error instanceof OutOfBudget) throw new MutationProblem(error.message);
    throw error;
  }
}

function applyConfiguration(kind: GroupVersionKind, object: KubeObject, value: Value): KubeObject {
  checkNames(value);
  const config = nativeOf(value);
  if (!isObject(config)) throw new MutationProblem("unsupported return type from ApplyConfiguration expression");
  const type = { apiVersion: kind.apiVersion, kind: kind.kind };
  const patch = { ...config, ...type };
  // Bytes are kept as such: as text they would be accepted where upstream rejects them.
  const wrong = kind.schema.complaint(Object.assign({}, nativeOf(value, { leavesBytes: true }), type));
  const refuse = (why: string) => new MutationProblem(`error applying patch: ${why}`);
  if (wrong !== undefined) throw refuse(`failed to convert patch object to typed object: ${wrong}`);
  const atomic = atomicPaths(kind.schema.shape, config, "");
  if (atomic.length) {
    throw refuse(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`);
  }
  return decodeObject(kind, merge(kind.schema.shape, object, patch));
}

/** Returns the paths of atomic fields. An apply configuration cannot set a part of one, since that would remove the rest. */
function atomicPaths(shape: Shape, value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    if (shape.form === "leaf") return [path];
    const items: Shape = shape.form === "keyed" ? shape.items : { form: "leaf" };
    return value.flatMap((item, index) => atomicPaths(items, item, `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  if (shape.form === "leaf") return [path];
  return Object.entries(value).flatMap(([name, field]) => atomicPaths(inside(shape, name), field, `${path}.${name}`));
}

function applyJsonPatch(kind: GroupVersionKind, object: KubeObject, value: Value): KubeObject {
  const items = isList(value) ? [...itemsOf(value)] : [];
  const operations = items.map((item) => {
    // The compiler has checked that the items are of the type JSONPatch.
    const { fields } = item as StructValue;
    const patchValue = fields.get("value");
    if (patchValue !== undefined && kindOf(patchValue) === "struct")
      checkNames(patchValue, (patchValue as StructValue).type.name);
    return Object.fromEntries([...fields].map(([name, field]) => [name, nativeOf(field)]));
  });
  // Unknown fields of built-in kinds are errors. As upstream, custom resources are decoded without this check.
  return decodePatched(kind, runJsonPatch(object, operations), { isStrict: !("custom" in kind && kind.custom) });
}

/** Applies a JSON patch. If one of its tests fails, the object is unchanged. */
function runJsonPatch(object: KubeObject, operations: readonly unknown[]): unknown {
  try {
    return jsonPatch(object, operations);
  } catch (error) {
    if (error instanceof FailedTest) return object;
    if (error instanceof Inapplicable) throw new MutationProblem(`JSON Patch: ${error.why}`);
    if (error instanceof ApiError) throw new MutationProblem(`JSON Patch: ${error.message}`);
    throw error;
  }
}

/** Checks the type names of objects, which are paths: `Object.spec` is the type of the field `spec`. */
function checkNames(value: Value, path = "Object"): void {
  const wrong = wrongNames(value, path);
  if (wrong.length) throw new MutationProblem(`type mismatch: ${wrong.join("\n")}`);
}

function wrongNames(value: Value, path: string): string[] {
  if (isList(value)) return [...itemsOf(value)].flatMap((item) => wrongNames(item, path));
  if (isMap(value)) return keysOf(value).flatMap((key) => wrongNames(find(value, key) ?? null, path));
  if (kindOf(value) !== "struct") return [];
  const { type, fields } = value as StructValue;
  const where = "which matches field name path from root Object type";
  const errors =
    type.name === path
      ? []
      : [`unexpected type name ${JSON.stringify(type.name)}, expected ${JSON.stringify(path)}, ${where}`];
  return [...errors, ...[...fields].flatMap(([name, field]) => wrongNames(field, `${path}.${name}`))];
}

function decodeObject(kind: GroupVersionKind, value: unknown): KubeObject {
  return kind.schema.decode(value).object as KubeObject;
}
