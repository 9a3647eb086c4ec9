// When a request is reconciled again: after an error, after a bug, and at the controller's request.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import type { AdmissionPlugin } from "../../worker/registry/admission.ts";
import {
  type Controller,
  defineController,
  type ReconcileContext,
  self,
  watch,
} from "../../worker/runtime/controller.ts";
import { namespace, newBed } from "./bed.ts";

type Outcome = ReturnType<Controller["reconcile"]>;

/** Returns a ConfigMap and a controller with the given outcomes. */
function bedOf(reconcile: (context: ReconcileContext, run: number) => Outcome) {
  const attempts: number[] = [];
  const controller = defineController({
    name: "meddler",
    component: "test",
    watches: [self(configMaps)],
    reconcile(_, context) {
      attempts.push(context.attempts);
      return reconcile(context, attempts.length);
    },
  });
  const bed = newBed([controller]);
  bed.create(configMaps, "a");
  /** Drains, moves to the next due time, and returns the delay. */
  const next = () => {
    bed.drain();
    const dueMs = bed.now().runtime.nextDueMs();
    const afterMs = dueMs === undefined ? undefined : dueMs - bed.clock.nowMs();
    bed.clock.step(afterMs ?? 0);
    return afterMs;
  };
  return { bed, attempts, next };
}

const refuse = () => {
  throw ApiError.badRequest("no");
};

describe("a reconcile that fails", () => {
  test("Q11: is retried after 5 ms, doubling up to 1000 s", () => {
    const { next, attempts, bed } = bedOf(refuse);
    const waits = Array.from({ length: 40 }, next);
    expect(waits.slice(0, 8)).toEqual([5, 10, 20, 40, 80, 160, 320, 640]);
    expect(waits.slice(16, 20)).toEqual([327_680, 655_360, 1_000_000, 1_000_000]);
    expect(new Set(waits.slice(18))).toEqual(new Set([1_000_000]));
    expect(attempts.slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(bed.reports).toEqual([]);
  });

  test("Q11: starts at 5 ms again after a success", () => {
    const { next, attempts } = bedOf((_, run) => (run === 3 ? { afterMs: 1000 } : refuse()));
    expect(Array.from({ length: 5 }, next)).toEqual([5, 10, 1000, 5, 10]);
    expect(attempts).toEqual([0, 1, 2, 0, 1]);
  });

  test("Q11: keeps its attempts and its time over a restart", () => {
    const { next, attempts, bed } = bedOf(refuse);
    next();
    next();
    bed.reopen();
    expect([next(), attempts]).toEqual([20, [0, 1, 2]]);
  });

  test("Q1: is retried earlier if its object changes", () => {
    const { next, attempts, bed } = bedOf(refuse);
    for (let at = 0; at < 10; at++) next();
    bed.drain();
    bed.touch("a");
    expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs());
    bed.drain();
    expect(attempts).toHaveLength(12);
  });
});

describe("a reconcile with a bug", () => {
  test("Q11: is reported with its origin, and waits for a change", () => {
    const bug = new TypeError("a bug");
    const { next, attempts, bed } = bedOf(() => {
      throw bug;
    });
    expect(next()).toBeUndefined();
    expect(bed.reports).toEqual([{ error: bug, where: "meddler:default/a" }]);
    bed.touch("a");
    expect(next()).toBeUndefined();
    expect([attempts, bed.reports.length]).toEqual([[0, 0], 2]);
  });
});

describe("a reconcile that requests another run", () => {
  test("Q2: runs after at least that many whole milliseconds, and immediately for a time in the past", () => {
    const delays = [1000, 0.2, 999.001, -5];
    const { next } = bedOf((_, run) => (run <= delays.length ? { afterMs: delays[run - 1] ?? 0 } : undefined));
    // The last one runs within the drain in which it is due.
    expect(Array.from({ length: 4 }, next)).toEqual([1000, 1, 1000, undefined]);
  });

  test("Q3: finds its saved state once, also after a restart", () => {
    const states: (string | undefined)[] = [];
    const { next, bed } = bedOf(({ savedState }, run) => {
      states.push(savedState);
      return run === 1 ? { afterMs: 10, savedState: "seen" } : run < 4 ? { afterMs: 10 } : undefined;
    });
    next();
    bed.reopen();
    for (let at = 0; at < 3; at++) next();
    expect(states).toEqual([undefined, "seen", undefined, undefined]);
  });

  test("Q3: keeps its saved state after an error", () => {
    const states: (string | undefined)[] = [];
    const { next } = bedOf(({ savedState }, run) => {
      states.push(savedState);
      return run === 1 ? { afterMs: 10, savedState: "seen" } : run === 2 ? refuse() : undefined;
    });
    for (let at = 0; at < 3; at++) next();
    expect(states).toEqual([undefined, "seen", "seen"]);
  });

  test("Q5: determines the next due time, which is absent when nothing is left", () => {
    const { bed, next } = bedOf((_, run) => (run === 1 ? { afterMs: 70 } : undefined));
    // There is an unread change.
    expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs());
    expect([next(), next()]).toEqual([70, undefined]);
  });
});

