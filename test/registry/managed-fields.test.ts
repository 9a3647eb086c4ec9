// Field ownership of writes: the managers of fields and their versions.
import { describe, expect, test } from "vitest";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { Conversion, Kind } from "../../worker/kinds/kind.ts";
import { create } from "../../worker/registry/create.ts";
import { emptyOf } from "../../worker/registry/managed-fields.ts";
import { update } from "../../worker/registry/update.ts";
import { actor, configMapKind, deploymentKind, draftOf, newBed } from "./bed.ts";

const otherActor = { ...actor, manager: "other" };

/** Returns each manager with its operation and fields. */
function managersOf({ metadata }: KubeObject) {
  return (metadata.managedFields ?? []).map(({ manager, apiVersion, operation, subresource, fieldsV1 }) =>
    [manager, operation, apiVersion, subresource ?? "", leaves(fieldsV1).join(" ")].join("|"),
  );
}

function leaves(fields: unknown, path = ""): string[] {
  const entries = Object.entries((fields ?? {}) as Record<string, unknown>);
  return entries.flatMap(([name, below]) => {
    const here = name === "." ? "" : `${path}${path ? "." : ""}${name.replace("f:", "")}`;
    if (here === "") return [];
    const inner = leaves(below, here);
    return inner.length > 0 ? inner : [here];
  });
}

