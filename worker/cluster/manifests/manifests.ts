// The YAML a sandbox starts with: documents applied in order, as `kubectl create -f` would.
import { limits } from "../../../shared/base/limits.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { lineAt, readYamlDocuments } from "../../../shared/schema/yaml/read.ts";
import { strictMessage, strictWarnings } from "../../../shared/schema/wording.ts";
import { inVersion, storedKind } from "../../api/present/present.ts";
import { toStored } from "../../api/verbs/create.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { Kind } from "../../kinds/kind.ts";
import { create } from "../../registry/create.ts";
import { read, type Registry } from "../../registry/registry.ts";
import { update } from "../../registry/update.ts";
import { FieldRefusal, type ObjectPlace, refusedKeys, refusedObject, refusedText } from "./refusal.ts";

const actor = {
  user: { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
  origin: "manifests",
  manager: "sandbar",
};

/**
 * Applies one object at each step, so that whoever runs it gives others their turn. True: controllers have to act before the next one, as
 * they do for pods in a new namespace. Throws ManifestError.
 */
export function* applyManifests(registry: Registry, manifests: string): Generator<boolean, void, void> {
  let isNamespace = false;
  for (const { value, ...place } of objectsIn(manifests)) {
    yield isNamespace;
    if (value === null) continue;
    try {
      isNamespace = applyOne(registry, value).resource === namespaces.resource;
    } catch (error) {
      if (error instanceof ApiError) throw refusedObject(manifests, place, error);
      throw error;
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

interface PlacedObject extends ObjectPlace {
  readonly value: unknown;
}

/** Null for a document that is empty; lists are taken apart. Throws ManifestError where it is no YAML. */
export function* objectsIn(manifests: string): Generator<PlacedObject> {
  let documents = 0;
  let document = 0;
  try {
    for (const { value, duplicates, text, start } of readYamlDocuments(manifests)) {
      if (++documents > limits.manifestDocuments) {
        const error = ApiError.badRequest(`there are more than ${limits.manifestDocuments} documents`);
        throw refusedObject(manifests, { document: document + 1, text, start, within: "" }, error);
      }
      if (value !== null) document++;
      const place = { document, text, start, within: "" };
      if (duplicates.length > 0) throw refusedKeys(document, lineAt(manifests, start) - 1, duplicates);
      if (!isList(value)) yield { ...place, value };
      else for (const [at, item] of value.items.entries()) yield { ...place, value: item, within: `items[${at}]` };
    }
  } catch (error) {
    if (error instanceof YamlError) throw refusedText(document + 1, error);
    throw error;
  }
}

export function isList(value: unknown): value is { items: unknown[] } {
  return (
    typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items) && "kind" in value
  );
}

function applyOne(registry: Registry, value: unknown): Kind {
  const { apiVersion = "", kind: name = "" } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<KubeObject>;
  const kind = registry.catalogue.byKind(apiVersion, name);
  const version = JSON.stringify(apiVersion);
  if (!kind) throw new FieldRefusal(`no matches for kind ${JSON.stringify(name)} in version ${version}`, ["kind"]);
  if (kind.computed || !kind.verbs.includes("list")) {
    throw new FieldRefusal(`objects of kind ${JSON.stringify(name)} in version ${version} are not stored`, ["kind"]);
  }
  const { object, unknown } = decode(kind.type, value);
  const strict = strictMessage(strictWarnings(unknown, []));
  if (strict) throw new FieldRefusal(strict, unknown, (field) => `unknown field ${JSON.stringify(field)}`);
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
