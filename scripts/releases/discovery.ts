// Compares the resources of a release's aggregated discovery document with the facts of the newest release.
import { isDeepStrictEqual } from "node:util";
import resources from "../../shared/schema/facts/kubernetes-resources.json" with { type: "json" };
import type { ReleaseTable, ResourceChanges } from "../../shared/schema/facts/releases/release-table.ts";
import type { ResourceFacts } from "../../worker/kinds/kind.ts";

export interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredResource[] }[];
  }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string; readonly verbs: readonly string[] }[];
}

/** The core group has a document of its own, and its resources are the same in all supported releases. */
export function resourceChanges(discovery: Discovery): ReleaseTable["resources"] {
  const discovered = new Map<string, DiscoveredResource>();
  for (const { metadata, versions } of discovery.items) {
    for (const { version, resources: served } of versions) {
      for (const resource of served) discovered.set(`${metadata.name ?? ""}/${version}/${resource.resource}`, resource);
    }
  }
  const changes: Record<string, ResourceChanges | null> = {};
  for (const facts of resources as unknown as readonly ResourceFacts[]) {
    // Unstable versions are not served by default.
    if (facts.group === "" || !/^v\d+$/.test(facts.version)) continue;
    const key = `${facts.group}/${facts.version}/${facts.resource}`;
    const resource = discovered.get(key);
    const change = resource ? changesOf(resource, facts) : null;
    if (change === null || Object.keys(change).length > 0) changes[key] = change;
  }
  return changes;
}

function changesOf(resource: DiscoveredResource, facts: ResourceFacts): ResourceChanges {
  const isSame = (a: readonly string[] = [], b: readonly string[] = []) =>
    isDeepStrictEqual([...a].sort(), [...b].sort());
  const removed = Object.keys(facts.subresources ?? {}).filter(
    (name) => !resource.subresources?.some(({ subresource }) => subresource === name),
  );
  const subresources = Object.entries(facts.subresources ?? {}).filter(([name]) => !removed.includes(name));
  return {
    ...(isSame(resource.verbs, facts.verbs) ? {} : { verbs: [...resource.verbs] }),
    ...(isSame(resource.shortNames, facts.shortNames) ? {} : { shortNames: [...(resource.shortNames ?? [])] }),
    ...(isSame(resource.categories, facts.categories) ? {} : { categories: [...(resource.categories ?? [])] }),
    ...(removed.length === 0 ? {} : { subresources: Object.fromEntries(subresources) }),
  };
}
