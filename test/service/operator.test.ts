// An operator's whole life against the real service, from outside the sandbox and under a service account of its own.
import { ApiextensionsV1Api, CoreV1Api, KubeConfig, RbacAuthorizationV1Api } from "@kubernetes/client-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Clients, type Dialect, clientsFor, codeOf } from "./operator/clients.ts";
import { type Site, definition, finalizer, group, operatorRules, plural, site } from "./operator/definition.ts";
import { type Meanwhile, type Operator, startOperator } from "./operator/operator.ts";
import { newSandbox } from "./sandbox.ts";

const namespace = "default";
const account = `system:serviceaccount:${namespace}:sites`;
const patience = { timeout: 30_000, interval: 200 };

describe.each<Dialect>(["json", "protobuf"])("an operator with %s", (dialect) => {
  test("creates the objects of its custom resources, reports status, follows changes and cleans up", async () => {
    const { admin, sites, start } = await installed(dialect);
    await start("first");
    await sites.create(site("blog", { replicas: 2, greeting: "hi" }));
    await expect.poll(() => sites.ready("blog"), patience).toEqual(["True", 2, 1]);
    expect((await sites.get("blog")).metadata.finalizers).toEqual([finalizer]);
    const createdMap = await admin.core.readNamespacedConfigMap({ namespace, name: "blog" });
    expect(createdMap.data).toEqual({ greeting: "hi" });
    expect(await sites.columns()).toEqual([["blog", 2, "Complete"]]);
    const reconciledEvents = await admin.events.listNamespacedEvent({ namespace, fieldSelector: "reason=Created" });
    const about = reconciledEvents.items.filter(({ regarding }) => regarding?.kind === "Site");
    expect(about.map(({ note, reportingInstance }) => [note, reportingInstance])).toEqual([
      ["Its Deployment was made", "first"],
    ]);

    await admin.custom.replaceNamespacedCustomObjectScale({
      ...sites.place("blog"),
      body: {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "blog", namespace },
        spec: { replicas: 3 },
      },
    });
    await expect.poll(() => sites.ready("blog"), patience).toEqual(["True", 3, 2]);

    await sites.remove("blog");
    await expect.poll(() => codeOf(sites.get("blog")), patience).toBe(404);
    await expect
      .poll(() => codeOf(admin.apps.readNamespacedDeployment({ namespace, name: "blog" })), patience)
      .toBe(404);
    await expect
      .poll(() => codeOf(admin.core.readNamespacedConfigMap({ namespace, name: "blog" })), patience)
      .toBe(404);
    const selected = () => admin.core.listNamespacedPod({ namespace, labelSelector: "site=blog" });
    await expect.poll(async () => (await selected()).items, patience).toEqual([]);
  });

  test("runs alone as the leader of two candidates, and the other takes over after its end", async () => {
    const { admin, sites, start } = await installed(dialect);
    const first = await start("first");
    await expect.poll(() => first.leads(), patience).toBe(true);
    const second = await start("second");
    await sites.create(site("blog", { replicas: 1 }));
    await expect.poll(() => sites.ready("blog"), patience).toEqual(["True", 1, 1]);
    expect([first.log, second.log]).toEqual([expect.arrayContaining(["adopted blog"]), []]);
    await first.stop();
    await expect.poll(() => second.leads(), patience).toBe(true);
    const lease = await admin.leases.readNamespacedLease({ namespace, name: "sites" });
    expect([lease.spec?.holderIdentity, lease.spec?.leaseTransitions]).toEqual(["second", 1]);
    await sites.remove("blog");
    await expect.poll(() => codeOf(sites.get("blog")), patience).toBe(404);
    expect(second.log).toContain("cleaned blog");
  });

  test("is limited to what its Role grants", async () => {
    const { start } = await installed(dialect);
    const { clients } = await start("first");
    await expect(clients.core.listNamespacedSecret({ namespace })).rejects.toMatchObject({
      code: 403,
      body: expect.stringContaining(
        `secrets is forbidden: User \\"${account}\\" cannot list resource \\"secrets\\" in API group \\"\\" in the namespace \\"default\\"`,
      ),
    });
    const elsewhere = { group, version: "v1", namespace: "kube-system", plural };
    expect(await codeOf(clients.custom.listNamespacedCustomObject(elsewhere))).toBe(403);
    expect(await codeOf(clients.apps.deleteNamespacedDeployment({ namespace, name: "none" }))).toBe(403);
    expect(
      await codeOf(clients.custom.createNamespacedCustomObject({ ...elsewhere, namespace, body: site("x", {}) })),
    ).toBe(403);
  });
});

