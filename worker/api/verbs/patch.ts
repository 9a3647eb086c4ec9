// PATCH: JSON patch, merge patch and strategic merge patch of the current object.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { jsonPatch } from "../../../shared/schema/json-patch.ts";
import { mergePatch } from "../../../shared/schema/merge-patch.ts";
import { decodePatched, invalidPatch, type Patched, strictlyRefused } from "../../../shared/schema/patched.ts";
import { refuseTooLarge, refuseTooWide } from "../../../shared/k8s/bounds/object-size.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { strategicMerge } from "../../../shared/schema/strategic/strategic-merge.ts";
import type { Kind } from "../../kinds/kind.ts";
import { mustRead } from "../../registry/registry.ts";
import { update as updateObject } from "../../registry/update.ts";
import { turn, whenAnswered } from "../asking.ts";
import {
  accountDecoding,
  type BodyType,
  inReadingTurn,
  parseText,
  type RawBody,
  readBody,
  text,
  withReset,
} from "../body/body.ts";
import { checkKind, unknownKind } from "../body/body-kind.ts";
import { type PatchType, patchType, untypedPatches } from "../negotiation/negotiation.ts";
import { withNulls } from "../present/nulls.ts";
import { Preparation } from "../preparation.ts";
import { inVersion, objectResponse, outputOf, storedKind } from "../present/present.ts";
import { type FieldValidation, writeQuery } from "./query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";
import { apply } from "./apply.ts";
import { toStored } from "./create.ts";

export async function patch(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(req, kind);
  const form = patchType(req.request.headers.get("content-type"), kind.custom ? untypedPatches : undefined);
  if (form === "apply") return apply(req, kind, info);
  const query = writeQuery(req.url.searchParams, "PatchOptions", form);
  const content = text(await readBody(req.request));
  const body = await inReadingTurn(req, content.length, "json", () => parsePatch(form, content));
  const target = storedKind(kind);
  const preparation = new Preparation<KubeObject>();
  const stored = await turn(req, (req) => {
    const { registry } = req.server;
    const current = inVersion(kind, mustRead(registry, target, info.namespace, info.name, kind));
    const draft = preparation.draft(req, current.metadata.resourceVersion, () =>
      applyPatch(req, form, kind, withNulls(kind, current), body, query.fieldValidation),
    );
    const actor = actorOf(req, "patch", info.subresource);
    const { object, managers } = toStored(registry, kind, draft, info, actor, current);
    const options = { ...writingOf(req, query, kind), managers };
    return updateObject(registry, target, info, object, actor, options);
  });
  return whenAnswered(req, () => objectResponse(req, kind, stored));
}

/** The length of a patch, in characters, from which its result is measured first. */
const measuredPatch = 40_000;

export function parsePatch(form: PatchType, content: string): RawBody {
  try {
    // Copy operations can produce an object of any size.
    const mayBeLarge = content.length > measuredPatch || content.includes('"copy"');
    return { ...parseText(content, "json"), mayBeLarge };
  } catch (error) {
    // For a strategic merge patch, upstream returns only the parser's message.
    if (!(error instanceof ApiError) || error.code !== 400 || form === "strategic") throw error;
    throw ApiError.badRequest(`error decoding patch: ${error.message}`);
  }
}

/** Returns the patched and decoded object. Strictness decides whether unknown fields of the patch or the result are errors or warnings. */
export function applyPatch(
  req: ApiRequest,
  form: PatchType,
  kind: BodyType,
  current: KubeObject,
  { value: patch, duplicates, mayBeLarge }: RawBody,
  validation: FieldValidation,
): KubeObject {
  // The current object is copied before the patch is applied.
  accountDecoding(req, kind, current);
  const patched: Patched = {
    form: form === "apply" ? "merge" : form,
    value: patchValue(req, form, kind.type, current, patch),
    patch,
    duplicates,
  };
  if (mayBeLarge) {
    const content = JSON.stringify(patched.value);
    refuseTooLarge(content);
    refuseTooWide(patched.value, content.length);
  }
  // Upstream ignores the kind in a strategic merge patch.
  if (form !== "strategic") checkPatchedKind(kind, patched);
  accountDecoding(req, kind, patched.value);
  const { object, violations } = decodePatched(kind.schema, patched);
  if (validation === "Strict" && violations.length > 0) throw strictlyRefused(patched, violations);
  if (validation === "Warn") req.warnings.push(...violations);
  // Decoding returns the canonical form of the type.
  return withReset(object as KubeObject, patched.value);
}

function checkPatchedKind(kind: BodyType, patched: Patched): void {
  if (kind.custom) return checkKind(kind, patched.value, true);
  const unknown = unknownKind(kind, patched.value);
  if (unknown) throw invalidPatch(patched, unknown.cause);
  checkKind(kind, patched.value, true);
}

function patchValue(
  { server }: ApiRequest,
  form: PatchType,
  type: string,
  current: KubeObject,
  patch: unknown,
): unknown {
  switch (form) {
    case "json":
      return jsonPatch(current, patch, server.registry.store.meter);
    case "merge":
      return mergePatch(current, patch);
    case "strategic":
      return strategicMerge(type, current, patch);
    case "apply":
      throw ApiError.noSuchPath();
  }
}
