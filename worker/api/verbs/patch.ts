// PATCH: JSON patch, merge patch and strategic merge patch of the object as it is now.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { jsonPatch } from "../../../shared/schema/json-patch.ts";
import { mergePatch } from "../../../shared/schema/merge-patch.ts";
import { strategicMerge } from "../../../shared/schema/strategic-merge.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead } from "../../registry/registry.ts";
import { update as updateObject } from "../../registry/update.ts";
import { checkKind, decodeStrictly, parseText, type RawBody, readBody, text } from "../body.ts";
import { type PatchType, patchType } from "../negotiation.ts";
import { inVersion, objectResponse, outputOf, storedKind } from "../present.ts";
import { writeQuery } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type Call } from "../service.ts";
import { toStored } from "./create.ts";

/** Server-side apply is not among them yet. */
export const servedPatches: readonly PatchType[] = ["json", "merge", "strategic"];

export async function patch(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(call);
  const form = patchType(call.request.headers.get("content-type"), servedPatches);
  const { dryRun, fieldValidation } = writeQuery(call.url.searchParams, "PatchOptions");
  const body = parseText(text(await readBody(call.request)), "json");
  const { service, warnings } = call;
  const { registry } = service;
  const target = storedKind(kind);
  const stored = service.turn(() => {
    const current = inVersion(kind, mustRead(registry, target, info.namespace, info.name));
    const patched = applyPatch(form, kind.type, current, body);
    checkKind(kind, patched.value);
    const draft = decodeStrictly(call, kind, patched, fieldValidation);
    const options = { dryRun, warn: (message: string) => warnings.push(message) };
    return updateObject(registry, target, info, toStored(call, kind, draft, info), actorOf(call, "patch"), options);
  });
  return objectResponse(call, kind, stored);
}

/** The patched object, undecoded, with the duplicate fields of the patch itself. */
export function applyPatch(form: PatchType, type: string, current: KubeObject, body: RawBody): RawBody {
  const { value, duplicates } = body;
  switch (form) {
    case "json":
      return { value: jsonPatch(current, value), duplicates };
    case "merge":
      return { value: mergePatch(current, value), duplicates };
    default:
      return { value: strategicMerge(type, current, value), duplicates };
  }
}
