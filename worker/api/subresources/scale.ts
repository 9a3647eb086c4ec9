// Reads and writes the `/scale` of a workload: autoscaling/v1 Scale.
import { once } from "../../../shared/base/once.ts";
import type { Scale } from "../../../shared/k8s/api/autoscaling-v1.ts";
import { path } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { dns1123Subdomain } from "../../../shared/k8s/names.ts";
import { validateMeta, validateNonNegative } from "../../../shared/k8s/validate-meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { age, rfc3339 } from "../../../shared/k8s/time.ts";
import { must } from "../../../shared/base/assert.ts";
import { entriesOf, managersOf } from "../../../shared/schema/apply/entries.ts";
import { applyConfiguration, managersAfterWrite } from "../../../shared/schema/apply/field-manager.ts";
import { FieldSet } from "../../../shared/schema/apply/field-set.ts";
import type { ManagerIdentity, ManagedFields, Write } from "../../../shared/schema/apply/managers.ts";
import { managersAfterScale, managersOfScale } from "../../../shared/schema/apply/scale.ts";
import { graphSchema } from "../../../shared/schema/object-schema.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type Actor, mustRead } from "../../registry/registry.ts";
import { ensureObjectNamespaceMatchesRequestNamespace } from "../../registry/metadata.ts";
import { type Transform, checkName, update } from "../../registry/update.ts";
import { turn, whenAnswered } from "../asking.ts";
import { decodeStrictly, readBody, readObject, text } from "../body/body.ts";
import { checkKind } from "../body/body-kind.ts";
import { type PatchType, patchType } from "../negotiation/negotiation.ts";
import { type Shown, shownResponse } from "../present/present.ts";
import { type WriteQuery, writeQuery } from "../verbs/query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";
import { configOf, refuseDuplicates } from "../verbs/apply.ts";
import { applyPatch, parsePatch } from "../verbs/patch.ts";

const type = "io.k8s.api.autoscaling.v1.Scale";
const shownScale: Shown<Scale> = {
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  columns: [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "Of what is scaled.",
      cell: ({ metadata }) => metadata.name ?? "",
    },
    {
      name: "Desired",
      type: "integer",
      description: "How many instances are wanted.",
      cell: ({ spec }) => spec.replicas ?? 0,
    },
    {
      name: "Available",
      type: "integer",
      description: "How many instances there are.",
      cell: ({ status }) => status.replicas,
    },
    {
      name: "Age",
      type: "string",
      description: "Since it was made.",
      cell: ({ metadata }, nowMs) => age(metadata.creationTimestamp, nowMs),
    },
  ],
};
const scaleType = { type, schema: graphSchema(type), apiVersion: "autoscaling/v1", kind: "Scale" };

export async function scale(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  if (info.verb === "get") {
    const object = await whenAnswered(req, () => mustRead(req.server.registry, kind, info.namespace, info.name));
    const problem = kind.scale?.unreadable?.(object);
    if (problem) throw ApiError.internal(problem);
    return shownResponse(req, shownScale, scaleOf(kind, object));
  }
  const form = info.verb === "patch" ? patchType(req.request.headers.get("content-type")) : undefined;
  const query = writeQuery(req.url.searchParams, form ? "PatchOptions" : "UpdateOptions", form);
  const change = form === "apply" ? await readApplied(req, query) : await readWritten(req, form, query);
  const stored = await turn(req, (req) => {
    const { registry } = req.server;
    const current = mustRead(registry, kind, info.namespace, info.name);
    const actor = actorOf(req, info.verb, info.subresource);
    const { draft, managers } = change(current, kind, actor);
    Object.assign(draft, { apiVersion: scaleType.apiVersion, kind: scaleType.kind });
    checkName(draft, info.name);
    ensureObjectNamespaceMatchesRequestNamespace(kind, draft, info.namespace);
    check(kind, info.name, draft);
    const next = structuredClone(current);
    const { resourceVersion, uid } = draft.metadata;
    // A Scale without a version applies to the newest version, also for kinds whose updates require one.
    if (resourceVersion) next.metadata.resourceVersion = resourceVersion;
    if (uid) next.metadata.uid = uid;
    const before = managersOf(current.metadata.managedFields) ?? [];
    const versions = registry.catalogue.versionsOf(kind);
    const transform: Transform<KubeObject> = {
      objectKind: scaleType,
      subresource: "scale",
      object: withManagers(draft, managers),
      oldObject: withManagers(scaleOf(kind, current), managersOfScale(before, versions)),
      applyTo: (next, requestedScale) => scaled(kind, info.name, next, requestedScale as Scale),
      fromObject: (next) => scaleOf(kind, next),
    };
    const target = { namespace: info.namespace, name: info.name, subresource: "" };
    return update(registry, kind, target, next, actor, {
      ...writingOf(req, query),
      managers: managersAfterScale(before, managers, kind, versions),
      transform,
    });
  });
  return shownResponse(req, shownScale, scaleOf(kind, stored));
}

