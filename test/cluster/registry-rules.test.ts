// Rules of the registry, tested on every object of an idle cluster and on every kind.
import { describe, expect, test } from "vitest";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { act } from "../../worker/registry/act.ts";
import { create } from "../../worker/registry/create.ts";
import { remove } from "../../worker/registry/delete.ts";
import type { Actor } from "../../worker/registry/registry.ts";
import { update } from "../../worker/registry/update.ts";
import { type TestCluster, newCluster } from "../cluster.ts";

const actor: Actor = { user: { name: "admin", groups: ["system:masters"] }, origin: "test", manager: "test" };
const where = { namespace: "default", name: "web", subresource: "" };

/** With one of most kinds, all at rest. */
function atRest(): TestCluster {
  const cluster = newCluster();
  cluster.apply(deployments, webDeployment());
  cluster.apply(services, {
    metadata: { namespace: "default", name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  cluster.runUntilQuiet();
  return cluster;
}

function webDeployment() {
  const labels = { app: "web" };
  return {
    metadata: { namespace: "default", name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx" }] } },
    },
  };
}

interface Stored {
  readonly kind: Kind;
  readonly object: KubeObject & { readonly status?: object; readonly spec?: object };
}

function everything({ client }: TestCluster): Stored[] {
  return client.kinds().flatMap((kind) => client.list(kind).map((object) => ({ kind, object })));
}

function targetOf({ metadata }: KubeObject, subresource = "") {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "", subresource };
}

/** The error that a write ends in; it must. */
function refusalOf(write: () => unknown): ApiError {
  try {
    write();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("R1: the generation of an object", () => {
  function generationAfter(change: (draft: Deployment) => void): number | undefined {
    const cluster = newCluster({ controllers: [] });
    cluster.apply(deployments, webDeployment());
    cluster.edit(deployments, "default", "web", change);
    return cluster.get(deployments, "default", "web").metadata.generation;
  }

  test("starts at 1 for any value from the client", () => {
    const cluster = newCluster({ controllers: [] });
    const created = cluster.apply(deployments, {
      ...webDeployment(),
      metadata: { ...webDeployment().metadata, generation: 9 },
    });
    expect(created.metadata.generation).toBe(1);
  });

  test.for<[string, (draft: Deployment) => void, number]>([
    [
      "the spec",
      ({ spec }) => {
        spec.replicas = 5;
      },
      2,
    ],
    [
      "a field of the template",
      ({ spec }) => {
        spec.template.spec.priorityClassName = "";
        spec.template.spec.hostname = "h";
      },
      2,
    ],
    [
      "a label",
      ({ metadata }) => {
        metadata.labels = { a: "b" };
      },
      1,
    ],
    [
      "a finalizer",
      ({ metadata }) => {
        metadata.finalizers = ["test.dev/x"];
      },
      1,
    ],
    [
      "an annotation, which rollout tools write to be observed",
      ({ metadata }) => {
        metadata.annotations = { a: "b" };
      },
      2,
    ],
    [
      "the generation itself",
      ({ metadata }) => {
        metadata.generation = 7;
      },
      1,
    ],
    [
      "the status",
      ({ status }) => {
        status.replicas = 3;
      },
      1,
    ],
    ["nothing", () => undefined, 1],
    [
      "a default spelled out",
      ({ spec }) => {
        spec.progressDeadlineSeconds = 600;
      },
      1,
    ],
  ])("rises after a change of %s only as upstream's does", ([, change, expected]) => {
    expect(generationAfter(change)).toBe(expected);
  });

  test("does not rise with a status write or a binding, and rises once when the object is marked for deletion", () => {
    const cluster = newCluster({ controllers: [] });
    cluster.apply(deployments, webDeployment());
    const stored = cluster.get(deployments, "default", "web");
    cluster.client.updateStatus(deployments, { ...stored, status: { ...stored.status, replicas: 1 } });
    expect(cluster.get(deployments, "default", "web").metadata.generation).toBe(1);
    cluster.client.delete(deployments, "default", "web", { propagation: "Foreground" });
    cluster.client.delete(deployments, "default", "web", { propagation: "Foreground" });
    expect(cluster.get(deployments, "default", "web").metadata.generation).toBe(2);
    const restingCluster = atRest();
    expect(
      restingCluster.client.list(pods, { namespace: "default" }).map(({ metadata }) => metadata.generation),
    ).toEqual([1, 1]);
  });

  test("is absent for kinds without a spec", () => {
    const cluster = newCluster({ controllers: [] });
    expect(cluster.apply(configMaps, { metadata: { namespace: "default", name: "a" } }).metadata).not.toHaveProperty(
      "generation",
    );
  });
});

describe("R2: a refused or dry-run write", () => {
  const dryRun = { dryRun: true };

  test.for<[string, (cluster: TestCluster) => unknown]>([
    [
      "create",
      ({ registry }) =>
        create(
          registry,
          configMaps,
          "default",
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
          actor,
          dryRun,
        ),
    ],
    ["update", (cluster) => update(cluster.registry, deployments, where, scaled(cluster, 9), actor, dryRun)],
    [
      "status",
      (cluster) =>
        update(
          cluster.registry,
          deployments,
          { ...where, subresource: "status" },
          { ...scaled(cluster, 9), status: {} },
          actor,
          dryRun,
        ),
    ],
    ["delete", ({ registry }) => remove(registry, deployments, "default", "web", {}, actor, dryRun)],
    [
      "delete in the foreground",
      ({ registry }) => remove(registry, deployments, "default", "web", { propagation: "Foreground" }, actor, dryRun),
    ],
    [
      "eviction",
      (cluster) => {
        const pod = firstPod(cluster);
        const body = { metadata: { name: pod.name } };
        act(cluster.registry, pods, { ...pod, subresource: "eviction" }, body, actor, dryRun);
      },
    ],
  ])("changes nothing as a dry run: %s", ([, write]) => {
    const cluster = atRest();
    const { revision } = cluster.registry.store;
    write(cluster);
    expect(cluster.registry.store.revision).toBe(revision);
    cluster.runUntilQuiet();
    expect(cluster.registry.store.revision).toBe(revision);
  });

  test("allocates neither address nor name as a dry run", () => {
    const cluster = newCluster({ controllers: [] });
    const spec = { ports: [{ port: 80 }], clusterIP: "10.96.7.7" };
    const draft = () =>
      structuredClone({ apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec, status: {} }) as never;
    create(cluster.registry, services, "default", draft(), actor, dryRun);
    expect(create(cluster.registry, services, "default", draft(), actor).spec.clusterIP).toBe("10.96.7.7");
  });

  test.for<[string, number, (cluster: TestCluster) => unknown]>([
    ["an invalid update", 422, (cluster) => update(cluster.registry, deployments, where, scaled(cluster, -1), actor)],
    ["a create of an existing object", 409, (cluster) => cluster.apply(deployments, webDeployment())],
    ["a delete of an absent object", 404, ({ client }) => client.delete(configMaps, "default", "none")],
    ["a delete of another uid", 409, ({ client }) => client.delete(deployments, "default", "web", { uid: "other" })],
    [
      "an update in an absent namespace",
      404,
      ({ client }) => client.update(configMaps, { metadata: { namespace: "none", name: "a" } }),
    ],
  ])("changes nothing if it is refused: %s", ([, code, write]) => {
    const cluster = atRest();
    const { revision } = cluster.registry.store;
    expect(refusalOf(() => write(cluster)).code).toBe(code);
    expect(cluster.registry.store.revision).toBe(revision);
  });

  test("changes nothing if admission refuses it at any step", () => {
    for (const step of ["mutate", "validate"] as const) {
      const cluster = atRest();
      const refuse = () => {
        throw ApiError.internal("no");
      };
      const registry = {
        ...cluster.registry,
        plugins: () => [...cluster.registry.plugins(), { name: "Refuse", [step]: refuse }],
      };
      const { revision } = registry.store;
      expect(refusalOf(() => update(registry, deployments, where, scaled(cluster, 9), actor)).code).toBe(500);
      if (step === "validate")
        expect(refusalOf(() => remove(registry, deployments, "default", "web", {}, actor)).code).toBe(500);
      expect(registry.store.revision).toBe(revision);
    }
  });

  function scaled(cluster: TestCluster, replicas: number): Deployment {
    const draft = structuredClone(cluster.get(deployments, "default", "web"));
    draft.spec.replicas = replicas;
    return draft;
  }

  function firstPod({ client }: TestCluster) {
    const [first] = client.list(pods, { namespace: "default" });
    return { namespace: "default", name: first?.metadata.name ?? "" };
  }
});

describe("R3: resource versions", () => {
  test("an update without changes writes nothing", () => {
    const cluster = atRest();
    const { revision } = cluster.registry.store;
    const all = everything(cluster);
    expect(new Set(all.map(({ kind }) => kind.kind)).size).toBeGreaterThan(11);
    for (const { kind, object } of all) {
      for (const subresource of ["", ...("status" in kind.subresources ? ["status"] : [])]) {
        update(cluster.registry, kind, targetOf(object, subresource), structuredClone(object), actor);
        const label = `${kind.kind} ${object.metadata.name ?? ""} ${subresource}`;
        expect([label, cluster.registry.store.revision]).toEqual([label, revision]);
      }
    }
  });

  test("a stale resourceVersion is refused, for every kind and subresource", () => {
    const cluster = atRest();
    for (const { kind, object } of everything(cluster)) {
      for (const subresource of ["", ...("status" in kind.subresources ? ["status"] : [])]) {
        const draft = structuredClone(object);
        draft.metadata.resourceVersion = "1";
        if (object.metadata.resourceVersion === "1") continue;
        const error = refusalOf(() => update(cluster.registry, kind, targetOf(object, subresource), draft, actor));
        expect([kind.kind, error.code, error.reason]).toEqual([kind.kind, 409, "Conflict"]);
      }
    }
  });
});

describe("R4: an object with finalizers or a grace period", () => {
  test("is marked for deletion and removed with its last finalizer", () => {
    const cluster = newCluster({ controllers: [] });
    const held = (finalizers: string[]) => ({ metadata: { namespace: "default", name: "a", finalizers } });
    cluster.apply(configMaps, held(["test.dev/a", "test.dev/b"]));
    cluster.client.delete(configMaps, "default", "a");
    const marked = cluster.get(configMaps, "default", "a").metadata;
    expect([marked.deletionTimestamp, marked.deletionGracePeriodSeconds]).toEqual([rfc3339(cluster.clock.nowMs()), 0]);
    cluster.clock.step(5000);
    cluster.client.delete(configMaps, "default", "a");
    expect(cluster.get(configMaps, "default", "a").metadata.deletionTimestamp).toBe(marked.deletionTimestamp);
    cluster.client.update(configMaps, held(["test.dev/b"]));
    expect(cluster.client.get(configMaps, "default", "a")).toBeDefined();
    cluster.client.update(configMaps, held([]));
    expect(cluster.client.get(configMaps, "default", "a")).toBeUndefined();
    expect(cluster.changes.at(-1)?.type).toBe("DELETED");
  });

  test("is removed only after both its grace period and its finalizers", () => {
    const cluster = newCluster({ controllers: [] });
    cluster.apply(serviceAccounts, { metadata: { namespace: "default", name: "default" } });
    cluster.apply(pods, {
      metadata: { namespace: "default", name: "p", finalizers: ["test.dev/a"] },
      spec: {
        nodeName: "node-1",
        containers: [{ name: "main", image: "nginx" }],
      },
    });
    cluster.client.delete(pods, "default", "p", { gracePeriodSeconds: 30 });
    cluster.client.delete(pods, "default", "p", { gracePeriodSeconds: 0 });
    expect(cluster.get(pods, "default", "p").metadata.deletionGracePeriodSeconds).toBe(0);
    cluster.edit(pods, "default", "p", ({ metadata }) => {
      delete metadata.finalizers;
    });
    expect(cluster.client.get(pods, "default", "p")).toBeUndefined();
  });

  test("is neither restored nor marked for deletion by an update", () => {
    const cluster = newCluster({ controllers: [] });
    cluster.apply(configMaps, { metadata: { namespace: "default", name: "a", finalizers: ["test.dev/a"] } });
    expect(
      refusalOf(() =>
        cluster.edit(configMaps, "default", "a", ({ metadata }) => {
          metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
        }),
      ).code,
    ).toBe(422);
    cluster.client.delete(configMaps, "default", "a");
    cluster.edit(configMaps, "default", "a", (draft) => {
      delete draft.metadata.deletionTimestamp;
      draft.data = { k: "v" };
    });
    expect(cluster.get(configMaps, "default", "a").metadata.deletionTimestamp).toBeDefined();
  });
});

describe("R5: the status subresource", () => {
  const withStatus = (cluster: TestCluster) => everything(cluster).filter(({ kind }) => "status" in kind.subresources);

  test("updates of the object leave its status unchanged, for every kind with a status", () => {
    const cluster = atRest();
    const all = withStatus(cluster);
    const coveredKinds = new Set(all.map(({ kind }) => kind.kind));
    for (const kind of ["Deployment", "ReplicaSet", "Pod", "Node", "Namespace", "Service"])
      expect(coveredKinds).toContain(kind);
    for (const { kind, object } of all) {
      const draft = { ...structuredClone(object), status: {} };
      draft.metadata.labels = { ...draft.metadata.labels, touched: "yes" };
      const stored: Stored["object"] = update(cluster.registry, kind, targetOf(object), draft, actor);
      expect([kind.kind, stored.status]).toEqual([kind.kind, object.status]);
      expect(stored.metadata.labels?.["touched"]).toBe("yes");
    }
  });

  test("updates of the status leave the spec unchanged; labels and annotations may change as upstream, except a Deployment's labels", () => {
    const cluster = atRest();
    for (const { kind, object } of withStatus(cluster)) {
      const draft = structuredClone(object) as KubeObject & { spec: unknown };
      draft.metadata.labels = { touched: "yes" };
      draft.metadata.generation = 77;
      if (kind.kind === "Deployment") (draft as unknown as Deployment).spec.replicas = 77;
      const stored: Stored["object"] = update(cluster.registry, kind, targetOf(object, "status"), draft, actor);
      expect([kind.kind, stored.spec, stored.metadata.generation]).toEqual([
        kind.kind,
        object.spec,
        object.metadata.generation,
      ]);
      if (kind.kind === "Deployment") expect(stored.metadata.labels).toEqual(object.metadata.labels);
    }
  });

  test("a create drops the status", () => {
    const cluster = newCluster({ controllers: [] });
    expect(cluster.apply(deployments, { ...webDeployment(), status: { replicas: 4 } }).status).toEqual({});
  });
});