describe("R11: managers of fields", () => {
  const maps = configMapKind();

  test("are the writers of new and changed fields, not of unchanged ones", () => {
    const bed = newBed([maps]);
    const created = bed.create(maps, { metadata: { name: "a" }, data: { x: "1", y: "1" } });
    expect(managersOf(created)).toEqual(["kubectl|Update|v1||data.x data.y"]);
    expect(created.metadata.managedFields?.[0]?.time).toBe(rfc3339(bed.clock.nowMs()));
    bed.clock.step(60_000);
    const changed = bed.edit(
      maps,
      "a",
      (draft) => {
        draft.data = { x: "1", y: "2" };
      },
      { actor: otherActor },
    );
    expect(managersOf(changed)).toEqual(["kubectl|Update|v1||data.x", "other|Update|v1||data.y"]);
    expect(changed.metadata.managedFields?.map(({ time }) => time)).toEqual([
      rfc3339(bed.clock.nowMs() - 60_000),
      rfc3339(bed.clock.nowMs()),
    ]);
  });

  test("are the writer for defaults, and nobody for changes by admission and the strategy", () => {
    const kind = configMapKind({
      defaults: (draft) => {
        draft.data = { defaulted: "yes", ...draft.data };
      },
      prepareForCreate: (draft) => {
        draft.data = { ...draft.data, prepared: "yes" };
      },
    });
    const plugin = {
      name: "Label",
      mutate: ({ object }: { object: KubeObject | undefined }) =>
        void (object && (object.metadata.labels = { a: "b" })),
    };
    const bed = newBed([kind], { plugins: () => [plugin] });
    const created = bed.create(kind, { metadata: { name: "a" } });
    expect(created).toMatchObject({ data: { defaulted: "yes", prepared: "yes" }, metadata: { labels: { a: "b" } } });
    expect(managersOf(created)).toEqual(["kubectl|Update|v1||data.defaulted"]);
  });

  test("are absent if no fields are set", () => {
    const bed = newBed([maps]);
    expect(bed.create(maps, { metadata: { name: "a" } }).metadata).not.toHaveProperty("managedFields");
    const emptied = bed.edit(maps, "a", ({ metadata }) => {
      metadata.managedFields = [];
    });
    expect(emptied.metadata).not.toHaveProperty("managedFields");
  });

  test("computed by an apply are used unchanged", () => {
    const bed = newBed([maps]);
    bed.create(maps, { metadata: { name: "a" }, data: { x: "1" } });
    const draft = draftOf(maps, { metadata: { name: "a" }, data: { x: "2" } });
    const target = { namespace: "default", name: "a", subresource: "" };
    const stored = update(bed.registry, maps, target, draft, actor, { managers: [] });
    expect(stored.metadata).not.toHaveProperty("managedFields");
  });

  test("are separate for a subresource, and cannot set the entries", () => {
    const kind = deploymentKind();
    const bed = newBed([kind]);
    bed.create(kind, { metadata: { name: "a" }, spec: { replicas: 1 } });
    const stored = bed.edit(
      kind,
      "a",
      ({ status, spec, metadata }) => {
        spec.replicas = 5;
        status.replicas = 2;
        metadata.managedFields = metadata.managedFields?.map((entry) => ({ ...entry, manager: "heir" }));
      },
      { subresource: "status", actor: otherActor },
    );
    expect(managersOf(stored)).toEqual([
      "kubectl|Update|apps/v1||spec.replicas",
      "other|Update|apps/v1|status|status.replicas",
    ]);
  });

  test("do not own fields that an endpoint resets: the status, except by its own endpoint", () => {
    const kind = deploymentKind();
    const bed = newBed([kind]);
    const created = bed.create(kind, { metadata: { name: "a" }, spec: { replicas: 1 }, status: { replicas: 3 } });
    expect(managersOf(created)).toEqual(["kubectl|Update|apps/v1||spec.replicas"]);
  });

  test("own the fields that the strategy keeps for other subresources", () => {
    const kind = deploymentKind({ subresourceStrategies: { scale: { prepareForUpdate: () => undefined } } });
    const bed = newBed([kind]);
    bed.create(kind, { metadata: { name: "a" }, spec: { replicas: 1 } });
    const change = (draft: Deployment) => {
      draft.status.replicas = 2;
    };
    expect(managersOf(bed.edit(kind, "a", change, { subresource: "scale", actor: otherActor }))).toContain(
      "other|Update|apps/v1|scale|status.replicas",
    );
  });

  test("do not own the reset fields that the kind defines", () => {
    const kind = deploymentKind({ resetFields: { "": ["spec.paused", "spec.replicas"], status: [] } });
    const bed = newBed([kind]);
    const value = { metadata: { name: "a" }, spec: { replicas: 1, paused: true, minReadySeconds: 4 } };
    expect(managersOf(bed.create(kind, value))).toEqual(["kubectl|Update|apps/v1||spec.minReadySeconds"]);
    const stored = bed.edit(
      kind,
      "a",
      ({ spec, status }) => {
        spec.replicas = 2;
        status.replicas = 2;
      },
      { subresource: "status", actor: otherActor },
    );
    expect(managersOf(stored)).toEqual([
      "kubectl|Update|apps/v1||spec.minReadySeconds",
      "other|Update|apps/v1|status|spec.replicas status.replicas",
    ]);
  });

  test("can be set by a writer of the object, or reset with an empty entry", () => {
    const bed = newBed([maps]);
    bed.create(maps, { metadata: { name: "a" }, data: { x: "1" } });
    const handed = bed.edit(maps, "a", ({ metadata }) => {
      metadata.managedFields = metadata.managedFields?.map((entry) => ({ ...entry, manager: "heir" }));
    });
    expect(managersOf(handed)).toEqual(["heir|Update|v1||data.x"]);
    const edited = bed.edit(maps, "a", ({ metadata }) => {
      metadata.managedFields = [{ manager: "broken" }];
      metadata.labels = { l: "1" };
    });
    expect(managersOf(edited)).toEqual(["heir|Update|v1||data.x", "kubectl|Update|v1||metadata.labels.l"]);
    const reset = bed.edit(maps, "a", ({ metadata }) => {
      metadata.managedFields = [{}];
    });
    expect(reset.metadata).not.toHaveProperty("managedFields");
    const later = bed.edit(maps, "a", (draft) => {
      draft.data = { x: "2" };
    });
    expect(later.metadata).not.toHaveProperty("managedFields");
  });

  test("are not reset by two entries of which one is empty", () => {
    const bed = newBed([maps]);
    bed.create(maps, { metadata: { name: "a" }, data: { x: "1" } });
    const stored = bed.edit(maps, "a", ({ metadata }) => {
      metadata.managedFields = [...(metadata.managedFields ?? []), {}];
      metadata.labels = { l: "1" };
    });
    expect(managersOf(stored)).toEqual(["kubectl|Update|v1||data.x metadata.labels.l"]);
  });

  test("are dropped in a version that is not served", () => {
    const bed = newBed([maps]);
    bed.create(maps, { metadata: { name: "a" }, data: { x: "1", y: "1" } });
    bed.edit(
      maps,
      "a",
      (draft) => {
        draft.data = { x: "1", y: "2" };
      },
      { actor: otherActor },
    );
    const stored = bed.edit(maps, "a", ({ metadata }) => {
      metadata.managedFields = metadata.managedFields?.map((entry) =>
        entry.manager === "other" ? { ...entry, apiVersion: "v0" } : entry,
      );
    });
    expect(managersOf(stored)).toEqual(["kubectl|Update|v1||data.x"]);
  });

  test("include apiVersion and kind for an empty object of a kind", () => {
    expect(emptyOf(maps as Kind)).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  });
});

