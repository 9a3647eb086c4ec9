// Compares discovery with the facts of the API: every resource with every verb.
import { describe, expect, test } from "vitest";
import resources from "../../shared/schema/facts/kubernetes-resources.json" with { type: "json" };
import type { ApiResource } from "../../worker/api/discovery/resources.ts";
import { newServer } from "./server.ts";

/** Alpha and beta versions that are off by default upstream. */
const offByDefault = /\/v\d+(alpha|beta)\d+\//;

/**
 * Resources for which the facts, which are derived from paths, have more verbs than a server's discovery: computed kinds cannot be watched.
 */
const fewerVerbs: Readonly<Record<string, readonly string[]>> = { "v1/componentstatuses": ["get", "list"] };

/** Additional groups that other clusters have as aggregated APIs. */
const beside: readonly string[] = ["metrics.k8s.io/v1beta1"];

interface Facts {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: Readonly<Record<string, readonly string[]>>;
}

const facts = resources as unknown as readonly Facts[];
const verbsOfMethods: Readonly<Record<string, string>> = {
  delete: "delete",
  get: "get",
  patch: "patch",
  post: "create",
  put: "update",
};

describe("discovery", () => {
  test("matches the recorded facts, resource by resource and verb by verb", async () => {
    const served = await discovered();
    const expected = new Map(facts.filter((apiFacts) => !offByDefault.test(nameOf(apiFacts))).flatMap(expectedOf));
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(expected));
  });

  test("lacks only what is off by default", async () => {
    const served = await discovered();
    const missing = facts.map(nameOf).filter((name) => !served.has(name) && !offByDefault.test(name));
    expect(missing).toEqual([]);
  });

  test("agrees in both forms and versions, resource by resource and verb by verb", async () => {
    const { ask } = newServer({ controllers: [] });
    const plain = Object.fromEntries([...(await lists())].map(([name, resource]) => [name, asAggregated(resource)]));
    for (const version of ["v2", "v2beta1"]) {
      const accept = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      const aggregatedResources: Record<string, unknown> = {};
      for (const path of ["/api", "/apis"]) {
        const { body } = await ask<Aggregated>("GET", path, { headers: { accept } });
        for (const { metadata, versions } of body.items) {
          for (const groupVersion of versions)
            Object.assign(aggregatedResources, resourcesIn(metadata.name ?? "", groupVersion));
        }
      }
      expect(aggregatedResources).toEqual(plain);
    }
  });

  test("has singular names from the kinds, and none for subresources", async () => {
    for (const [name, { singularName, kind }] of await lists()) {
      const isSub = facts.every((apiFacts) => nameOf(apiFacts) !== name);
      expect([name, singularName]).toEqual([name, isSub ? "" : kind.toLowerCase()]);
    }
  });

  test("gives stored resources the hash of their storage version, which versions of one kind share", async () => {
    const resourceLists = await lists();
    for (const [name, resource] of resourceLists) {
      const isStored = resource.verbs.includes("watch") && !name.endsWith("/status");
      expect([name, resource.storageVersionHash !== undefined]).toEqual([name, isStored]);
    }
    const hash = (name: string) => resourceLists.get(name)?.storageVersionHash;
    expect(hash("v1/pods")).toBe("xPOwRZ+Yhw8=");
    expect(hash("apps/v1/deployments")).toBe("8aSe+NMegvE=");
    expect(hash("autoscaling/v1/horizontalpodautoscalers")).toBe(hash("autoscaling/v2/horizontalpodautoscalers"));
    expect(hash("events.k8s.io/v1/events")).toBe(hash("v1/events"));
  });

  test("lists the groups in upstream's order of priority", async () => {
    const { ask } = newServer({ controllers: [] });
    const { body } = await ask<{ groups: { name: string }[] }>("GET", "/apis");
    const names = body.groups.map(({ name }) => name);
    const order = [
      ...["apiregistration.k8s.io", "apps", "events.k8s.io", "authentication.k8s.io", "authorization.k8s.io"],
      ...["autoscaling", "batch", "certificates.k8s.io", "networking.k8s.io", "policy", "rbac.authorization.k8s.io"],
      ...["storage.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io", "scheduling.k8s.io"],
      ...["coordination.k8s.io", "node.k8s.io", "discovery.k8s.io", "resource.k8s.io", "flowcontrol.apiserver.k8s.io"],
    ];
    expect(names.filter((name) => order.includes(name))).toEqual(order.filter((name) => names.includes(name)));
  });
});

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly AggregatedSubresource[];
}

