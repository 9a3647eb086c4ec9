// The discovery documents: APIVersions, APIGroupList, APIGroup, APIResourceList and the aggregated APIGroupDiscoveryList.
import { groupVersion } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type Group, groupsOf, type RemoteVersion, type VersionKinds } from "./groups.ts";
import { type ApiResource, resourcesOf } from "./resources.ts";

/** Builds the document of `/api`. */
export function apiVersions(serverAddress: string) {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** Builds the document of `/apis`. */
export function apiGroupList(kinds: readonly Kind[], remote: readonly RemoteVersion[] = []) {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groupsOf(kinds, remote)
      .filter((group) => group.name !== "")
      .map(groupEntry),
  };
}

/** Builds the document of `/apis/<group>`. */
export function apiGroup(kinds: readonly Kind[], name: string, remote: readonly RemoteVersion[] = []) {
  const group = name === "" ? undefined : groupsOf(kinds, remote).find((candidate) => candidate.name === name);
  return group && { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

/** Builds the document of `/api/v1` or `/apis/<group>/<version>`. */
export async function apiResourceList(kinds: readonly Kind[], group: string, version: string) {
  const members = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (members.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    // The core group's list has no apiVersion.
    ...(group ? { apiVersion: "v1" } : {}),
    groupVersion: groupVersion(group, version),
    resources: await resourcesOf(members),
  };
}

/** Builds the aggregated document of `/api` (the core group) or `/apis` (all others). */
export async function apiGroupDiscoveryList(
  kinds: readonly Kind[],
  core: boolean,
  version: string,
  remote: readonly RemoteVersion[] = [],
) {
  const groups = groupsOf(kinds, remote).filter((group) => (group.name === "") === core);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: await Promise.all(groups.map(aggregated)),
  };
}

function groupEntry(group: Group) {
  const versions = group.versions.map(({ version }) => ({ groupVersion: groupVersion(group.name, version), version }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

async function aggregated(group: Group) {
  return {
    metadata: group.name ? { name: group.name } : {},
    versions: await Promise.all(
      group.versions.map(async (versionKinds) => ({
        version: versionKinds.version,
        resources: aggregatedResources(
          await resourcesIn(versionKinds),
          versionKinds.kinds[0]?.custom ? versionKinds.kinds[0] : undefined,
        ),
        freshness: versionKinds.remote?.isStale ? "Stale" : "Current",
      })),
    ),
  };
}

async function resourcesIn({ kinds, remote }: VersionKinds): Promise<readonly ApiResource[]> {
  return remote ? remote.resources : resourcesOf(kinds);
}

/** Converts resources to the aggregated form. `of` is the default group and version. */
function aggregatedResources(all: readonly ApiResource[], of?: Pick<Kind, "group" | "version">) {
  return all
    .filter((resource) => !resource.name.includes("/"))
    .map((resource) => {
      const subresources = all
        .filter((subresource) => subresource.name.startsWith(`${resource.name}/`))
        .map((subresource) => ({
          subresource: subresource.name.slice(resource.name.length + 1),
          responseKind: responseKind(subresource, of),
          verbs: subresource.verbs,
        }));
      return {
        resource: resource.name,
        responseKind: responseKind(resource, of),
        scope: resource.namespaced ? "Namespaced" : "Cluster",
        singularResource: resource.singularName,
        verbs: resource.verbs,
        ...(resource.shortNames ? { shortNames: resource.shortNames } : {}),
        ...(resource.categories ? { categories: resource.categories } : {}),
        ...(subresources.length > 0 ? { subresources } : {}),
      };
    });
}

/**
 * Returns the response kind. Built-in resources leave out group and version if they equal the parent's; custom resources include them, as
 * upstream.
 */
function responseKind({ group, version, kind }: ApiResource, of = { group: "", version: "" }) {
  return { group: group ?? of.group, version: version ?? of.version, kind };
}
