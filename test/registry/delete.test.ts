// Deletion: preconditions, grace, finalizers, and the behavior of kinds.
import { describe, expect, test } from "vitest";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { DeletionStrategy, Kind } from "../../worker/kinds/kind.ts";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import { type Bed, configMapKind, deploymentKind, newBed, refusal } from "./bed.ts";

const maps = configMapKind();
const held = ["x.io/y"];

/** Returns a kind with a default grace period of 30 seconds. */
function graceful(deletion: DeletionStrategy<Deployment> = {}): Kind<Deployment> {
  return deploymentKind({ deletion: { gracePeriodSeconds: (_object, requested) => requested ?? 30, ...deletion } });
}

function bedWith(kind: Kind, metadata: object = {}): Bed {
  const bed = newBed([kind]);
  bed.create(kind, { metadata: { name: "a", ...metadata } });
  return bed;
}

function marks(bed: Bed, kind: Kind) {
  const { deletionTimestamp, deletionGracePeriodSeconds } = bed.get(kind, "a")?.metadata ?? {};
  return [deletionTimestamp, deletionGracePeriodSeconds];
}

/** Returns type, version and deletion marks of the newest changes, oldest first. */
function lastMarks(bed: Bed, count: number) {
  return bed.changes.slice(-count).map(({ type, object: { metadata } }) => {
    return [type, metadata.resourceVersion, metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds];
  });
}

describe("R10: an immediate deletion", () => {
  test("removes an object without finalizers, and returns it unchanged", () => {
    const bed = bedWith(maps);
    const { object, removed } = bed.remove(maps, "a");
    expect([removed, object.metadata.name, object.metadata.resourceVersion]).toEqual([true, "a", "2"]);
    expect(object.metadata).not.toHaveProperty("deletionTimestamp");
    expect(bed.get(maps, "a")).toBeUndefined();
    expect(bed.changes.at(-1)?.type).toBe("DELETED");
  });

  test("changes nothing as a dry run", () => {
    for (const [kind, removed] of [
      [maps as Kind, true],
      [graceful() as Kind, false],
    ] as const) {
      const bed = bedWith(kind);
      expect(bed.remove(kind, "a", {}, { dryRun: true }).removed).toBe(removed);
      expect(bed.registry.store.revision).toBe(1);
    }
  });

  test("is a 404 in the group of the request for an absent object", () => {
    const bed = newBed([maps]);
    expect(refusal(() => bed.remove(maps as Kind, "a"))).toEqual([404, "NotFound", 'configmaps "a" not found']);
    const requestKind = { ...maps, groupResource: { group: "other.io", name: "configmaps" } } as unknown as Kind;
    expect(refusal(() => bed.remove(maps as Kind, "a", {}, { requestKind }))[2]).toBe(
      'configmaps.other.io "a" not found',
    );
  });

  test("is rejected by a kind that forbids it", () => {
    const kind = configMapKind({
      deletion: { refusal: ({ data }) => (data?.["keep"] ? "it is kept" : undefined) },
    });
    const bed = newBed([kind]);
    bed.create(kind, { metadata: { name: "a" }, data: { keep: "yes" } });
    bed.create(kind, { metadata: { name: "b" } });
    expect(refusal(() => bed.remove(kind as Kind, "a"))).toEqual([
      403,
      "Forbidden",
      'configmaps "a" is forbidden: it is kept',
    ]);
    expect(bed.remove(kind as Kind, "b").removed).toBe(true);
  });

  test.for<[string, DeleteQuery, string]>([
    [
      "uid",
      { uid: "u" },
      "the UID in the precondition (u) does not match the UID in record (UID). The object might have been deleted and then recreated",
    ],
    [
      "version",
      { resourceVersion: "9" },
      "the ResourceVersion in the precondition (9) does not match the ResourceVersion in record (1). The object might have been modified",
    ],
  ])("with another %s is a conflict", ([, query, why]) => {
    const bed = bedWith(maps);
    const { uid = "" } = bed.get(maps, "a")?.metadata ?? {};
    expect(refusal(() => bed.remove(maps as Kind, "a", query))).toEqual([
      409,
      "Conflict",
      `Operation cannot be fulfilled on ConfigMap "a": ${why.replace("UID)", `${uid})`)}`,
    ]);
    expect(bed.registry.store.revision).toBe(1);
    expect(bed.remove(maps as Kind, "a", { uid, resourceVersion: "1" }).removed).toBe(true);
  });

  test("has storage's conflict message for a kind with finalization", () => {
    const kind = configMapKind({ deletion: { finalization: { begin: () => undefined, done: () => true } } }) as Kind;
    const bed = bedWith(kind);
    const { uid = "" } = bed.get(kind, "a")?.metadata ?? {};
    const errorOf = (query: DeleteQuery) => refusal(() => bed.remove(kind, "a", query));
    const failed = (what: string, expected: string, actual: string) => [
      409,
      "Conflict",
      `Operation cannot be fulfilled on configmaps "a": Precondition failed: ${what} in precondition: ${expected}, ${what} in object meta: ${actual}`,
    ];
    expect(errorOf({ uid: "u" })).toEqual(failed("UID", "u", uid));
    expect(errorOf({ resourceVersion: "9" })).toEqual(failed("ResourceVersion", "9", "1"));
    expect(bed.remove(kind, "a", { uid, resourceVersion: "1" }).removed).toBe(true);
  });

  test("warns for a kind that orphans dependents by default if the request has no policy", () => {
    const kind = configMapKind({ deletion: { orphanWarning: "they stay" } }) as Kind;
    const bed = bedWith(kind);
    bed.remove(kind, "a", { propagation: "Background" }, { dryRun: true });
    expect(bed.warnings).toEqual([]);
    bed.remove(kind, "a");
    expect(bed.warnings).toEqual(["they stay"]);
  });
});