describe("requests of a runtime", () => {
  test("Q5: without a change are due now, and a drain without a budget leaves them", () => {
    const { bed, next, attempts } = bedOf(() => undefined);
    next();
    bed.now().runtime.request("meddler", { namespace, name: "a" });
    expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs());
    expect([bed.drain(0), attempts.length, bed.drain(), attempts.length]).toEqual([0, 1, 1, 2]);
  });

  test("Q3: are dropped for a controller that no longer exists", () => {
    const { bed, next } = bedOf(() => ({ afterMs: 10 }));
    next();
    expect(bed.now().runtime.pending()).toHaveLength(1);
    bed.reopen([]);
    bed.drain();
    expect([bed.now().runtime.pending(), bed.reports, bed.now().runtime.nextDueMs()]).toEqual([[], [], undefined]);
  });
});

describe("a controller's writes", () => {
  test.each([
    [undefined, "system:serviceaccount:kube-system:meddler", "kube-controller-manager"],
    ["system:kube-scheduler", "system:kube-scheduler", "kube-scheduler"],
    ["system:node:one", "system:node:one", "kubelet"],
    ["system:apiserver", "system:apiserver", "kube-apiserver"],
    ["system:other", "system:other", "kube-controller-manager"],
  ])("Q12: as %j belong to %s, by %s, with the reconcile and the change that they react to", (user, name, manager) => {
    const controller = defineController({
      name: "meddler",
      component: "test",
      ...(user === undefined ? {} : { user }),
      watches: [self(configMaps, (next) => next?.metadata.name === "a")],
      reconcile(_, { client }) {
        client.create(configMaps, { metadata: { name: "made", namespace }, data: { a: "b" } });
        return undefined;
      },
    });
    const bed = newBed([controller]);
    const revision = Number(bed.create(configMaps, "a").metadata.resourceVersion);
    // This object is not reconciled.
    bed.create(configMaps, "b");
    bed.drain();
    const createdMap = bed.now().system.get(configMaps, namespace, "made");
    expect(createdMap?.metadata.managedFields?.map((managedFields) => managedFields.manager)).toEqual([manager]);
    const [row] = bed.sql.all<{ cause: string }>("SELECT cause FROM changes WHERE name = 'made'");
    expect(JSON.parse(row?.cause ?? "")).toEqual([name, "meddler:default/a", revision]);
  });

  test("Q12: have the groups of a service account, or those of an authenticated user", () => {
    const groups: string[][] = [];
    const deciding = (user?: string) =>
      defineController({
        name: user ?? "own",
        component: "test",
        ...(user === undefined ? {} : { user }),
        watches: [self(configMaps)],
        reconcile(_, { client }) {
          client.create(configMaps, { metadata: { generateName: "made-", namespace } });
          return undefined;
        },
      });
    const spy: AdmissionPlugin = { name: "Spy", validate: ({ userInfo }) => void groups.push([...userInfo.groups]) };
    const bed = newBed([deciding(), deciding("system:other")], [spy]);
    bed.now().runtime.request("own", { namespace, name: "a" });
    bed.now().runtime.request("system:other", { namespace, name: "a" });
    bed.drain(2);
    expect(groups).toEqual([
      ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
      ["system:authenticated"],
    ]);
  });
});

describe("the rows of a drain", () => {
  test("Q4: are only its cursor, once in two hundred revisions", () => {
    const reports: string[] = [];
    const controller = defineController({
      name: "listener",
      component: "test",
      watches: [
        watch(configMaps, function* (next) {
          reports.push(next?.metadata.name ?? "");
        }),
      ],
      reconcile: () => undefined,
    });
    const bed = newBed([controller]);
    bed.create(configMaps, "a");
    bed.drain();
    const cursors = () => bed.sql.all<{ value: string }>("SELECT value FROM meta WHERE key = 'cursor'")[0]?.value;
    let written = 0;
    for (let at = 0; at < 450; at++) {
      bed.touch("a");
      const before = { rows: bed.sql.rowsWritten(), cursor: cursors() };
      bed.drain();
      const rows = bed.sql.rowsWritten() - before.rows;
      if (cursors() === before.cursor) expect(rows).toBe(0);
      else written += rows;
    }
    expect(written).toBe(2);
    reports.length = 0;
    bed.reopen();
    bed.drain();
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.length).toBeLessThan(200);
  });
});