interface AggregatedSubresource extends Pick<AggregatedResource, "responseKind" | "verbs"> {
  readonly subresource: string;
}

interface AggregatedVersion {
  readonly version: string;
  readonly resources: readonly AggregatedResource[];
}

interface Aggregated {
  readonly items: readonly { readonly metadata: { readonly name?: string }; readonly versions: AggregatedVersion[] }[];
}

/** Returns resources by name, in one form for both documents. */
function resourcesIn(group: string, { version, resources: all }: AggregatedVersion): Record<string, unknown> {
  const groupVersion = [group, version].filter(Boolean).join("/");
  if (beside.includes(groupVersion)) return {};
  return Object.fromEntries(
    all.flatMap(({ resource, subresources = [], ...rest }) => [
      [`${groupVersion}/${resource}`, rest],
      ...subresources.map(({ subresource, ...parentFields }) => [
        `${groupVersion}/${resource}/${subresource}`,
        { scope: rest.scope, singularResource: "", ...parentFields },
      ]),
    ]) as [string, unknown][],
  );
}

function asAggregated(resource: ApiResource): Omit<AggregatedResource, "resource"> {
  const { group = "", version = "", kind, namespaced, singularName, verbs, shortNames, categories } = resource;
  return {
    responseKind: { group, version, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singularName,
    verbs,
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
  };
}

interface Described {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Returns resources by `apps/v1/deployments` and `apps/v1/deployments/scale`. */
async function discovered(): Promise<Map<string, Described | readonly string[]>> {
  const all = [...(await lists())].map(([name, resource]): [string, Described | readonly string[]] => {
    const { kind, namespaced, verbs, shortNames, categories } = resource;
    const names = { ...(shortNames ? { shortNames } : {}), ...(categories ? { categories } : {}) };
    return [name, resource.name.includes("/") ? verbs : { kind, namespaced, verbs, ...names }];
  });
  return new Map(all);
}

/** Returns the resources of the plain lists by the same names. */
async function lists(): Promise<Map<string, ApiResource>> {
  const { ask } = newServer({ controllers: [] });
  const { body } = await ask<{ groups: { versions: { groupVersion: string }[] }[] }>("GET", "/apis");
  const versions = ["v1", ...body.groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion))];
  const resourcesByName = new Map<string, ApiResource>();
  for (const version of versions.filter((groupVersion) => !beside.includes(groupVersion))) {
    const path = version === "v1" ? "/api/v1" : `/apis/${version}`;
    const list = await ask<{ resources: ApiResource[] }>("GET", path);
    for (const resource of list.body.resources) resourcesByName.set(`${version}/${resource.name}`, resource);
  }
  return resourcesByName;
}

function expectedOf(apiFacts: Facts): [string, Described | readonly string[]][] {
  const name = nameOf(apiFacts);
  const { kind, namespaced, shortNames, categories, subresources = {} } = apiFacts;
  const verbs = [...(fewerVerbs[name] ?? apiFacts.verbs)].sort();
  const names = { ...(shortNames ? { shortNames } : {}), ...(categories ? { categories } : {}) };
  return [
    [name, { kind, namespaced, verbs, ...names }],
    ...Object.entries(subresources).map(([subresource, methods]): [string, readonly string[]] => [
      `${name}/${subresource}`,
      methods.flatMap((method) => verbsOfMethods[method] ?? []).sort(),
    ]),
  ];
}

function nameOf({ group, version, resource }: Facts): string {
  return [group, version, resource].filter(Boolean).join("/");
}