describe("R4: a delayed deletion", () => {
  const startMs = Date.UTC(2026, 0, 1);
  const at = (seconds: number) => rfc3339(startMs + seconds * 1000);

  test("marks the object with the end of its grace period", () => {
    const kind = graceful();
    const bed = bedWith(kind);
    const { object, removed } = bed.remove(kind, "a");
    expect(removed).toBe(false);
    expect(object).toEqual(bed.get(kind, "a"));
    expect(marks(bed, kind as Kind)).toEqual([at(30), 30]);
  });

  test.for<[string, number | undefined, number | undefined, readonly [string, number]]>([
    ["a shorter period moves the end forward", 30, 20, [at(20), 20]],
    ["a longer period changes nothing", 30, 40, [at(30), 30]],
    ["an equal period changes nothing", 30, 30, [at(30), 30]],
    ["no period changes nothing", 30, undefined, [at(30), 30]],
    ["a negative period is a second, and an expired one ends as soon as possible", 30, -5, [at(10), 1]],
    ["a grace period that is just over ends now, in the requested seconds", 30, 10, [at(10), 10]],
    ["a grace period that is over ends now, within a second", 30, 5, [at(10), 1]],
  ])("has the grace period of its options: %s", ([, first, then, expected]) => {
    const kind = graceful();
    const bed = bedWith(kind);
    bed.remove(kind, "a", first === undefined ? {} : { gracePeriodSeconds: first });
    bed.clock.step(10_000);
    const { removed } = bed.remove(kind, "a", then === undefined ? {} : { gracePeriodSeconds: then });
    expect(removed).toBe(false);
    expect(marks(bed, kind as Kind)).toEqual(expected);
  });

  test("with a grace period of 0 removes the object, which is returned as marked", () => {
    const kind = graceful();
    const bed = bedWith(kind);
    bed.remove(kind, "a");
    bed.clock.step(1000);
    const { object, removed } = bed.remove(kind, "a", { gracePeriodSeconds: 0 });
    expect(removed).toBe(true);
    expect(object.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: at(1),
      resourceVersion: "4",
    });
    expect(bed.get(kind, "a")).toBeUndefined();
    expect(lastMarks(bed, 3)).toEqual([
      ["MODIFIED", "2", at(30), 30],
      ["MODIFIED", "3", at(1), 0],
      ["DELETED", "4", at(1), 0],
    ]);
  });

  test("is immediate at a client's request", () => {
    const kind = graceful();
    const bed = bedWith(kind);
    const { object, removed } = bed.remove(kind, "a", { gracePeriodSeconds: 0 });
    expect([removed, object.metadata.deletionTimestamp, object.metadata.resourceVersion]).toEqual([true, at(0), "3"]);
    expect(object.metadata).not.toHaveProperty("finalizers");
    expect(lastMarks(bed, 2)).toEqual([
      ["MODIFIED", "2", at(0), 0],
      ["DELETED", "3", at(0), 0],
    ]);
  });

  test("with 0 seconds removes the object in one revision", () => {
    const kind = graceful();
    const bed = bedWith(kind, { finalizers: held });
    bed.remove(kind, "a", { gracePeriodSeconds: 0 });
    bed.edit(kind, "a", ({ metadata }) => {
      delete metadata.finalizers;
    });
    expect(lastMarks(bed, 2)).toEqual([
      ["MODIFIED", "2", at(0), 0],
      ["DELETED", "3", at(0), 0],
    ]);
  });

  test("keeps an object with finalizers after its grace period, and a repetition changes nothing", () => {
    const kind = graceful();
    const bed = bedWith(kind, { finalizers: held });
    expect(bed.remove(kind as Kind, "a", { gracePeriodSeconds: 0 }).removed).toBe(false);
    expect(marks(bed, kind as Kind)).toEqual([at(0), 0]);
    bed.clock.step(5000);
    expect(bed.remove(kind as Kind, "a", { gracePeriodSeconds: 0 }).removed).toBe(false);
    expect(marks(bed, kind as Kind)).toEqual([at(0), 0]);
    expect(bed.registry.store.revision).toBe(2);
  });

  test("changes nothing else during the grace period, and may change the policy afterwards", () => {
    const kind = graceful();
    const bed = bedWith(kind, { finalizers: held });
    bed.remove(kind, "a");
    const finalizers = () => bed.get(kind, "a")?.metadata.finalizers;
    bed.remove(kind, "a", { propagation: "Orphan" });
    bed.remove(kind, "a", { propagation: "Orphan", gracePeriodSeconds: 30 });
    expect(finalizers()).toEqual(held);
    bed.remove(kind, "a", { gracePeriodSeconds: 0 });
    bed.remove(kind, "a", { propagation: "Orphan" });
    expect(finalizers()).toEqual([...held, "orphan"]);
  });

  test("marks objects with finalizers with 0 seconds for a kind without grace", () => {
    const bed = bedWith(maps, { finalizers: held });
    expect(bed.remove(maps as Kind, "a", { gracePeriodSeconds: 7 }).removed).toBe(false);
    expect(marks(bed, maps as Kind)).toEqual([at(0), 0]);
    bed.clock.step(1000);
    bed.remove(maps, "a", { gracePeriodSeconds: 3 });
    expect(marks(bed, maps as Kind)).toEqual([at(0), 0]);
  });

  test("ends with the update that removes the last finalizer, and not with its dry run", () => {
    const bed = bedWith(maps, { finalizers: held });
    bed.remove(maps, "a");
    const release = (dryRun: boolean) =>
      bed.edit(
        maps,
        "a",
        ({ metadata }) => {
          delete metadata.finalizers;
        },
        { dryRun },
      );
    expect(release(true).metadata.name).toBe("a");
    expect(bed.get(maps, "a")).toBeDefined();
    expect(release(false).metadata.name).toBe("a");
    expect(bed.get(maps, "a")).toBeUndefined();
  });

  test("does not end with that update during its grace period", () => {
    const kind = graceful();
    const bed = bedWith(kind, { finalizers: held });
    bed.remove(kind, "a");
    bed.edit(kind, "a", ({ metadata }) => {
      delete metadata.finalizers;
    });
    expect(marks(bed, kind as Kind)).toEqual([at(30), 30]);
  });

  test("R1: raises the generation once, if there is one", () => {
    const kind = deploymentKind({
      raisesGeneration: () => false,
      deletion: { gracePeriodSeconds: (_object, requested) => requested ?? 30 },
    });
    const bed = bedWith(kind);
    bed.remove(kind, "a");
    bed.remove(kind, "a", { gracePeriodSeconds: 10 });
    expect(bed.get(kind, "a")?.metadata.generation).toBe(2);
    const without = graceful();
    const withoutGeneration = bedWith(without);
    withoutGeneration.remove(without, "a");
    expect(withoutGeneration.get(without, "a")?.metadata).not.toHaveProperty("generation");
  });

  test("has no grace period for a kind with finalization, notifies it each time, and removes the object when it is done", () => {
    const notifications: string[] = [];
    const kind = deploymentKind({
      deletion: {
        finalization: {
          begin: ({ metadata }) => {
            notifications.push("begin");
            metadata.labels = { state: "Terminating" };
          },
          again: () => void notifications.push("again"),
          done: ({ spec }) => spec.replicas === 0,
        },
      },
    });
    const bed = newBed([kind]);
    bed.create(kind, { metadata: { name: "a" }, spec: { replicas: 2 } });
    expect(bed.remove(kind as Kind, "a").removed).toBe(false);
    expect(marks(bed, kind as Kind)).toEqual([at(0), undefined]);
    expect(bed.get(kind, "a")?.metadata.labels).toEqual({ state: "Terminating" });
    bed.remove(kind, "a");
    expect(notifications).toEqual(["begin", "again"]);
    bed.edit(kind, "a", ({ spec }) => {
      spec.replicas = 0;
    });
    expect(bed.get(kind, "a")).toBeUndefined();
  });
});

