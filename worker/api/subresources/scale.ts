// `/scale` of a workload: autoscaling/v1 Scale, read and written.
import type { Scale } from "../../../shared/k8s/api/autoscaling-v1.ts";
import { invalid, path } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { must } from "../../../shared/base/assert.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead } from "../../registry/registry.ts";
import { update } from "../../registry/update.ts";
import { decodeStrictly, readBody, readObject, text } from "../body.ts";
import { checkKind } from "../body-kind.ts";
import { patchType } from "../negotiation.ts";
import { plainResponse } from "../present.ts";
import { writeQuery } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type Call } from "../service.ts";
import { applyPatch, parsePatch, servedPatches } from "../verbs/patch.ts";

const scaleType = { type: "io.k8s.api.autoscaling.v1.Scale", apiVersion: "autoscaling/v1", kind: "Scale" };

export async function scale(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  const { registry } = call.service;
  if (info.verb === "get")
    return plainResponse(call, scaleOf(kind, mustRead(registry, kind, info.namespace, info.name)));
  const isPatch = info.verb === "patch";
  const { dryRun, fieldValidation } = writeQuery(call.url.searchParams, isPatch ? "PatchOptions" : "UpdateOptions");
  const form = isPatch ? patchType(call.request.headers.get("content-type"), servedPatches) : undefined;
  const body = form ? parsePatch(form, text(await readBody(call.request))) : await readObject(call, scaleType);
  const stored = call.service.turn(() => {
    const current = mustRead(registry, kind, info.namespace, info.name);
    if (!form) checkKind(scaleType, body.value);
    // The canonical form of the Scale that was named.
    const draft = (
      form
        ? applyPatch(call, form, scaleType, scaleOf(kind, current), body, fieldValidation)
        : decodeStrictly(call, scaleType, body, fieldValidation)
    ) as Scale;
    check(info.name, draft);
    const next = must(kind.scale, "scale").withReplicas(structuredClone(current), draft.spec.replicas ?? 0);
    const { resourceVersion, uid } = draft.metadata;
    next.metadata = { ...next.metadata, resourceVersion: resourceVersion ?? "", uid: uid ?? next.metadata.uid ?? "" };
    const target = { namespace: info.namespace, name: info.name, subresource: "" };
    return update(registry, kind, target, next, actorOf(call, info.verb), {
      dryRun,
      managerSubresource: "scale",
    });
  });
  return plainResponse(call, scaleOf(kind, stored));
}

function check(name: string, draft: Scale): void {
  const replicas = draft.spec.replicas ?? 0;
  if (draft.metadata.name && draft.metadata.name !== name) {
    throw ApiError.badRequest(
      `the name of the object (${draft.metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (replicas >= 0) return;
  const error = invalid(path("spec", "replicas"), replicas, "must be greater than or equal to 0");
  throw ApiError.invalid({ group: "autoscaling", name: "Scale" }, name, [error]);
}

function scaleOf(kind: Kind, object: KubeObject): Scale {
  const { specReplicas, statusReplicas, selector } = must(kind.scale, "scale");
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = specReplicas(object);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(creationTimestamp ? { creationTimestamp } : {}),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: statusReplicas(object), selector: selector(object) },
  };
}
