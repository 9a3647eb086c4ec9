// The objects of a manifest in the cluster: built, created, updated by three-way patches, and deleted.
import { isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { readYamlDocuments } from "../../../../../shared/schema/yaml/read.ts";
import type { Cluster } from "../../../../kubectl/cluster/cluster.ts";
import { groupVersionOf, type Mapping, pathOf } from "../../../../kubectl/cluster/discovery.ts";
import { asError, isNotFound } from "../../../../kubectl/errors.ts";
import { ensure, isList, nameOf, namespaceOf, stringsAt, textOf } from "../../../../kubectl/object.ts";
import { typeNameOf } from "../../../../kubectl/types.ts";
import { mergePatchOf, threeWayStrategicPatch } from "../../../../kubectl/writes/patches.ts";

export interface Resource {
  readonly mapping: Mapping;
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
}

const keepPolicy = { key: "helm.sh/resource-policy", value: "keep" } as const;
const manager = { fieldManager: "helm" } as const;

/** Returns the objects of a manifest. Throws if the cluster does not serve a kind. */
export async function buildResources(cluster: Cluster, manifest: string, namespace: string): Promise<Resource[]> {
  const objects: JsonObject[] = [];
  const add = (value: unknown) => {
    if (!isObject(value)) return;
    if (!isList(value)) return void objects.push(value);
    if (Array.isArray(value.items)) value.items.forEach(add);
  };
  for (const { value } of readYamlDocuments(manifest)) add(value);
  const resources: Resource[] = [];
  const problems: string[] = [];
  for (const object of objects) {
    const [apiVersion, kind] = [textOf(object.apiVersion), textOf(object.kind)];
    const mapping = await cluster.kind(apiVersion, kind);
    if (!mapping) {
      problems.push(
        `resource mapping not found for name: ${JSON.stringify(nameOf(object))} namespace: ${JSON.stringify(namespaceOf(object))} from "": no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}\nensure CRDs are installed first`,
      );
      continue;
    }
    const place = mapping.namespaced ? namespaceOf(object) || namespace : "";
    if (place !== "") ensure(object, "metadata").namespace = place;
    resources.push({ mapping, namespace: place, name: nameOf(object), object });
  }
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`);
  return resources;
}

export function keyOf({ mapping, namespace, name }: Resource): string {
  return `${groupVersionOf(mapping)}/${mapping.kind}/${namespace}/${name}`;
}

export function resourceText({ mapping, namespace, name }: Resource): string {
  return `${mapping.kind} ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)}`;
}

/** Marks the objects as belonging to a release. */
export function markOwned(resources: readonly Resource[], release: string, namespace: string): void {
  for (const { object } of resources) {
    ensure(object, "metadata", "labels")["app.kubernetes.io/managed-by"] = "Helm";
    const annotations = ensure(object, "metadata", "annotations");
    annotations["meta.helm.sh/release-name"] = release;
    annotations["meta.helm.sh/release-namespace"] = namespace;
  }
}

export async function getResource(
  cluster: Cluster,
  { mapping, namespace, name }: Resource,
): Promise<JsonObject | undefined> {
  try {
    return await cluster.json(pathOf(mapping, namespace, name));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Returns the objects that exist already and belong to the release. Throws if one belongs to nobody or another release. */
export async function adoptable(
  cluster: Cluster,
  resources: readonly Resource[],
  release: string,
  namespace: string,
  takesOwnership: boolean,
): Promise<Resource[]> {
  const existing: Resource[] = [];
  for (const resource of resources) {
    const object = await getResource(cluster, resource);
    if (!object) continue;
    const problem = takesOwnership ? "" : ownershipProblem(object, release, namespace);
    if (problem !== "")
      throw new Error(`${resourceText(resource)} exists and cannot be imported into the current release: ${problem}`);
    existing.push(resource);
  }
  return existing;
}

function ownershipProblem(object: JsonObject, release: string, namespace: string): string {
  const labels = stringsAt(object, "metadata", "labels");
  const annotations = stringsAt(object, "metadata", "annotations");
  const check = (map: Readonly<Record<string, string>>, what: string, key: string, value: string) => {
    const actual = map[key];
    if (actual === undefined)
      return [`${what} validation error: missing key ${JSON.stringify(key)}: must be set to ${JSON.stringify(value)}`];
    if (actual === value) return [];
    return [
      `${what} validation error: key ${JSON.stringify(key)} must equal ${JSON.stringify(value)}: current value is ${JSON.stringify(actual)}`,
    ];
  };
  const problems = [
    ...check(labels, "label", "app.kubernetes.io/managed-by", "Helm"),
    ...check(annotations, "annotation", "meta.helm.sh/release-name", release),
    ...check(annotations, "annotation", "meta.helm.sh/release-namespace", namespace),
  ];
  return problems.length === 0 ? "" : ["invalid ownership metadata", ...problems].join("; ");
}

/** Joins errors like upstream's multierror. */
function joinedErrors(errors: readonly Error[]): Error {
  const lines = errors.map(({ message }) => `\t* ${message}`).join("\n");
  return new Error(`${errors.length} error${errors.length === 1 ? "" : "s"} occurred:\n${lines}\n\n`);
}

export async function createResource(cluster: Cluster, { mapping, namespace, object }: Resource): Promise<void> {
  await cluster.json(pathOf(mapping, namespace), { method: "POST", body: object, query: manager });
}

/** Creates all objects. All are tried; errors are reported together. */
export async function createResources(cluster: Cluster, resources: readonly Resource[]): Promise<void> {
  const errors: Error[] = [];
  for (const resource of resources) {
    try {
      await createResource(cluster, resource);
      if (resource.mapping.kind === "CustomResourceDefinition") cluster.forget();
    } catch (error) {
      errors.push(asError(error));
    }
  }
  if (errors.length > 0) throw joinedErrors(errors);
}

/** Returns undefined if nothing changes. */
async function patchFor(
  cluster: Cluster,
  before: Resource,
  target: Resource,
): Promise<{ type: string; patch: JsonObject } | undefined> {
  const type = typeNameOf(textOf(target.object.apiVersion), textOf(target.object.kind));
  if (type === undefined) {
    const patch = mergePatchOf(before.object, target.object);
    return Object.keys(patch).length === 0 ? undefined : { type: "application/merge-patch+json", patch };
  }
  const current = (await getResource(cluster, target)) ?? {};
  const patch = threeWayStrategicPatch(type, before.object, target.object, current);
  if (!patch || Object.keys(patch).length === 0) return undefined;
  return { type: "application/strategic-merge-patch+json", patch };
}

async function updateResource(cluster: Cluster, before: Resource, target: Resource, forces: boolean): Promise<void> {
  const path = pathOf(target.mapping, target.namespace, target.name);
  if (forces) {
    const current = await cluster.json(path);
    const metadata = ensure(target.object, "metadata");
    metadata.resourceVersion = isObject(current.metadata) ? current.metadata.resourceVersion : undefined;
    try {
      await cluster.json(path, { method: "PUT", body: target.object, query: manager });
      return;
    } catch (error) {
      throw new Error(`failed to replace object: ${asError(error).message}`);
    }
  }
  const change = await patchFor(cluster, before, target);
  if (!change) return;
  try {
    await cluster.json(path, {
      method: "PATCH",
      contentType: change.type,
      text: JSON.stringify(change.patch),
      query: manager,
    });
  } catch (error) {
    throw new Error(
      `cannot patch ${JSON.stringify(target.name)} with kind ${target.mapping.kind}: ${asError(error).message}`,
    );
  }
}

/** Creates, patches and deletes objects so that the cluster has the target instead of the original. Returns the created objects. */
export async function updateResources(
  cluster: Cluster,
  original: readonly Resource[],
  target: readonly Resource[],
  forces: boolean,
  created: Resource[],
): Promise<void> {
  const before = new Map(original.map((resource) => [keyOf(resource), resource]));
  const problems: string[] = [];
  for (const resource of target) {
    if (!(await getResource(cluster, resource))) {
      created.push(resource);
      await createResource(cluster, resource).catch((error: unknown) => {
        throw new Error(`failed to create resource: ${asError(error).message}`);
      });
      continue;
    }
    const earlier = before.get(keyOf(resource)) ?? original.find((item) => isSame(item, resource));
    if (!earlier) throw new Error(`no ${resource.mapping.kind} with the name ${JSON.stringify(resource.name)} found`);
    await updateResource(cluster, earlier, resource, forces).catch((error: unknown) =>
      problems.push(asError(error).message),
    );
  }
  if (problems.length > 0) throw new Error(problems.join(" && "));
  for (const resource of original) {
    if (target.some((item) => isSame(item, resource))) continue;
    const current = await getResource(cluster, resource).catch(() => undefined);
    if (!current || isKept(current)) continue;
    await deleteResource(cluster, resource, "Background").catch(() => undefined);
  }
}

/** Reports whether two entries are the same object, in any version of its kind. */
function isSame(a: Resource, b: Resource): boolean {
  return (
    a.mapping.group === b.mapping.group &&
    a.mapping.kind === b.mapping.kind &&
    a.namespace === b.namespace &&
    a.name === b.name
  );
}

export function isKept(object: JsonObject): boolean {
  return stringsAt(object, "metadata", "annotations")[keepPolicy.key]?.trim().toLowerCase() === keepPolicy.value;
}

async function deleteResource(
  cluster: Cluster,
  { mapping, namespace, name }: Resource,
  propagation: string,
): Promise<void> {
  await cluster.json(pathOf(mapping, namespace, name), {
    method: "DELETE",
    body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: propagation },
  });
}

/** Deletes all objects; missing ones are no error. Returns the errors. */
export async function deleteResources(
  cluster: Cluster,
  resources: readonly Resource[],
  propagation = "Background",
): Promise<Error[]> {
  const errors: Error[] = [];
  for (const resource of resources) {
    try {
      await deleteResource(cluster, resource, propagation);
    } catch (error) {
      if (!isNotFound(error)) errors.push(asError(error));
    }
  }
  return errors;
}
