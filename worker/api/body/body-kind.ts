// Checks the apiVersion and kind of a body against its path, with the messages of upstream's scheme.
import { isObject } from "../../../shared/schema/json-values.ts";
import { typeMetaProblem } from "../../../shared/schema/type-meta.ts";
import { typeFacts } from "../../../shared/schema/type-facts.ts";
import { cannotBeHandled, unrecognized } from "../../../shared/schema/wording.ts";
import { invalid, path } from "../../../shared/k8s/field.ts";
import type { Kind } from "../../kinds/kind.ts";
import { ApiError } from "../../../shared/k8s/status.ts";

/** The type that a path expects of a body. */
export interface BodyKind {
  readonly apiVersion: string;
  readonly custom?: Kind["custom"];
  readonly kind: string;
}

const scheme = "pkg/api/legacyscheme/scheme.go:30";
const registered = new Set([
  "v1 List",
  ...typeFacts.kinds.map(({ group, version, kind }) => `${group ? `${group}/` : ""}${version} ${kind}`),
]);
/** Groups that share the internal types of another group. */
const internalPackages: Readonly<Record<string, string>> = { "": "core", "events.k8s.io": "core" };

/** Checks the kind of a value. `isPatched` marks the result of a patch. */
export function checkKind(expected: BodyKind, value: unknown, isPatched = false): void {
  const named = isObject(value) ? value : {};
  if (expected.custom) {
    checkUntyped(expected, value, isPatched);
    return;
  }
  const unknown = unknownKind(expected, named);
  if (unknown) throw cannotBeHandled(unknown.body, unknown.cause);
  const { apiVersion } = kindOf(expected, named);
  if (apiVersion === expected.apiVersion) return;
  throw ApiError.badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
  );
}

/** Returns the error for a value whose kind is not the expected one. */
export function unknownKind(expected: BodyKind, value: unknown) {
  const { kind, apiVersion } = kindOf(expected, isObject(value) ? value : {});
  if (kind === expected.kind && apiVersion === expected.apiVersion) return undefined;
  const body = { kind, version: versionOf(apiVersion), expectedKind: expected.kind };
  if (!registered.has(`${apiVersion} ${kind}`)) {
    const cause = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(scheme)}`;
    return { body, cause };
  }
  if (kind === expected.kind) return undefined;
  const types = `(${versionOf(apiVersion)}.${kind}) to (${packageOf(expected.apiVersion)}.${expected.kind})`;
  return { body, cause: `converting ${types}: unknown conversion` };
}

/** Returns the kind of a value. A missing version or kind is taken from the path. */
function kindOf(expected: BodyKind, named: Readonly<Record<string, unknown>>) {
  return {
    kind: textOf(named["kind"]) || expected.kind,
    apiVersion: textOf(named["apiVersion"]) || expected.apiVersion,
  };
}

/** Checks a value of a kind without a Go type, where nothing is defaulted. */
function checkUntyped(expected: BodyKind, value: unknown, isPatched: boolean): void {
  const body = JSON.stringify(value ?? null);
  const problem = typeMetaProblem(value);
  if (problem !== undefined) throw unrecognized(expected.kind, problem, body);
  const named = isObject(value) ? value : {};
  const [kind, apiVersion] = [textOf(named["kind"]), textOf(named["apiVersion"])];
  if (kind === "") throw unrecognized(expected.kind, `Object 'Kind' is missing in '${body}'`, body);
  if (apiVersion !== expected.apiVersion && !isPatched) {
    throw ApiError.badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
  const errors = [
    ...(kind === expected.kind ? [] : [invalid(path("kind"), kind, `must be ${expected.kind}`)]),
    ...(apiVersion === expected.apiVersion
      ? []
      : [invalid(path("apiVersion"), apiVersion, `must be ${expected.apiVersion}`)]),
  ];
  if (errors.length === 0) return;
  const { name = "" } = isObject(named["metadata"]) ? named["metadata"] : {};
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  // The error uses the kind and name in the body.
  throw ApiError.invalid({ group, name: kind }, textOf(name), errors);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function versionOf(apiVersion: string): string {
  return apiVersion.split("/").at(-1) ?? "";
}

/** Returns the Go package of a group's internal types: `apps`, or `discovery` for discovery.k8s.io. */
export function packageOf(apiVersion: string): string {
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return internalPackages[group] ?? group.split(".")[0] ?? "";
}
