// A body that names another kind than its path's: what upstream's scheme says of it.
import { isObject } from "../../../shared/schema/json-values.ts";
import { typeMetaProblem } from "../../../shared/schema/type-meta.ts";
import { typeFacts } from "../../../shared/schema/type-facts.ts";
import { cannotBeHandled, unrecognized } from "../../../shared/schema/wording.ts";
import { invalid, path } from "../../../shared/k8s/field.ts";
import type { Kind } from "../../kinds/kind.ts";
import { ApiError } from "../../../shared/k8s/status.ts";

/** What a path wants of a body. */
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
/** Groups that share the internal types of another one. */
const internalPackages: Readonly<Record<string, string>> = { "": "core", "events.k8s.io": "core" };

/** `isPatched`: it is no body but what became of an object. */
export function checkKind(wanted: BodyKind, value: unknown, isPatched = false): void {
  const named = isObject(value) ? value : {};
  if (wanted.custom) {
    checkUntyped(wanted, value, isPatched);
    return;
  }
  const unknown = unknownKind(wanted, named);
  if (unknown) throw cannotBeHandled(unknown.body, unknown.cause);
  const { apiVersion } = kindOf(wanted, named);
  if (apiVersion === wanted.apiVersion) return;
  throw ApiError.badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${wanted.apiVersion})`,
  );
}

/** Why what a value says it is cannot be read as what is wanted. */
export function unknownKind(wanted: BodyKind, value: unknown) {
  const { kind, apiVersion } = kindOf(wanted, isObject(value) ? value : {});
  if (kind === wanted.kind && apiVersion === wanted.apiVersion) return undefined;
  const body = { kind, version: versionOf(apiVersion), wanted: wanted.kind };
  if (!registered.has(`${apiVersion} ${kind}`)) {
    const cause = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(scheme)}`;
    return { body, cause };
  }
  if (kind === wanted.kind) return undefined;
  const types = `(${versionOf(apiVersion)}.${kind}) to (${packageOf(wanted.apiVersion)}.${wanted.kind})`;
  return { body, cause: `converting ${types}: unknown conversion` };
}

/** A kind without a version is of the path's version, and the other way round. */
function kindOf(wanted: BodyKind, named: Readonly<Record<string, unknown>>) {
  return {
    kind: textOf(named["kind"]) || wanted.kind,
    apiVersion: textOf(named["apiVersion"]) || wanted.apiVersion,
  };
}

/** Without a Go type, nothing is filled in. */
function checkUntyped(wanted: BodyKind, value: unknown, isPatched: boolean): void {
  const body = JSON.stringify(value ?? null);
  const problem = typeMetaProblem(value);
  if (problem !== undefined) throw unrecognized(wanted.kind, problem, body);
  const named = isObject(value) ? value : {};
  const [kind, apiVersion] = [textOf(named["kind"]), textOf(named["apiVersion"])];
  if (kind === "") throw unrecognized(wanted.kind, `Object 'Kind' is missing in '${body}'`, body);
  if (apiVersion !== wanted.apiVersion && !isPatched) {
    throw ApiError.badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted.apiVersion})`,
    );
  }
  const errors = [
    ...(kind === wanted.kind ? [] : [invalid(path("kind"), kind, `must be ${wanted.kind}`)]),
    ...(apiVersion === wanted.apiVersion
      ? []
      : [invalid(path("apiVersion"), apiVersion, `must be ${wanted.apiVersion}`)]),
  ];
  if (errors.length === 0) return;
  const { name = "" } = isObject(named["metadata"]) ? named["metadata"] : {};
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  // It is called what it calls itself.
  throw ApiError.invalid({ group, name: kind }, textOf(name), errors);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function versionOf(apiVersion: string): string {
  return apiVersion.split("/").at(-1) ?? "";
}

/** The Go package of a group's internal types: `apps`, `discovery` of discovery.k8s.io. */
export function packageOf(apiVersion: string): string {
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return internalPackages[group] ?? group.split(".")[0] ?? "";
}