describe("R4: finalizers for the propagation policy", () => {
  const after = (kind: Kind, finalizers: readonly string[], query: DeleteQuery) => {
    const bed = bedWith(kind, { finalizers });
    bed.remove(kind, "a", query);
    return bed.get(kind, "a")?.metadata.finalizers;
  };
  const orphaning = configMapKind({ deletion: { orphansDependents: true } }) as Kind;
  const emptied = configMapKind({ deletion: { finalization: { begin: () => undefined, done: () => false } } }) as Kind;

  test("are not changed by a repeated deletion of a kind with finalization", () => {
    const bed = bedWith(emptied);
    bed.remove(emptied, "a");
    bed.clock.step(1000);
    expect(bed.remove(emptied, "a").removed).toBe(false);
    expect(bed.registry.store.revision).toBe(2);
  });

  test.for<[string, Kind, readonly string[], DeleteQuery, readonly string[] | undefined]>([
    ["in the background", maps, held, {}, held],
    ["in the background, by name", maps, held, { propagation: "Background" }, held],
    ["orphaned", maps, held, { propagation: "Orphan" }, [...held, "orphan"]],
    ["in the foreground", maps, held, { propagation: "Foreground" }, [...held, "foregroundDeletion"]],
    ["orphaned with nothing else", maps, [], { propagation: "Orphan" }, ["orphan"]],
    ["by the object's finalizer, orphaned", maps, ["orphan"], {}, ["orphan"]],
    ["by the object's finalizer, in the foreground", maps, ["foregroundDeletion"], {}, ["foregroundDeletion"]],
    [
      "by the request against the object's finalizer",
      maps,
      [...held, "orphan"],
      { propagation: "Foreground" },
      [...held, "foregroundDeletion"],
    ],
    [
      "by the request, removing the object's finalizer",
      maps,
      [...held, "foregroundDeletion"],
      { propagation: "Background" },
      held,
    ],
    ["by the kind's default", orphaning, [], {}, ["orphan"]],
    ["by the request against the kind's default", orphaning, held, { propagation: "Background" }, held],
    ["for a kind with finalization", emptied, [], {}, undefined],
    [
      "for a kind with finalization, never orphaned",
      emptied,
      [],
      { deletesDependents: true, propagation: "Background" },
      ["foregroundDeletion"],
    ],
    ["for other kinds, not orphaned", maps, held, { deletesDependents: true, propagation: "Background" }, held],
  ])("are recorded: %s", ([, kind, finalizers, query, expected]) => {
    expect(after(kind, finalizers, query)).toEqual(expected);
  });
});
