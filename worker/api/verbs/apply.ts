// PATCH as server-side apply: the configuration's fields become the manager's, conflicts are told, given-up fields go.
import { forbidden, path, required } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { compare } from "../../../shared/schema/apply/compare.ts";
import { conflictError } from "../../../shared/schema/apply/conflicts.ts";
import type { FieldSet } from "../../../shared/schema/apply/field-set.ts";
import { fieldsOf } from "../../../shared/schema/apply/fields-of.ts";
import {
  type Applied,
  apply as applyFields,
  type Conflict,
  ownersAfterUpdate,
  type Write,
} from "../../../shared/schema/apply/managers.ts";
import type { Kind } from "../../kinds/kind.ts";
import { create } from "../../registry/create.ts";
import { emptyOf, writeOf } from "../../registry/ownership.ts";
import { read } from "../../registry/registry.ts";
import { update } from "../../registry/update.ts";
import { decodeStrictly, parseText, readBody, text } from "../body.ts";
import { checkKind } from "../body-kind.ts";
import { inVersion, objectResponse, outputOf, storedKind } from "../present.ts";
import { writeQuery } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { Actor } from "../../registry/registry.ts";
import { actorOf, type Call } from "../service.ts";
import { toStored } from "./create.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
/** Owns what was there before the first apply, where nobody was recorded. */
const beforeFirstApply = "before-first-apply";

export async function apply(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(call);
  const { dryRun, fieldValidation } = writeQuery(call.url.searchParams, "PatchOptions");
  requireManager(call.url.searchParams);
  const body = parseText(text(await readBody(call.request)), "yaml");
  checkKind(kind, body.value);
  decodeStrictly(call, kind, body, fieldValidation);
  const config = checkConfig(body.value, kind, info);
  const force = ["true", "1"].includes(call.url.searchParams.get("force") ?? "");
  const { service, warnings } = call;
  const { registry } = service;
  const target = storedKind(kind);
  const actor = actorOf(call, "apply");
  const { stored, made } = service.turn(() => {
    const existing = read(registry, target, info.namespace, info.name);
    const live = existing && inVersion(kind, existing);
    if (!live && info.subresource !== "") throw ApiError.notFound(kind.groupResource, info.name);
    const { object, owners } = applied(call, kind, info, { live, config, force }, actor);
    const draft = decodeStrictly(call, kind, { value: object, duplicates: [] }, "Ignore");
    if (live) draft.metadata.resourceVersion = config.metadata.resourceVersion ?? live.metadata.resourceVersion ?? "";
    const options = { dryRun, owners, warn: (message: string) => warnings.push(message) };
    const converted = toStored(call, kind, draft, info, live);
    if (live) return { stored: update(registry, target, info, converted, actor, options), made: false };
    return { stored: create(registry, target, info.namespace, converted, actor, options), made: true };
  });
  return objectResponse(call, kind, stored, made ? 201 : 200);
}

interface Wanted {
  readonly live: KubeObject | undefined;
  readonly config: KubeObject;
  readonly force: boolean;
}

function applied(call: Call, kind: Kind, info: ResourceInfo, { live, config, force }: Wanted, actor: Actor) {
  const { registry } = call.service;
  const { subresource } = info;
  const writer = {
    manager: actor.manager,
    operation: "Apply" as const,
    apiVersion: kind.apiVersion,
    ...(subresource ? { subresource } : {}),
  };
  const written = { draft: { ...config, metadata: {} }, previous: live, subresource };
  const write = withFirstOwner(writeOf(registry, kind, written, writer), kind, live);
  const { object, owners } = settled(write, config, applyFields(write, config, force), live, actor);
  return { object: actor.manager === "kubectl" ? withLastApplied(object, config) : object, owners };
}

/** Conflicts are refused, unless they are only about what kubectl itself applied before on the client's side. */
function settled(write: Write, config: KubeObject, result: Applied, live: KubeObject | undefined, actor: Actor) {
  if (!("conflicts" in result)) return result;
  const allowed = live && actor.manager === "kubectl" ? clientApplied(write, live) : undefined;
  const again =
    allowed && result.conflicts.every((conflict) => isIn(conflict, allowed))
      ? applyFields(write, config, true)
      : result;
  if ("conflicts" in again) throw conflictError(again.conflicts);
  return again;
}

function withFirstOwner(write: Write, kind: Kind, live: KubeObject | undefined): Write {
  if (!live || write.owners.length > 0) return write;
  const writer = { manager: beforeFirstApply, operation: "Update" as const, apiVersion: kind.apiVersion };
  return { ...write, owners: ownersAfterUpdate({ ...write, live: emptyOf(kind), writer }, live) };
}

/** The annotation of client-side apply is kept current, so that its users can go back; nobody comes to own it by that. */
function withLastApplied(object: unknown, config: KubeObject): unknown {
  // What apply has made of an object is one.
  const { metadata, ...rest } = object as KubeObject;
  if (metadata.annotations?.[lastApplied] === undefined) return object;
  const annotations = { ...metadata.annotations, [lastApplied]: `${JSON.stringify(config)}\n` };
  return { ...rest, metadata: { ...metadata, annotations } };
}

/** The fields that client-side apply set and nobody changed since. */
function clientApplied(write: Write, live: KubeObject): FieldSet | undefined {
  const annotation = live.metadata.annotations?.[lastApplied];
  if (annotation === undefined) return undefined;
  try {
    const last: unknown = JSON.parse(annotation);
    const changes = compare(write.shape, last, live);
    return fieldsOf(write.shape, last)
      .difference(changes.modified)
      .difference(changes.removed)
      .difference(changes.added);
  } catch {
    return undefined;
  }
}

function isIn({ path: elements }: Conflict, set: FieldSet): boolean {
  let at: FieldSet | undefined = set;
  for (const element of elements.slice(0, -1)) at = at?.children.get(element);
  return at?.members.has(elements.at(-1) ?? "") === true;
}

function requireManager(query: URLSearchParams): void {
  if (query.get("fieldManager")) return;
  const error = required(path("fieldManager"), "is required for apply patch");
  throw ApiError.invalid({ group: "meta.k8s.io", name: "PatchOptions" }, "", [error]);
}

/** `force` belongs to apply alone. */
export function refuseForce(query: URLSearchParams): void {
  if (!query.has("force")) return;
  const error = forbidden(path("force"), "may not be specified for non-apply patch");
  throw ApiError.invalid({ group: "meta.k8s.io", name: "PatchOptions" }, "", [error]);
}

function checkConfig(value: unknown, kind: Kind, info: ResourceInfo): KubeObject {
  // decodeStrictly has found an object of the kind.
  const config = value as KubeObject;
  const metadata = { ...config.metadata };
  if (metadata.managedFields) throw ApiError.badRequest("metadata.managedFields must be nil");
  if (metadata.name && metadata.name !== info.name) {
    throw ApiError.badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${info.name})`,
    );
  }
  metadata.name = info.name;
  if (kind.namespaced && !metadata.namespace) metadata.namespace = info.namespace;
  return { ...config, apiVersion: kind.apiVersion, kind: kind.kind, metadata };
}
