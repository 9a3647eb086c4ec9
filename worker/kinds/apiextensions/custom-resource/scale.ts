// The `/scale` of a custom resource: its fields are at the paths of the definition.
import type { CustomResourceSubresourceScale } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { type FieldError, invalid, path } from "../../../../shared/k8s/field.ts";
import { goType, goValue } from "../../../../shared/k8s/go-text.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import { copyJson, isObject, type JsonObject, setKey } from "../../../../shared/schema/json-values.ts";
import type { ScaleBehaviour } from "../../kind.ts";

const maxReplicas = 2 ** 31 - 1;

export function customScale(definition: CustomResourceSubresourceScale): ScaleBehaviour<KubeObject> {
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: labels = "" } = definition;
  const number = (object: KubeObject, at: string) => {
    const value = valueAt(object, at);
    return typeof value === "number" ? value : 0;
  };
  return {
    replicasPath: namesOf(spec),
    unreadable: (object) =>
      valueAt(object, spec) === undefined
        ? `the spec replicas field ${JSON.stringify(spec)} does not exist`
        : undefined,
    specReplicas: (object) => number(object, spec),
    statusReplicas: (object) => number(object, status),
    selector: (object) => {
      const value = labels === "" ? "" : valueAt(object, labels);
      return typeof value === "string" ? value : "";
    },
    withReplicas: (object, replicas) => {
      const next = copyJson(object);
      setAt(next as unknown as JsonObject, namesOf(spec), replicas);
      return next;
    },
  };
}

/** Returns the errors of the fields that make up a Scale. */
export function scaleErrors(
  object: KubeObject,
  scale: CustomResourceSubresourceScale | undefined,
  sections: readonly ("spec" | "status")[],
): FieldError[] {
  if (!scale) return [];
  const errors: FieldError[] = [];
  if (sections.includes("spec")) errors.push(...replicaErrors(object, scale.specReplicasPath));
  if (!sections.includes("status")) return errors;
  errors.push(...replicaErrors(object, scale.statusReplicasPath));
  const at = scale.labelSelectorPath ?? "";
  const selector = at === "" ? {} : readNested(object, at, "string");
  if (selector.problem !== undefined) errors.push(invalid(path(at), "", selector.problem));
  return errors;
}

function replicaErrors(object: KubeObject, at: string): FieldError[] {
  const value = readNested(object, at, "int64");
  if (value.problem !== undefined) return [invalid(path(at), 0, value.problem)];
  const replicas = typeof value.value === "number" ? value.value : 0;
  if (replicas < 0) return [invalid(path(at), replicas, "should be a non-negative integer")];
  return replicas > maxReplicas ? [invalid(path(at), replicas, `should be less than or equal to ${maxReplicas}`)] : [];
}

/** Reads the value at a path, or returns the error of Go's nested field reader. */
function readNested(
  object: KubeObject,
  at: string,
  expectedType: "int64" | "string",
): { readonly value?: unknown; readonly problem?: string } {
  const names = namesOf(at);
  const wrong = (upTo: number, value: unknown, type: string) => {
    const where = `.${names.slice(0, upTo).join(".")}`;
    return { problem: `${where} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${type}` };
  };
  let value: unknown = object;
  for (const [index, name] of names.entries()) {
    if (value === null) return { value: undefined };
    if (!isObject(value)) return wrong(index + 1, value, "map[string]interface{}");
    if (!Object.hasOwn(value, name)) return { value: undefined };
    value = value[name];
  }
  return goType(value) === expectedType ? { value } : wrong(names.length, value, expectedType);
}

function namesOf(at: string): string[] {
  return at.replace(/^\./, "").split(".");
}

function valueAt(object: KubeObject, at: string): unknown {
  let value: unknown = object;
  for (const name of namesOf(at)) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function setAt(object: JsonObject, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    setKey(object, name, value);
    return;
  }
  const below = object[name];
  const inner: JsonObject = isObject(below) ? below : {};
  setKey(object, name, inner);
  setAt(inner, rest, value);
}
