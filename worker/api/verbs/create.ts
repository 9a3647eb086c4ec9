// POST of a new object.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../kinds/kind.ts";
import { create as createObject } from "../../registry/create.ts";
import {
  generateName,
  ensureObjectNamespaceMatchesRequestNamespace,
  wipeObjectMetaSystemFields,
} from "../../registry/metadata.ts";
import { copyJson } from "../../../shared/schema/json-values.ts";
import type { ManagedFields } from "../../../shared/schema/apply/managers.ts";
import { managersAfter } from "../../registry/managed-fields.ts";
import { checkName } from "../../registry/update.ts";
import { validateCreate, validateOwnUpdate } from "../../registry/validation.ts";
import { type Actor, contextOf, type Registry } from "../../registry/registry.ts";
import { turn, whenAnswered } from "../asking.ts";
import { decodeStrictly, readObject } from "../body/body.ts";
import { checkKind } from "../body/body-kind.ts";
import { Preparation } from "../preparation.ts";
import { objectResponse, outputOf, storedKind } from "../present/present.ts";
import { writeQuery } from "./query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";

export async function create(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(req, kind);
  const query = writeQuery(req.url.searchParams, "CreateOptions");
  const body = await readObject(req, kind);
  checkKind(kind, body.value);
  const actor = actorOf(req, "create");
  const preparation = new Preparation<KubeObject>();
  const stored = await turn(req, (req) => {
    const { registry } = req.server;
    const draft = preparation.draft(req, "", () => decodeStrictly(req, kind, body, query.fieldValidation));
    req.posted.name = draft.metadata.name ?? "";
    const { object, managers } = toStored(registry, kind, draft, info, actor);
    const options = { ...writingOf(req, query, kind), managers };
    return createObject(registry, storedKind(kind), info.namespace, object, actor, options);
  });
  return whenAnswered(req, () => objectResponse(req, kind, stored, 201));
}

interface Converted {
  readonly object: KubeObject;
  /** The field managers, if they must be reported in the version of the path. */
  readonly managers: readonly ManagedFields[] | undefined;
}

/** Converts a draft to the stored version. The draft is validated, and its fields are owned, in its own version. */
export function toStored(
  registry: Registry,
  kind: Kind,
  draft: KubeObject,
  info: Pick<ResourceInfo, "namespace" | "name" | "subresource">,
  actor: Actor,
  previous?: KubeObject,
): Converted {
  const { conversion } = kind;
  const hub = conversion?.hub;
  if (!hub) return { object: draft, managers: undefined };
  draft.apiVersion = kind.apiVersion;
  draft.kind = kind.kind;
  ensureObjectNamespaceMatchesRequestNamespace(kind, draft, info.namespace);
  if (previous) checkName(draft, info.name);
  else wipe(draft, info.name !== "");
  kind.defaults?.(draft);
  const context = contextOf(registry, actor);
  // The registry generates the name later. A name of the same form is used here, so that all rules apply.
  const { name = "", generateName: base } = draft.metadata;
  // The version identifies the existing object.
  const version = previous ? { resourceVersion: previous.metadata.resourceVersion } : {};
  const { managedFields: _, ...metadataWithoutManagers } = draft.metadata;
  const metadata = { ...metadataWithoutManagers, ...version, name: name || (base && generateName(registry, base)) };
  const named = { ...draft, metadata };
  const check = () =>
    previous ? validateOwnUpdate(kind, named, previous, context) : validateCreate(kind, named, context);
  const errors = kind.validate ? check() : [];
  if (errors.length > 0) throw ApiError.invalid(hub.groupKind, metadata.name ?? "", errors);
  const object = conversion.toStorage(draft);
  // Fields that the conversion sets are owned by the writer.
  const filled = copyJson(object);
  hub.defaults?.(filled);
  const converted = conversion.fromStorage(filled);
  const managers = managersAfter(registry, kind, { draft: converted, previous, subresource: info.subresource }, actor);
  return { object, managers };
}

/** Removes system fields. The uid of a PUT of an absent object stays, because the registry rejects it. */
function wipe(draft: KubeObject, isUpdate: boolean): void {
  const { uid } = draft.metadata;
  wipeObjectMetaSystemFields(draft);
  if (isUpdate && uid) draft.metadata.uid = uid;
}