describe("a start task", () => {
  test("Q6: runs once, in the careful run, before anything is reconciled", () => {
    const done: string[] = [];
    const { bed } = bedOf(() => void done.push("reconciled"));
    const { runtime } = bed.now();
    runtime.addStartTask(() => done.push("first"));
    expect([runtime.isCareful(), runtime.drain(10)]).toEqual([true, 0]);
    bed.drain();
    expect(runtime.isCareful()).toBe(false);
    bed.drain();
    expect([done, runtime.nextDueMs()]).toEqual([["first", "reconciled"], undefined]);
    // It is due now, though nothing else is.
    runtime.addStartTask(() => done.push("second"));
    expect(runtime.nextDueMs()).toBe(bed.clock.nowMs());
    bed.drain();
    expect([done.at(-1), runtime.nextDueMs()]).toEqual(["second", undefined]);
  });
});

describe("the careful run after an opening", () => {
  test("Q6: has the requests that were due then, oldest first, and no later ones", () => {
    const done: string[] = [];
    const waits: Record<string, number> = { a: 300, b: 100, c: 200, later: 1000 };
    const controller = defineController({
      name: "meddler",
      component: "test",
      watches: [self(configMaps)],
      reconcile({ name }) {
        done.push(name);
        return { afterMs: waits[name] ?? 0 };
      },
    });
    const bed = newBed([controller]);
    for (const name of Object.keys(waits)) bed.create(configMaps, name);
    bed.drain();
    done.length = 0;
    bed.clock.step(500);
    bed.reopen();
    const { runtime } = bed.now();
    const named: string[] = [];
    for (let next = runtime.nextCareful(); next; next = runtime.nextCareful()) {
      named.push(next.name);
      runtime.reconcileCarefully();
    }
    expect([named, done]).toEqual([
      ["b", "c", "a"],
      ["b", "c", "a"],
    ]);
    bed.clock.step(500);
    expect(runtime.isCareful()).toBe(false);
    runtime.drain(100);
    expect(done).toContain("later");
  });
});

describe("the work of a reconcile", () => {
  test("B2: is counted for each one separately, so that many small ones run once each", () => {
    const runs: string[] = [];
    const controller = defineController({
      name: "copier",
      component: "test",
      watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("of-") === false)],
      reconcile({ name }, { client }) {
        runs.push(name);
        for (let at = 0; at < 4; at++) {
          const createdName = `of-${name}-${at}`;
          if (!client.get(configMaps, namespace, createdName))
            client.create(configMaps, { metadata: { name: createdName, namespace } });
        }
        return undefined;
      },
    });
    const bed = newBed([controller]);
    const names = Array.from({ length: 60 }, (_, at) => `n${at}`);
    for (const name of names) bed.create(configMaps, name);
    bed.settle();
    expect(runs).toEqual(names);
  });

  test("B2: does not stop it after many reads without a write, since it would start from the same state", () => {
    let runs = 0;
    const controller = defineController({
      name: "reader",
      component: "test",
      watches: [self(configMaps, (next) => next?.metadata.name === "a")],
      reconcile(_, { client }) {
        runs++;
        for (let at = 0; 3 * at < 2 * limits.maxReconcileWork; at++) client.get(configMaps, namespace, "a");
        client.create(configMaps, { metadata: { name: "made", namespace } });
        return undefined;
      },
    });
    const bed = newBed([controller]);
    bed.create(configMaps, "a");
    bed.settle();
    expect([runs, bed.now().system.get(configMaps, namespace, "made")?.metadata.name]).toEqual([1, "made"]);
  });
});

test("Q8: the memory of a running controller can be read, and another controller has none", () => {
  const remembering = (name: string) =>
    defineController({ name, component: "test", memory: () => [name], watches: [], reconcile: () => undefined });
  const controller = remembering("one");
  const { runtime } = newBed([controller]).now();
  expect([runtime.memoryOf(controller), runtime.memoryOf(remembering("two"))]).toEqual([["one"], undefined]);
});
