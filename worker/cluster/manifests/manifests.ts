// The YAML a sandbox starts with: documents applied in order, as `kubectl create -f` would.
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { readYamlDocuments } from "../../../shared/schema/yaml/read.ts";
import { strictMessage, strictWarnings } from "../../../shared/schema/wording.ts";
import { inVersion, storedKind } from "../../api/present/present.ts";
import { toStored } from "../../api/verbs/create.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { Kind } from "../../kinds/kind.ts";
import { create } from "../../registry/create.ts";
import { read, type Registry } from "../../registry/registry.ts";
import { update } from "../../registry/update.ts";

const actor = {
  user: { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
  origin: "manifests",
  manager: "sandbar",
};

/**
 * Applies one object at each step, so that whoever runs it gives others their turn. True: controllers have to act before the next one, as
 * they do for pods in a new namespace. Throws ApiError that names the document.
 */
export function* applyManifests(registry: Registry, manifests: string): Generator<boolean, void, void> {
  let index = 0;
  let isNamespace = false;
  for (const value of objectsIn(manifests)) {
    yield isNamespace;
    if (value === null) continue;
    index++;
    try {
      isNamespace = applyOne(registry, value).resource === namespaces.resource;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ApiError(error.code, error.reason, `document ${index}: ${error.message}`, error.details);
    }
  }
}

/** As many steps as one turn may have. Returns whether there are no more. */
export function someSteps(steps: Generator<boolean, void, void>): boolean {
  for (let at = 0; at < limits.writesPerTurn; at++) {
    const { done, value } = steps.next();
    if (done) return true;
    if (value) return false;
  }
  return false;
}

/** Null for a document that is empty; lists are taken apart. Throws ApiError where it is no YAML. */
export function* objectsIn(manifests: string): Generator<unknown> {
  let documents = 0;
  try {
    for (const { value, duplicates } of readYamlDocuments(manifests)) {
      if (++documents > limits.manifestDocuments) {
        throw ApiError.badRequest(`there are more than ${limits.manifestDocuments} documents`);
      }
      if (duplicates[0] !== undefined) throw new YamlError(`yaml: unmarshal errors:\n  ${duplicates[0]}`);
      if (isList(value)) yield* value.items;
      else yield value;
    }
  } catch (error) {
    if (error instanceof YamlError) throw ApiError.badRequest(`error converting YAML to JSON: ${error.message}`);
    throw error;
  }
}

function isList(value: unknown): value is { items: unknown[] } {
  return (
    typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items) && "kind" in value
  );
}

function applyOne(registry: Registry, value: unknown): Kind {
  const { apiVersion = "", kind: name = "" } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<KubeObject>;
  const kind = registry.catalogue.byKind(apiVersion, name);
  if (!kind)
    throw ApiError.badRequest(`no matches for kind ${JSON.stringify(name)} in version ${JSON.stringify(apiVersion)}`);
  if (kind.computed || !kind.verbs.includes("list")) {
    throw ApiError.badRequest(
      `objects of kind ${JSON.stringify(name)} in version ${JSON.stringify(apiVersion)} are not stored`,
    );
  }
  const { object, unknown } = decode(kind.type, value);
  const strict = strictMessage(strictWarnings(unknown, []));
  if (strict) throw ApiError.badRequest(strict);
  // The canonical form of the type just named.
  const draft = object as KubeObject;
  const namespace = kind.namespaced ? (draft.metadata.namespace ?? "default") : "";
  const objectName = draft.metadata.name ?? "";
  // What a fresh cluster already holds (a namespace, a default account) is updated, not refused.
  const target = storedKind(kind);
  const place = { namespace, name: objectName, subresource: "" };
  const existing = objectName ? read(registry, target, namespace, objectName) : undefined;
  const previous = existing && inVersion(kind, existing);
  const { object: stored, managers } = toStored(registry, kind, draft, place, actor, previous);
  if (existing) update(registry, target, place, stored, actor, { managers });
  else create(registry, target, namespace, stored, actor, { managers });
  return kind;
}
