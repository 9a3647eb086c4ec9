// Resources that are only created and not stored: a review returns an answer, a binding changes its pod.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { defineKind, type Kind } from "../../kinds/kind.ts";
import { updateManagedFields } from "../../registry/managed-fields.ts";
import { checkKind } from "../body/body-kind.ts";
import { decodeStrictly, readObject } from "../body/body.ts";
import { createdOutputOf, createdResponse } from "../present/present.ts";
import { type WriteQuery, writeQuery } from "../verbs/query.ts";
import { type ApiRequest, actorOf, writingOf } from "../api-request.ts";
import type { ResourceInfo } from "../request-info.ts";
import { admissionRequest, admit } from "../../registry/admission-chain.ts";
import { contextOf } from "../../registry/registry.ts";
import { turn } from "../asking.ts";
import { ensureObjectNamespaceMatchesRequestNamespace, wipeObjectMetaSystemFields } from "../../registry/metadata.ts";

export interface VirtualResource {
  readonly kind: Kind;
  /** Validates a draft before admission. Throws ApiError. */
  check?(draft: KubeObject): void;
  /** Returns the response to a decoded body. Throws ApiError. */
  create(req: ApiRequest, draft: KubeObject, info: ResourceInfo, query: WriteQuery): KubeObject | Promise<KubeObject>;
  /** Whether `create` runs admission itself. */
  readonly asksAdmission?: boolean;
}

/** Returns the kind, whose shape and paths are in the type facts. Discovery and OpenAPI follow from it. */
export function virtualKind<T extends KubeObject>(group: string, plural: string): Kind<T> {
  return defineKind<T>(group, "v1", plural, { columns: [] });
}

export async function createVirtual(req: ApiRequest, resource: VirtualResource, info: ResourceInfo): Promise<Response> {
  createdOutputOf(req);
  const { kind } = resource;
  const query = writeQuery(req.url.searchParams, "CreateOptions");
  const body = await readObject(req, kind);
  checkKind(kind, body.value);
  const { kind: _kind, apiVersion: _version, ...decoded } = decodeStrictly(req, kind, body, query.fieldValidation);
  const draft: KubeObject = { kind: kind.kind, apiVersion: kind.apiVersion, ...decoded };
  req.posted.name = draft.metadata.name ?? "";
  wipeObjectMetaSystemFields(draft);
  ensureObjectNamespaceMatchesRequestNamespace(kind, draft, info.namespace);
  const written = { draft, previous: undefined, subresource: "" };
  updateManagedFields(req.server.registry, kind, written, actorOf(req, "create"), {});
  const admittedDraft = resource.asksAdmission ? draft : await admitted(req, resource, draft, info, query);
  return createdResponse(req, await resource.create(req, admittedDraft, info, query));
}

/** Runs admission, which may change the draft. Nothing is stored. */
function admitted(
  req: ApiRequest,
  { kind, check }: VirtualResource,
  draft: KubeObject,
  { namespace }: ResourceInfo,
  query: WriteQuery,
): Promise<KubeObject> {
  return turn(req, (req) => {
    const { registry } = req.server;
    const object = structuredClone(draft);
    const name = object.metadata.name ?? "";
    const attributes = {
      operation: "CREATE",
      kind,
      subresource: "",
      namespace,
      name,
      object,
      oldObject: undefined,
    } as const;
    const [actor, writing] = [actorOf(req, "create"), writingOf(req, query)];
    const request = admissionRequest(attributes, actor, writing, contextOf(registry, actor, writing));
    admit(registry, "mutate", request);
    check?.(object);
    admit(registry, "validate", request);
    return object;
  });
}