test("an operator continues with the old version after its definition gets another", async () => {
  const { admin, config, sites, start } = await installed("protobuf");
  await start("first");
  await sites.create(site("old", { replicas: 1, motto: "kept" }));
  await expect.poll(() => sites.ready("old"), patience).toEqual(["True", 1, 1]);
  const extensions = config.makeApiClient(ApiextensionsV1Api);
  const name = `${plural}.${group}`;
  const before = await extensions.readCustomResourceDefinition({ name });
  const next = { ...before, spec: { ...before.spec, versions: definition({ second: true }).spec.versions } };
  await extensions.replaceCustomResourceDefinition({ name, body: next });
  const v2 = { group, version: "v2", namespace, plural };
  const served = () => codeOf(admin.custom.listNamespacedCustomObject(v2));
  await expect.poll(served, patience).toBe(200);
  const now: Site = await admin.custom.getNamespacedCustomObject({ ...v2, name: "old" });
  expect([now.apiVersion, now.spec.motto]).toEqual([`${group}/v2`, "kept"]);
  await expect
    .poll(async () => (await extensions.readCustomResourceDefinition({ name })).status?.storedVersions, patience)
    .toEqual(["v1", "v2"]);

  const body = { ...site("new", { replicas: 1 }), apiVersion: `${group}/v2` };
  await admin.custom.createNamespacedCustomObject({ ...v2, body });
  await expect.poll(() => sites.ready("new"), patience).toEqual(["True", 1, 1]);
});

test("an operator's conflicting write is refused and retried", async () => {
  const { admin, sites, start } = await installed("protobuf");
  const touches = { left: 1 };
  const operator = await start("first", async (name) => {
    if (touches.left-- <= 0) return;
    const now = await sites.get(name);
    const body = { ...now, metadata: { ...now.metadata, labels: { changed: "yes" } } };
    await admin.custom.replaceNamespacedCustomObject({ ...sites.place(name), body });
  });
  await sites.create(site("blog", { replicas: 1 }));
  await expect.poll(() => sites.ready("blog"), patience).toEqual(["True", 1, 1]);
  expect(operator.log).toEqual(expect.arrayContaining(["adopted blog", "conflict blog"]));
  const body = await sites.get("blog");
  expect(body.metadata.labels).toEqual({ changed: "yes" });
  const stale = { ...body, metadata: { ...body.metadata, resourceVersion: "1" } };
  await expect(
    admin.custom.replaceNamespacedCustomObject({ ...sites.place("blog"), body: stale }),
  ).rejects.toMatchObject({
    code: 409,
    body: expect.stringContaining(
      `Operation cannot be fulfilled on ${plural}.${group} \\"blog\\": the object has been modified; please apply your changes to the latest version and try again`,
    ),
  });
});

test("an operator's definition refuses objects that violate its schema and rules", async () => {
  const { sites } = await installed("json");
  await expect(sites.create(site("big", { replicas: 12 }))).rejects.toMatchObject({
    code: 422,
    body: expect.stringContaining("a site has fewer than ten replicas"),
  });
  await expect(sites.create(site("long", { greeting: "x".repeat(41) }))).rejects.toMatchObject({
    code: 422,
    body: expect.stringContaining("spec.greeting: Too long: may not be more than 40 bytes"),
  });
  await sites.create(site("plain", {}));
  expect((await sites.get("plain")).spec).toEqual({ replicas: 1 });
});

/** A sandbox with the definition, the operator's account and its Role, as the operator's bundle would install them. */
async function installed(dialect: Dialect) {
  const sandbox = await newSandbox();
  const config = new KubeConfig();
  config.loadFromFile(sandbox.kubeconfig);
  const admin = clientsFor(config, "json");
  const core = config.makeApiClient(CoreV1Api);
  const access = config.makeApiClient(RbacAuthorizationV1Api);
  const metadata = { name: "sites" };
  await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body: definition() });
  await core.createNamespacedServiceAccount({ namespace, body: { metadata } });
  await access.createNamespacedRole({ namespace, body: { metadata, rules: operatorRules } });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "sites" };
  const subjects = [{ kind: "ServiceAccount", name: "sites", namespace }];
  await access.createNamespacedRoleBinding({ namespace, body: { metadata, roleRef, subjects } });
  const body = { spec: { audiences: [], expirationSeconds: 3600 } };
  const { status } = await core.createNamespacedServiceAccountToken({ name: "sites", namespace, body });
  const token = status?.token ?? "";
  const start = async (name: string, meanwhile?: Meanwhile): Promise<Operator> => {
    const operator = await startOperator(config, { name, token, dialect, meanwhile });
    onTestFinished(() => operator.stop());
    return operator;
  };
  const sites = sitesOf(admin, sandbox.fetch);
  await expect.poll(() => sites.served(), patience).toBe(200);
  return { admin, config, sites, start };
}

/** Sites as their user handles them. */
function sitesOf({ custom }: Clients, ask: (path: string, init?: RequestInit) => Promise<Response>) {
  const all = { group, version: "v1", namespace, plural };
  const place = (name: string) => ({ ...all, name });
  const get = async (name: string): Promise<Site> => custom.getNamespacedCustomObject(place(name));
  return {
    place,
    get,
    served: () => codeOf(custom.listNamespacedCustomObject(all)),
    create: (body: Site) => custom.createNamespacedCustomObject({ ...all, body }),
    remove: (name: string) => custom.deleteNamespacedCustomObject(place(name)),
    /** Returns the condition, the number of ready replicas, and the observed generation. */
    ready: async (name: string) => {
      const { status } = await get(name);
      return [status?.conditions?.[0]?.status, status?.readyReplicas, status?.observedGeneration];
    },
    columns: async () => {
      const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
      const table = await (await ask(`/apis/${group}/v1/namespaces/${namespace}/${plural}`, { headers })).json();
      return (table as { rows: { cells: unknown[] }[] }).rows.map(({ cells }) => cells);
    },
  };
}
