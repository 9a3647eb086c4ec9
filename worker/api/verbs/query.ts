// Parses and validates the query parameters of reads and writes as upstream does.
import { type FieldSelector, parseFieldSelector } from "../../../shared/k8s/selectors/fields.ts";
import {
  type FieldError,
  forbidden,
  notSupported,
  notSupportedInOrder,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { validateFieldManager } from "../../../shared/k8s/field-manager.ts";
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { everything, parseSelector, type Selector } from "../../../shared/k8s/selectors/labels.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { PatchType } from "../negotiation/negotiation.ts";
import { isWatch } from "../request-info.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteQuery {
  /** The options of the request, as webhooks and policies receive them. */
  readonly requestOptions: JsonObject;
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** Whether an apply takes over conflicting fields. */
  readonly force: boolean;
}

export type WriteOptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

/** Parses the query of a write. `form` is the type of a patch. */
export function writeQuery(query: URLSearchParams, options: WriteOptionsKind, form?: PatchType): WriteQuery {
  const dryRun = query.getAll("dryRun");
  const validation = query.get("fieldValidation") || "Warn";
  const manager = query.get("fieldManager") ?? "";
  const errors = [...formErrors(query, form), ...validateFieldManager(manager, path("fieldManager"))];
  if (dryRun.some((stage) => stage !== "All")) errors.push(notSupported(path("dryRun"), dryRun, ["All"]));
  if (!isFieldValidation(validation)) {
    errors.push(notSupported(path("fieldValidation"), validation, ["", "Ignore", "Strict", "Warn"]));
  }
  if (errors.length > 0 || !isFieldValidation(validation)) {
    throw ApiError.invalid({ group: "meta.k8s.io", name: options }, "", errors);
  }
  return {
    requestOptions: givenOptions(query, dryRun),
    dryRun: dryRun.length > 0,
    fieldValidation: validation,
    force: isTrue(query.get("force")),
  };
}

function givenOptions(query: URLSearchParams, dryRun: readonly string[]): JsonObject {
  const [manager, validation] = [query.get("fieldManager"), query.get("fieldValidation")];
  return {
    ...(dryRun.length > 0 ? { dryRun } : {}),
    ...(manager ? { fieldManager: manager } : {}),
    ...(validation ? { fieldValidation: validation } : {}),
  };
}

/** Validates the parameters of a patch: an apply requires a manager, and only an apply has `force`. */
function formErrors(query: URLSearchParams, form: PatchType | undefined): FieldError[] {
  if (form === "apply") {
    return query.get("fieldManager") ? [] : [required(path("fieldManager"), "is required for apply patch")];
  }
  if (!form || !query.has("force")) return [];
  return [forbidden(path("force"), "may not be specified for non-apply patch")];
}

/** Parses a boolean as upstream does: every value but two is true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

function isFieldValidation(text: string): text is FieldValidation {
  return text === "Ignore" || text === "Warn" || text === "Strict";
}

/** The selection of a list or watch. */
export interface Selection {
  readonly labels: Selector;
  readonly fields: FieldSelector;
  /** Whether all objects are selected. */
  readonly all: boolean;
}

/** Work of parsing a character of a selector. */
const selectorCharacterWork = 0.05;

export function selectionOf(kind: Kind, meter: WorkMeter, labelSelector: string, fieldSelector: string): Selection {
  // The length of a request's address is bounded.
  meter.account((labelSelector.length + fieldSelector.length) * selectorCharacterWork);
  const labels = labelSelector ? parseSelector(labelSelector) : everything;
  const fields = parseFieldSelector(fieldSelector);
  for (const { field } of fields.terms) {
    if (!selectable(kind).has(field)) throw ApiError.badRequest(unsupportedField(kind, field));
  }
  return { labels, fields, all: labels.empty && fields.terms.length === 0 };
}

function unsupportedField(kind: Kind, field: string): string {
  if (kind.fieldLabelError) return kind.fieldLabelError(field);
  return kind.selectableFields
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function selectable(kind: Kind): ReadonlySet<string> {
  // The zero value has every struct that a kind's function reads.
  const empty = kind.schema.empty(kind.apiVersion, kind.kind) as unknown as KubeObject;
  // Only cluster-scoped kinds with their own fields have no metadata.namespace.
  const common = ["metadata.name", ...(kind.selectableFields && !kind.namespaced ? [] : ["metadata.namespace"])];
  return new Set([...common, ...Object.keys(kind.selectableFields?.(empty) ?? {})]);
}

export function matches(kind: Kind, selection: Selection, object: KubeObject): boolean {
  if (selection.all) return true;
  if (!selection.labels.matches(object.metadata.labels)) return false;
  if (selection.fields.terms.length === 0) return true;
  const { name = "", namespace = "" } = object.metadata;
  return selection.fields.matches({
    ...kind.selectableFields?.(object),
    "metadata.name": name,
    "metadata.namespace": namespace,
  });
}

export interface ListOptions {
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

export function listOptions(query: URLSearchParams): ListOptions {
  integerOf(query, "timeoutSeconds");
  const options = {
    // A negative limit means no limit.
    limit: Math.max(0, integerOf(query, "limit")),
    continueToken: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
  };
  const errors = matchErrors(options);
  if (!isWatch(query) && query.has("sendInitialEvents")) {
    errors.push(forbidden(path("sendInitialEvents"), "sendInitialEvents is forbidden for list"));
  }
  if (errors.length > 0) throw ApiError.invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", errors);
  const unreadable = unreadableVersion(options.resourceVersion);
  const prefix = isWatch(query) ? "" : "invalid resource version: ";
  if (unreadable !== undefined) throw ApiError.badRequest(prefix + unreadable);
  return options;
}

function integerOf(query: URLSearchParams, parameter: string): number {
  const text = query.get(parameter) || "0";
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw ApiError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why(text)}`);
}

function why(text: string): string {
  return /^[+-]?\d+$/.test(text) ? "value out of range" : "invalid syntax";
}

/** Returns why a text is not a resourceVersion; undefined if it is one. */
export function unreadableVersion(text: string): string | undefined {
  if (text === "" || /^\d+$/.test(text)) return undefined;
  const quoted = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
}

/** Validates list options (upstream's ValidateListOptions). */
function matchErrors(options: ListOptions) {
  const { resourceVersion, resourceVersionMatch: match, continueToken } = options;
  const field = path("resourceVersionMatch");
  if (match === "") return [];
  const errors = [];
  if (resourceVersion === "") {
    errors.push(forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (continueToken !== "")
    errors.push(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
  if (match !== "Exact" && match !== "NotOlderThan")
    errors.push(notSupportedInOrder(field, match, ["Exact", "NotOlderThan", ""]));
  if (match === "Exact" && resourceVersion === "0") {
    errors.push(forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}
