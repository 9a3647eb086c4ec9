// Discovery against the facts of the API: every resource with every verb, but for those that are named here.
import { describe, expect, test } from "vitest";
import resources from "../../shared/schema/facts/kubernetes-resources.json" with { type: "json" };
import type { ApiResource } from "../../worker/api/discovery/resources.ts";
import { newServer } from "./server.ts";

/** What is not served yet. A line goes when its resource comes. */
const notServed: readonly string[] = ["apiextensions.k8s.io/v1/customresourcedefinitions"];

/** Off by default upstream: alpha and beta versions that have to be asked for. */
const offByDefault = /\/v\d+(alpha|beta)\d+\//;

/** Where the facts, which come from paths, say more than a server's discovery: what is computed cannot be watched. */
const fewerVerbs: Readonly<Record<string, readonly string[]>> = { "v1/componentstatuses": ["get", "list"] };

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
  test("is the facts, resource by resource and verb by verb", async () => {
    const served = await discovered();
    const expected = new Map(facts.filter((one) => !isMissing(nameOf(one))).flatMap(expectedOf));
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(expected));
  });

  test("lacks only what is named", async () => {
    const served = await discovered();
    const missing = facts.map(nameOf).filter((name) => !served.has(name) && !offByDefault.test(name));
    expect(missing.sort()).toEqual([...notServed].sort());
  });

  test("says the same in both its forms", async () => {
    const { ask } = newServer();
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const aggregated = await Promise.all(
      ["/api", "/apis"].map(async (path) => (await ask<Aggregated>("GET", path, { headers: { accept } })).body),
    );
    const names = aggregated.flatMap(({ items }) =>
      items.flatMap(({ metadata, versions }) =>
        versions.flatMap(({ version, resources: all }) =>
          all.flatMap((one) => {
            const name = [metadata.name, version, one.resource].filter(Boolean).join("/");
            return [name, ...(one.subresources ?? []).map(({ subresource }) => `${name}/${subresource}`)];
          }),
        ),
      ),
    );
    expect(names.sort()).toEqual([...(await discovered()).keys()].sort());
  });
});

interface Aggregated {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly {
        readonly resource: string;
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

interface Described {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** By `apps/v1/deployments` and `apps/v1/deployments/scale`. */
async function discovered(): Promise<Map<string, Described | readonly string[]>> {
  const { ask } = newServer({ controllers: [] });
  const { body } = await ask<{ groups: { versions: { groupVersion: string }[] }[] }>("GET", "/apis");
  const versions = ["v1", ...body.groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion))];
  const found = new Map<string, Described | readonly string[]>();
  for (const version of versions) {
    const path = version === "v1" ? "/api/v1" : `/apis/${version}`;
    const list = await ask<{ resources: ApiResource[] }>("GET", path);
    for (const one of list.body.resources) {
      const { name, kind, namespaced, verbs, shortNames, categories } = one;
      const own = { ...(shortNames ? { shortNames } : {}), ...(categories ? { categories } : {}) };
      found.set(`${version}/${name}`, name.includes("/") ? verbs : { kind, namespaced, verbs, ...own });
    }
  }
  return found;
}

function expectedOf(one: Facts): [string, Described | readonly string[]][] {
  const name = nameOf(one);
  const { kind, namespaced, shortNames, categories, subresources = {} } = one;
  const verbs = [...(fewerVerbs[name] ?? one.verbs)].sort();
  const own = { ...(shortNames ? { shortNames } : {}), ...(categories ? { categories } : {}) };
  return [
    [name, { kind, namespaced, verbs, ...own }],
    ...Object.entries(subresources).map(([subresource, methods]): [string, readonly string[]] => [
      `${name}/${subresource}`,
      methods.flatMap((method) => verbsOfMethods[method] ?? []).sort(),
    ]),
  ];
}

function nameOf({ group, version, resource }: Facts): string {
  return [group, version, resource].filter(Boolean).join("/");
}

function isMissing(name: string): boolean {
  return notServed.includes(name) || offByDefault.test(name);
}
