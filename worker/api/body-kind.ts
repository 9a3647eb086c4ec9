// A body that names another kind than its path's: what upstream's scheme says of it.
import { isObject } from "../../shared/schema/json-values.ts";
import { typeFacts } from "../../shared/schema/type-facts.ts";
import { cannotBeHandled, unrecognized } from "../../shared/schema/wording.ts";
import { invalid, path } from "../../shared/k8s/field.ts";
import { ApiError } from "../../shared/k8s/status.ts";

/** What a path wants of a body. */
export interface BodyKind {
  readonly apiVersion: string;
  readonly isUntyped?: boolean;
  readonly kind: string;
}

const scheme = "pkg/api/legacyscheme/scheme.go:30";
const registered = new Set(
  typeFacts.kinds.map(({ group, version, kind }) => `${group ? `${group}/` : ""}${version} ${kind}`),
);
/** Groups that share the internal types of another one. */
const internalPackages: Readonly<Record<string, string>> = { "": "core", "events.k8s.io": "core" };

export function checkKind(wanted: BodyKind, value: unknown): void {
  const named = isObject(value) ? value : {};
  if (wanted.isUntyped) {
    checkUntyped(wanted, named);
    return;
  }
  const kind = textOf(named["kind"]) || wanted.kind;
  // A kind without a version is of the path's version, and the other way round.
  const apiVersion = textOf(named["apiVersion"]) || wanted.apiVersion;
  if (kind === wanted.kind && apiVersion === wanted.apiVersion) return;
  const body = { kind, version: versionOf(apiVersion), wanted: wanted.kind };
  if (!registered.has(`${apiVersion} ${kind}`)) {
    const missing = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(scheme)}`;
    throw cannotBeHandled(body, missing);
  }
  if (kind !== wanted.kind) {
    const types = `(${versionOf(apiVersion)}.${kind}) to (${packageOf(wanted.apiVersion)}.${wanted.kind})`;
    throw cannotBeHandled(body, `converting ${types}: unknown conversion`);
  }
  throw ApiError.badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${wanted.apiVersion})`,
  );
}

/** Without a Go type, nothing is filled in. */
function checkUntyped(wanted: BodyKind, named: Readonly<Record<string, unknown>>): void {
  const [kind, apiVersion] = [textOf(named["kind"]), textOf(named["apiVersion"])];
  if (kind === "") {
    const body = JSON.stringify(named);
    throw unrecognized(wanted.kind, `Object 'Kind' is missing in '${body}'`, body);
  }
  if (apiVersion !== wanted.apiVersion) {
    throw ApiError.badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${wanted.apiVersion})`,
    );
  }
  if (kind === wanted.kind) return;
  const { name = "" } = isObject(named["metadata"]) ? named["metadata"] : {};
  const [group = ""] = apiVersion.split("/");
  const error = invalid(path("kind"), kind, `must be ${wanted.kind}`);
  throw ApiError.invalid({ group, name: wanted.kind }, textOf(name), [error]);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function versionOf(apiVersion: string): string {
  return apiVersion.split("/").at(-1) ?? "";
}

/** The Go package of a group's internal types: `apps`, `discovery` of discovery.k8s.io. */
function packageOf(apiVersion: string): string {
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  return internalPackages[group] ?? group.split(".")[0] ?? "";
}
