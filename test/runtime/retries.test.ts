// When a request is reconciled again: after a refusal, after a bug, and when its controller asked for it.
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

/** One ConfigMap, and a controller of it that does what it is told. */
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
  /** Does all that is due, and goes to when the next is: after how long. */
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

describe("a reconcile that is refused", () => {
  test("Q11: is tried again after 5 ms, twice as long each time, up to 1000 s", () => {
    const { next, attempts, bed } = bedOf(refuse);
    const waits = Array.from({ length: 40 }, next);
    expect(waits.slice(0, 8)).toEqual([5, 10, 20, 40, 80, 160, 320, 640]);
    expect(waits.slice(16, 20)).toEqual([327_680, 655_360, 1_000_000, 1_000_000]);
    expect(new Set(waits.slice(18))).toEqual(new Set([1_000_000]));
    expect(attempts.slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(bed.reports).toEqual([]);
  });

  test("Q11: begins at 5 ms again when it has come to an end between", () => {
    const { next, attempts } = bedOf((_, run) => (run === 3 ? { afterMs: 1000 } : refuse()));
    expect(Array.from({ length: 5 }, next)).toEqual([5, 10, 1000, 5, 10]);
    expect(attempts).toEqual([0, 1, 2, 0, 1]);
  });

  test("Q11: keeps its count and its time over a restart", () => {
    const { next, attempts, bed } = bedOf(refuse);
    next();
    next();
    bed.reopen();
    expect([next(), attempts]).toEqual([20, [0, 1, 2]]);
  });

  test("Q1: is tried earlier where its object changes meanwhile", () => {
    const { next, attempts, bed } = bedOf(refuse);
    for (let at = 0; at < 10; at++) next();
    bed.drain();
    bed.touch("a");
    expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs());
    bed.drain();
    expect(attempts).toHaveLength(12);
  });
});

describe("a reconcile that breaks off with a bug", () => {
  test("Q11: is reported with what it was about, and waits for a change", () => {
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

describe("a reconcile that asks to be run again", () => {
  test("Q2: is run no earlier, by whole milliseconds, and at once where that is past", () => {
    const asked = [1000, 0.2, 999.001, -5];
    const { next } = bedOf((_, run) => (run <= asked.length ? { afterMs: asked[run - 1] ?? 0 } : undefined));
    // The last is run within the drain that it was due in.
    expect(Array.from({ length: 4 }, next)).toEqual([1000, 1, 1000, undefined]);
  });

  test("Q3: finds the state that it saved, once, also after a restart", () => {
    const found: (string | undefined)[] = [];
    const { next, bed } = bedOf(({ savedState }, run) => {
      found.push(savedState);
      return run === 1 ? { afterMs: 10, savedState: "seen" } : run < 4 ? { afterMs: 10 } : undefined;
    });
    next();
    bed.reopen();
    for (let at = 0; at < 3; at++) next();
    expect(found).toEqual([undefined, "seen", undefined, undefined]);
  });

  test("Q3: a refusal leaves the saved state where it is", () => {
    const found: (string | undefined)[] = [];
    const { next } = bedOf(({ savedState }, run) => {
      found.push(savedState);
      return run === 1 ? { afterMs: 10, savedState: "seen" } : run === 2 ? refuse() : undefined;
    });
    for (let at = 0; at < 3; at++) next();
    expect(found).toEqual([undefined, "seen", "seen"]);
  });

  test("Q5: is waited for until then, and for nothing when nothing is left", () => {
    const { bed, next } = bedOf((_, run) => (run === 1 ? { afterMs: 70 } : undefined));
    // There is a change that nobody has read.
    expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs());
    expect([next(), next()]).toEqual([70, undefined]);
  });
});

describe("requests", () => {
  test("Q5: one that is made without a change is due now, and a drain without budget leaves it", () => {
    const { bed, next, attempts } = bedOf(() => undefined);
    next();
    bed.now().runtime.request("meddler", { namespace, name: "a" });
    expect(bed.now().runtime.nextDueMs()).toBe(bed.clock.nowMs());
    expect([bed.drain(0), attempts.length, bed.drain(), attempts.length]).toEqual([0, 1, 1, 2]);
  });

  test("Q3: those of a controller that is no longer there are let go, and disturb nobody", () => {
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
  ])(
    "Q12: as %j are those of %s, by %s, and say which reconcile made them and what it reacts to",
    (user, name, manager) => {
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
      const seen = Number(bed.create(configMaps, "a").metadata.resourceVersion);
      // Nobody is asked to look at this one.
      bed.create(configMaps, "b");
      bed.drain();
      const made = bed.now().system.get(configMaps, namespace, "made");
      expect(made?.metadata.managedFields?.map((one) => one.manager)).toEqual([manager]);
      const [row] = bed.sql.all<{ cause: string }>("SELECT cause FROM changes WHERE name = 'made'");
      expect(JSON.parse(row?.cause ?? "")).toEqual([name, "meddler:default/a", seen]);
    },
  );

  test("Q12: the groups of its user are a service account's, or those of who is authenticated", () => {
    const seen: string[][] = [];
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
    const spy: AdmissionPlugin = { name: "Spy", validate: ({ userInfo }) => void seen.push([...userInfo.groups]) };
    const bed = newBed([deciding(), deciding("system:other")], [spy]);
    bed.now().runtime.request("own", { namespace, name: "a" });
    bed.now().runtime.request("system:other", { namespace, name: "a" });
    bed.drain(2);
    expect(seen).toEqual([
      ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
      ["system:authenticated"],
    ]);
  });
});

describe("what a drain writes", () => {
  test("Q4: nothing but its place in the log, and that once in two hundred revisions; so an opening reads no more again", () => {
    const told: string[] = [];
    const controller = defineController({
      name: "listener",
      component: "test",
      watches: [
        watch(configMaps, function* (next) {
          told.push(next?.metadata.name ?? "");
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
    told.length = 0;
    bed.reopen();
    bed.drain();
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThan(200);
  });
});

describe("what is to be done first", () => {
  test("Q6: is done once, by the careful run, before anything is reconciled", () => {
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

describe("what is done carefully when a cluster is opened", () => {
  test("Q6: what was due then, the longest waiting first, and not what becomes due later", () => {
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

describe("how much one reconcile does", () => {
  test("B2: is counted for each anew: many small ones are done in one run each, whatever went before", () => {
    const runs: string[] = [];
    const controller = defineController({
      name: "copier",
      component: "test",
      watches: [self(configMaps, (next) => next?.metadata.name?.startsWith("of-") === false)],
      reconcile({ name }, { client }) {
        runs.push(name);
        for (let at = 0; at < 4; at++) {
          const made = `of-${name}-${at}`;
          if (!client.get(configMaps, namespace, made))
            client.create(configMaps, { metadata: { name: made, namespace } });
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

  test("B2: one that has read much and written nothing is let write: it would begin where it began before", () => {
    let runs = 0;
    const controller = defineController({
      name: "reader",
      component: "test",
      watches: [self(configMaps, (next) => next?.metadata.name === "a")],
      reconcile(_, { client }) {
        runs++;
        for (let at = 0; 3 * at < 2 * limits.workPerTurn; at++) client.get(configMaps, namespace, "a");
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

test("Q8: what a controller remembers is asked of the one that runs; of one that does not there is nothing", () => {
  const remembering = (name: string) =>
    defineController({ name, component: "test", memory: () => [name], watches: [], reconcile: () => undefined });
  const one = remembering("one");
  const { runtime } = newBed([one]).now();
  expect([runtime.memoryOf(one), runtime.memoryOf(remembering("two"))]).toEqual([["one"], undefined]);
});
