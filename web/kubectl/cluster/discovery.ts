// Aggregated discovery: the groups, versions and resources that the server serves, and lookups by any of their names.
import type { Client } from "./client.ts";

export interface Mapping {
  readonly group: string;
  readonly version: string;
  /** The plural name. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** Reports whether this is the preferred version of its group. */
  readonly isPreferred: boolean;
}

export interface GroupVersions {
  readonly group: string;
  readonly versions: readonly string[];
}

export interface Discovery {
  readonly groups: readonly GroupVersions[];
  /** The resources in the server's order, the core group first. */
  readonly resources: readonly Mapping[];
}

interface WireResource {
  readonly resource: string;
  readonly responseKind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly scope: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface WireList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly { readonly version: string; readonly resources?: readonly WireResource[] }[];
  }[];
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

export async function discover(client: Client): Promise<Discovery> {
  // The server returns the type that the Accept header asks for.
  const [core, named] = (await Promise.all([
    client.json("/api", { accept }),
    client.json("/apis", { accept }),
  ])) as WireList[];
  const groups: GroupVersions[] = [];
  const resources: Mapping[] = [];
  for (const { metadata, versions = [] } of [...(core?.items ?? []), ...(named?.items ?? [])]) {
    const group = metadata?.name ?? "";
    groups.push({ group, versions: versions.map(({ version }) => version) });
    for (const [at, { version, resources: apiResources = [] }] of versions.entries()) {
      for (const apiResource of apiResources) resources.push(mappingOf(apiResource, group, version, at === 0));
    }
  }
  return { groups, resources };
}

function mappingOf(wire: WireResource, group: string, version: string, isPreferred: boolean): Mapping {
  const kind = wire.responseKind?.kind ?? wire.resource;
  return {
    group,
    version,
    resource: wire.resource,
    singular: wire.singularResource || kind.toLowerCase(),
    kind,
    namespaced: wire.scope === "Namespaced",
    shortNames: wire.shortNames ?? [],
    categories: wire.categories ?? [],
    verbs: wire.verbs ?? [],
    subresources: (wire.subresources ?? []).map(({ subresource }) => subresource),
    isPreferred,
  };
}

/** Returns the resource of `po`, `pods`, `Pod`, `deployments.apps`, `deployments.v1.apps` or `Deployment.v1.apps`. */
export function findResource({ resources }: Discovery, argument: string): Mapping | undefined {
  const text = argument.toLowerCase();
  const [name = "", second, ...rest] = text.split(".");
  const group = [second, ...rest].filter((label) => label !== undefined).join(".");
  const candidates: { group?: string; version?: string }[] = [];
  if (second !== undefined && rest.length > 0) candidates.push({ version: second, group: rest.join(".") });
  candidates.push(second === undefined ? {} : { group });
  for (const candidate of candidates) {
    const mapping = inGroup(resources, name, candidate);
    if (mapping) return mapping;
  }
  // `Pod.v1.` is a kind with an empty group.
  if (second !== undefined && rest.length === 1 && rest[0] === "")
    return inGroup(resources, name, { version: second, group: "" });
  return undefined;
}

function inGroup(all: readonly Mapping[], name: string, { group, version }: { group?: string; version?: string }) {
  const named = (mapping: Mapping) =>
    mapping.resource === name || mapping.singular === name || mapping.kind.toLowerCase() === name;
  const short = (mapping: Mapping) => mapping.shortNames.includes(name);
  const served = all.filter((mapping) => version === undefined || mapping.version === version);
  const within = (exact: boolean) =>
    served.filter(
      (mapping) => group === undefined || (exact ? mapping.group === group : mapping.group.startsWith(group)),
    );
  for (const exact of group ? [true, false] : [true]) {
    for (const is of [short, named]) {
      const matches = within(exact).filter(is);
      const preferred = matches.find(({ isPreferred }) => isPreferred) ?? matches[0];
      if (preferred) return preferred;
    }
  }
  return undefined;
}

/** Returns the resource of an object in exactly its version. */
export function findKind({ resources }: Discovery, apiVersion: string, kind: string): Mapping | undefined {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return resources.find((mapping) => mapping.kind === kind && mapping.version === version && mapping.group === group);
}

/** Formats the resource with its group: `deployments.apps`, or `pods` in the core group. */
export function groupResource({ group, resource }: Pick<Mapping, "group" | "resource">): string {
  return group ? `${resource}.${group}` : resource;
}

export function groupVersionOf({ group, version }: Pick<Mapping, "group" | "version">): string {
  return group ? `${group}/${version}` : version;
}

/** Returns the path of a request: `/apis/apps/v1/namespaces/default/deployments/web/scale`. */
export function pathOf(mapping: Mapping, namespace: string, name = "", subresource = ""): string {
  const base = mapping.group ? `/apis/${mapping.group}/${mapping.version}` : `/api/${mapping.version}`;
  const within = mapping.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const segments = [
    mapping.resource,
    ...(name ? [encodeURIComponent(name)] : []),
    ...(subresource ? [subresource] : []),
  ];
  return `${base}${within}/${segments.join("/")}`;
}
