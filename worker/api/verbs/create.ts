// POST of a new object.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { path } from "../../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { validateMeta } from "../../../shared/k8s/validate-meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import { create as createObject } from "../../registry/create.ts";
import { generateName } from "../../registry/metadata.ts";
import type { Owned } from "../../../shared/schema/apply/managers.ts";
import { ownersAfter } from "../../registry/ownership.ts";
import { type Actor, contextOf, type Registry } from "../../registry/registry.ts";
import { turn, whenAnswered } from "../asking.ts";
import { decodeStrictly, readObject } from "../body.ts";
import { checkKind } from "../body-kind.ts";
import { objectResponse, outputOf, storedKind } from "../present.ts";
import { writeQuery } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type Call } from "../service.ts";

export async function create(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(call, kind);
  const { dryRun, fieldValidation } = writeQuery(call.url.searchParams, "CreateOptions");
  const body = await readObject(call, kind);
  checkKind(kind, body.value);
  const actor = actorOf(call, "create");
  const stored = await turn(call, (call) => {
    const { registry } = call.service;
    const draft = decodeStrictly(call, kind, body, fieldValidation);
    const { object, owners } = toStored(registry, kind, draft, info, actor);
    const options = { dryRun, owners, warn: (message: string) => call.warnings.push(message) };
    return createObject(registry, storedKind(kind), info.namespace, object, actor, options);
  });
  return whenAnswered(call, () => objectResponse(call, kind, stored, 201));
}

interface Converted {
  readonly object: KubeObject;
  /** Its fields' owners, where they are to be told in the version of the path. */
  readonly owners: readonly Owned[] | undefined;
}

/** A draft in another version than the stored one is checked, and owned, in its own version, then converted. */
export function toStored(
  registry: Registry,
  kind: Kind,
  draft: KubeObject,
  info: Pick<ResourceInfo, "namespace" | "subresource">,
  actor: Actor,
  previous?: KubeObject,
): Converted {
  const other = kind.otherVersionOf;
  if (!other) return { object: draft, owners: undefined };
  draft.apiVersion = kind.apiVersion;
  draft.kind = kind.kind;
  if (kind.namespaced && !draft.metadata.namespace) draft.metadata.namespace = info.namespace;
  kind.defaults?.(draft);
  const context = contextOf(registry, actor);
  // The registry names it for good: here it has a name of that form, so that all rules hold for it.
  const { name = "", generateName: base } = draft.metadata;
  const metadata = { ...draft.metadata, name: name || (base && generateName(registry, base)) };
  const named = { ...draft, metadata };
  const errors = [
    ...validateMeta(metadata, kind.namespaced, kind.validateName ?? dns1123Subdomain, path("metadata")),
    ...(kind.validate?.(named, context) ?? []),
    ...((previous && kind.validateUpdate?.(named, previous, context)) ?? []),
  ];
  if (errors.length > 0) throw ApiError.invalid(kind.groupKind, metadata.name ?? "", errors);
  const owners = ownersAfter(registry, kind, { draft, previous, subresource: info.subresource }, actor);
  return { object: other.toStored(draft), owners };
}
