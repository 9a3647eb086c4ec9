// A resource that is only ever created, and not stored: a review is answered and forgotten, a binding changes its pod.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { defineKind, type Kind } from "../../kinds/kind.ts";
import { recordOwners } from "../../registry/ownership.ts";
import { checkKind } from "../body-kind.ts";
import { decodeStrictly, readObject } from "../body.ts";
import { outputOf, plainResponse } from "../present.ts";
import { writeQuery } from "../query.ts";
import { type Call, actorOf } from "../service.ts";
import type { ResourceInfo } from "../request-info.ts";
import { matchNamespace } from "../../registry/metadata.ts";

export interface VirtualResource {
  readonly kind: Kind;
  /** The answer to a decoded body; throws ApiError to refuse. */
  create(call: Call, draft: KubeObject, info: ResourceInfo, dryRun: boolean): object | Promise<object>;
}

/** Its shape and its place are the facts'; discovery and OpenAPI follow. */
export function virtualKind<T extends KubeObject>(group: string, plural: string): Kind<T> {
  return defineKind<T>(group, "v1", plural, { columns: [] });
}

export async function createVirtual(call: Call, resource: VirtualResource, info: ResourceInfo): Promise<Response> {
  outputOf(call);
  const { kind } = resource;
  const { dryRun, fieldValidation } = writeQuery(call.url.searchParams, "CreateOptions");
  const body = await readObject(call, kind);
  checkKind(kind, body.value);
  const { kind: _kind, apiVersion: _version, ...decoded } = decodeStrictly(call, kind, body, fieldValidation);
  const draft: KubeObject = { kind: kind.kind, apiVersion: kind.apiVersion, ...decoded };
  matchNamespace(kind, draft, info.namespace);
  const written = { draft, previous: undefined, subresource: "" };
  recordOwners(call.service.registry, kind, written, actorOf(call, "create"), {});
  return plainResponse(call, await resource.create(call, draft, info, dryRun), 201);
}