describe("R3: versions of a kind with one stored version", () => {
  /** `old/v1` has the replicas of `apps/v1` in another field: `minReadySeconds`. */
  function versions() {
    const hub = deploymentKind();
    const swap = (apiVersion: string, { spec, ...object }: KubeObject & { spec?: Record<string, unknown> }) => {
      const { replicas, minReadySeconds, ...rest } = spec ?? {};
      const swapped = {
        ...rest,
        ...(replicas === undefined ? {} : { minReadySeconds: replicas }),
        ...(minReadySeconds === undefined ? {} : { replicas: minReadySeconds }),
      };
      return { ...object, apiVersion, spec: swapped };
    };
    const conversion: Conversion<Deployment> = {
      hub: hub,
      storageVersion: "v1",
      toStorage: (object) => swap("apps/v1", object as never),
      fromStorage: (stored) => swap("old/v1", stored) as unknown as Deployment,
    };
    const old: Kind<Deployment> = { ...deploymentKind({ conversion }), group: "old", apiVersion: "old/v1" };
    return { hub, old };
  }

  test("have managers in their own version, which lose fields that another version changes", () => {
    const { hub, old } = versions();
    const bed = newBed([hub, old]);
    bed.create(hub, { metadata: { name: "a" }, spec: { replicas: 3, minReadySeconds: 1 } });
    const read = old.conversion?.fromStorage(bed.get(hub, "a") as Deployment);
    expect(read).toMatchObject({ apiVersion: "old/v1", spec: { replicas: 1, minReadySeconds: 3 } });
    const draft = draftOf(old, { ...read, apiVersion: "apps/v1", spec: { ...read?.spec, replicas: 8 } });
    const target = { namespace: "default", name: "a", subresource: "" };
    const stored = update(bed.registry, old, target, draft, otherActor);
    expect(stored).toMatchObject({ apiVersion: "old/v1", spec: { replicas: 8, minReadySeconds: 3 } });
    expect(bed.get(hub, "a")).toMatchObject({ apiVersion: "apps/v1", spec: { replicas: 3, minReadySeconds: 8 } });
    expect(managersOf(stored)).toEqual(["kubectl|Update|apps/v1||spec.replicas", "other|Update|old/v1||spec.replicas"]);
    const { revision } = bed.registry.store;
    const again = structuredClone(stored);
    expect(update(bed.registry, old, target, again, otherActor)).toEqual(stored);
    expect(bed.registry.store.revision).toBe(revision);
    const back = bed.edit(hub, "a", ({ spec }) => {
      spec.replicas = 4;
    });
    expect(managersOf(back)).toEqual(["kubectl|Update|apps/v1||spec.replicas", "other|Update|old/v1||spec.replicas"]);
  });

  test("are the response's version for a dry run and a create", () => {
    const { hub, old } = versions();
    const bed = newBed([hub, old]);
    const value = () => draftOf(old, { metadata: { name: "a" }, spec: { replicas: 2 } });
    const tried = create(bed.registry, old, "default", value(), actor, { dryRun: true });
    expect(tried).toMatchObject({ apiVersion: "old/v1", spec: { replicas: 2 } });
    const created = create(bed.registry, old, "default", value(), actor);
    expect(created).toMatchObject({ apiVersion: "old/v1", spec: { replicas: 2 } });
    expect(bed.get(hub, "a")?.spec).toMatchObject({ minReadySeconds: 2 });
  });
});