/** Computes the new Scale from the current object, and the managers of its fields. */
type ScaleChange = (
  current: KubeObject,
  kind: Kind,
  actor: Actor,
) => { draft: Scale; managers: readonly ManagedFields[] };

async function readApplied(req: ApiRequest, { force, fieldValidation }: WriteQuery): Promise<ScaleChange> {
  const configured = configOf(scaleType, text(await readBody(req.request)));
  return (current, kind, actor) => {
    const { config, complaint } = configured();
    const write = writeOf(req, kind, current, { ...identityOf(actor), operation: "Apply" });
    const { object, managers } = applyConfiguration(write, config, emptyScale(), force);
    refuseDuplicates(req, complaint, fieldValidation);
    // Decoding returns the canonical form of a Scale.
    const draft = decodeStrictly(req, scaleType, { value: object, duplicates: [] }, "Ignore") as Scale;
    return { draft, managers };
  };
}

async function readWritten(
  req: ApiRequest,
  form: PatchType | undefined,
  { fieldValidation }: WriteQuery,
): Promise<ScaleChange> {
  const body = form ? parsePatch(form, text(await readBody(req.request))) : await readObject(req, scaleType);
  return (current, kind, actor) => {
    if (!form) checkKind(scaleType, body.value);
    const decoded = form
      ? applyPatch(req, form, scaleType, owned(req, kind, current), body, fieldValidation)
      : decodeStrictly(req, scaleType, body, fieldValidation);
    const write = writeOf(req, kind, current, { ...identityOf(actor), operation: "Update" });
    // Decoding returns the canonical form of a Scale.
    return { draft: decoded as Scale, managers: managersAfterWrite(write, decoded, true) };
  };
}

const emptyScale = once(() => scaleType.schema.empty(scaleType.apiVersion, scaleType.kind));

function identityOf({ manager }: Actor) {
  return { manager, apiVersion: scaleType.apiVersion, subresource: "scale" };
}

function writeOf(req: ApiRequest, kind: Kind, current: KubeObject, writer: ManagerIdentity): Write {
  return {
    shape: scaleType.schema.shape,
    live: scaleOf(kind, current),
    managers: managersOfScale(
      managersOf(current.metadata.managedFields) ?? [],
      req.server.registry.catalogue.versionsOf(kind),
    ),
    writer,
    time: rfc3339(req.server.registry.clock.nowMs()),
    ignored: FieldSet.empty,
  };
}

/** Returns the Scale of a workload with its field managers. */
function owned(req: ApiRequest, kind: Kind, current: KubeObject): Scale {
  const managers = managersOf(current.metadata.managedFields) ?? [];
  return withManagers(
    scaleOf(kind, current),
    managersOfScale(managers, req.server.registry.catalogue.versionsOf(kind)),
  );
}

function withManagers(scale: Scale, managers: readonly ManagedFields[]): Scale {
  const entries = entriesOf(managers, undefined);
  return entries.length ? { ...scale, metadata: { ...scale.metadata, managedFields: entries } } : scale;
}

/** Applies a Scale to the workload's draft. */
function scaled(kind: Kind, name: string, draft: KubeObject, requestedScale: Scale): void {
  check(kind, name, requestedScale);
  Object.assign(draft, must(kind.scale, "scale").withReplicas(draft, requestedScale.spec.replicas ?? 0));
}

function check(kind: Kind, name: string, draft: Scale): void {
  // For custom resources, upstream reports the object itself as invalid.
  if (kind.custom) return;
  // The managers were computed before.
  const { managedFields: _, ...metadata } = draft.metadata;
  const errors = [
    ...validateMeta(metadata, true, dns1123Subdomain, path("metadata")),
    ...validateNonNegative(draft.spec.replicas ?? 0, path("spec", "replicas")),
  ];
  if (errors.length > 0) throw ApiError.invalid({ group: "autoscaling", name: "Scale" }, name, errors);
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
    status: { replicas: statusReplicas(object), ...(selector(object) ? { selector: selector(object) } : {}) },
  };
}
