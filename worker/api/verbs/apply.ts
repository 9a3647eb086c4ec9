// PATCH as server-side apply: sets the fields of the configuration, reports conflicts, and removes fields that the manager gave up.
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { refuseTooLarge, refuseTooWide } from "../../../shared/k8s/bounds/object-size.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { applyConfiguration } from "../../../shared/schema/apply/field-manager.ts";
import type { ManagedFields } from "../../../shared/schema/apply/managers.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { Kind } from "../../kinds/kind.ts";
import { create } from "../../registry/create.ts";
import { emptyOf, writeOf } from "../../registry/managed-fields.ts";
import { type Actor, read } from "../../registry/registry.ts";
import { update } from "../../registry/update.ts";
import { turn, whenAnswered } from "../asking.ts";
import { type BodyType, decodeStrictly, inReadingTurn, readBody, text } from "../body/body.ts";
import { Preparation } from "../preparation.ts";
import { inVersion, objectResponse, outputOf, storedKind } from "../present/present.ts";
import { writeQuery } from "./query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";
import { duplicateWarnings, parseYamlObject } from "../body/yaml.ts";
import { toStored } from "./create.ts";

export async function apply(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(req, kind);
  const query = writeQuery(req.url.searchParams, "PatchOptions", "apply");
  const content = text(await readBody(req.request));
  const configured = await inReadingTurn(req, content.length, "yaml", () => configOf(kind, content));
  const target = storedKind(kind);
  const actor = actorOf(req, "apply", info.subresource);
  const preparation = new Preparation<{ draft: KubeObject; managers: readonly ManagedFields[] }>();
  const { stored, made: isCreated } = await turn(req, (req) => {
    const { registry } = req.server;
    const existing = read(registry, target, info.namespace, info.name);
    const live = existing && inVersion(kind, existing);
    if (!live && info.subresource !== "") throw ApiError.notFound(kind.groupResource, info.name);
    const { config, complaint } = configured();
    const { draft, managers } = preparation.draft(req, live?.metadata.resourceVersion, () => {
      const { object, managers } = applied(req, kind, info, { live, config, force: query.force }, actor);
      // Several small configurations may add up to a large object.
      refuseTooWide(object, Number.POSITIVE_INFINITY);
      refuseDuplicates(req, complaint, query.fieldValidation);
      // Decoding returns the canonical form of the kind.
      const draft =
        kind.schema.decodeMerged?.(object).object ??
        decodeStrictly(req, kind, { value: object, duplicates: [] }, "Ignore");
      return { draft: draft as KubeObject, managers };
    });
    checkIdentity(kind, info, draft, live);
    const options = { ...writingOf(req, query, kind), managers };
    const { object: next } = toStored(registry, kind, draft, info, actor, live);
    if (live) return { stored: update(registry, target, info, next, actor, options), made: false };
    // A resourceVersion only prevents creation of an object that was never seen.
    delete next.metadata.resourceVersion;
    return { stored: create(registry, target, info.namespace, next, actor, options), made: true };
  });
  return whenAnswered(req, () => objectResponse(req, kind, stored, isCreated ? 201 : 200));
}

interface Wanted {
  readonly live: KubeObject | undefined;
  readonly config: JsonObject;
  readonly force: boolean;
}

function applied(req: ApiRequest, kind: Kind, info: ResourceInfo, { live, config, force }: Wanted, actor: Actor) {
  const { subresource } = info;
  const writer = {
    manager: actor.manager,
    operation: "Apply" as const,
    apiVersion: kind.apiVersion,
    ...(subresource ? { subresource } : {}),
  };
  // The managed fields of a configuration have been rejected before.
  const draft: KubeObject = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: {} };
  const write = writeOf(req.server.registry, kind, { draft, previous: live, subresource }, writer);
  return applyConfiguration(write, config, emptyOf(kind), force);
}

export interface Configured {
  /** The configuration as it was sent, without defaults: the manager does not own fields that it leaves out. */
  readonly config: JsonObject;
  /** The parser's message about duplicate keys. */
  readonly complaint: string | undefined;
}

/** Parses a configuration once. The returned function throws its error, if any. */
export function configOf(kind: BodyType, content: string): () => Configured {
  try {
    const { value, complaint } = parseYamlObject(content, "error decoding YAML: ");
    if (content.length > limits.objectBytes) refuseTooLarge(JSON.stringify(value));
    refuseTooWide(value, content.length);
    checkConfig(kind, value);
    return () => ({ config: value, complaint });
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function checkConfig(kind: BodyType, config: JsonObject): void {
  const apiVersion = textOf(config["apiVersion"]);
  const named = textOf(config["kind"]);
  if (apiVersion !== kind.apiVersion || named !== kind.kind) {
    throw ApiError.badRequest(`invalid object type: ${kindText(apiVersion, named)}`);
  }
  const metadata = isObject(config["metadata"]) ? config["metadata"] : {};
  if (metadata["managedFields"] !== undefined && metadata["managedFields"] !== null) {
    throw ApiError.badRequest("metadata.managedFields must be nil");
  }
  const complaint = kind.schema.complaint(config);
  if (complaint !== undefined) {
    const name = `${textOf(metadata["namespace"])}/${textOf(metadata["name"])}`;
    const where = `${name}; ${kindText(apiVersion, named)}`;
    // Upstream returns 500 here, also without a reason, but the error is the client's.
    throw new ApiError(400, "", `failed to create typed patch object (${where}): ${complaint}`);
  }
}

/** Handles duplicate keys by the requested strictness. Unknown fields are rejected in any case. */
export function refuseDuplicates(req: ApiRequest, complaint: string | undefined, validation: string): void {
  if (complaint === undefined || validation === "Ignore") return;
  if (validation === "Strict") {
    throw ApiError.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${complaint}`);
  }
  req.warnings.push(...duplicateWarnings(complaint));
}

function checkIdentity(kind: Kind, { name }: ResourceInfo, draft: KubeObject, live: KubeObject | undefined): void {
  const { metadata } = draft;
  if (!live && metadata.uid) {
    const why = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
    throw ApiError.conflict(kind.groupResource, name, why);
  }
  if (!metadata.name) {
    throw ApiError.badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata.name !== name) {
    throw ApiError.badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Prints a GroupVersionKind as Go does. */
function kindText(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  return `${group}/${version}, Kind=${kind}`;
}
