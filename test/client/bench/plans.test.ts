// The plans that follow from a recording, their order, and how a run is compared with the run without faults.
import { describe, expect, test } from "vitest";
import { Comparison, type Outcome } from "../../../client/bench/comparison.ts";
import type { RecordedChange } from "../../../client/bench/history.ts";
import { type Plan, plansOf } from "../../../client/bench/plans.ts";
import type { FaultList } from "../../../client/index.ts";

const user = "sandbar-operator";
const foos = "foos.example.com";
const maps = "configmaps";

/** Changes with consecutive revisions. `by`: "operator", "user" or "controller". */
function changesOf(
  ...rows: readonly [string, "created" | "changed" | "deleted", string, string, RecordedChange["fields"]?][]
) {
  return rows.map(([by, change, resource, name, fields = []], at) => ({
    ...{ revision: at + 1, change, resource, kind: "", namespace: "default", name, fields, truncated: false },
    user: by === "operator" ? user : by === "user" ? "kubernetes-admin" : `system:${by}`,
    ...(by === "user" ? { auditId: `a${at}` } : {}),
    origin: change === "created" ? "create" : change === "deleted" ? "delete" : "update",
  })) as unknown as RecordedChange[];
}

const marked = [{ path: "metadata.deletionTimestamp", to: "2026-01-01T00:00:00Z" }];
const sized = (to: number) => [{ path: "spec.size", from: 1, to }];

const requests = [
  ["list", foos],
  ["watch", maps],
  ["create", maps],
  ["create", maps],
  ["create", maps],
  ["update", foos],
  ["create", "events"],
  ["update", "leases.coordination.k8s.io"],
].map(([verb, resource], at) => ({ number: at + 1, verb, resource })) as unknown as FaultList["injections"];

const recreation = changesOf(
  ["user", "created", foos, "a"],
  ["operator", "created", maps, "a"],
  ["controller", "created", maps, "other"],
  ["user", "changed", foos, "a", sized(3)],
  ["user", "changed", foos, "a", marked],
  ["operator", "deleted", maps, "a"],
  ["operator", "deleted", foos, "a"],
  ["user", "created", foos, "a"],
  ["operator", "created", maps, "a"],
  ["controller", "created", maps, "other-2"],
);

const titlesOf = (plans: readonly Plan[], word: string) =>
  plans.map(({ title }) => title).filter((title) => title.startsWith(word));

describe("the plans of a recording", () => {
  const plans = plansOf({ user, changes: recreation, requests });

  test("crash after each write of the operator, deletions first", () => {
    expect(titlesOf(plans, "crash")).toEqual([
      "crash after delete of configmaps a, deleted",
      "crash after delete of foos.example.com a, deleted",
      "crash after create of configmaps a, created",
      "crash after create of configmaps a, created (2)",
    ]);
  });

  test("restart with stale state at what the operator itself creates again, before anything else", () => {
    const [first, second] = titlesOf(plans, "restart");
    expect([first, second]).toEqual([
      "restart with foos.example.com a as before changed, when configmaps a is created (2)",
      "restart with foos.example.com a as of marked for deletion, when configmaps a is created (2)",
    ]);
  });

  test("hold stale state until the operator is at rest, not for a time", () => {
    const plan = plans.find(({ title }) => title.startsWith("restart"));
    expect(plan?.endsAtRest).toEqual(["stale"]);
    expect(plan?.faults.faults.map(({ name, end }) => [name, end])).toEqual([
      ["stale", undefined],
      ["crash", undefined],
    ]);
  });

  test("hide states between two changes, but not that an object waits for the operator to be deleted", () => {
    expect(titlesOf(plans, "miss")).toEqual([
      "miss foos.example.com a between created and changed",
      "miss foos.example.com a between changed and marked for deletion",
    ]);
  });

  test("refuse, delay and lose writes of each kind twice, but not leader election and events", () => {
    const refused = plans.flatMap(({ faults }) => faults.faults.filter(({ name }) => name === "refusal"));
    const kinds = new Set(
      refused.map(({ selector }) => `${String(selector?.verb)} ${selector?.resource} ${selector?.occurrence}`),
    );
    expect([...kinds]).toEqual(["create configmaps 1", "create configmaps 2", "update foos.example.com 1"]);
  });

  test("take each kind in turn", () => {
    expect(plans.slice(0, 4).map(({ title }) => title.split(" ")[0])).toEqual(["crash", "restart", "miss", "create"]);
  });
});

describe("a comparison", () => {
  const outcome = (more: Partial<Outcome> & { values?: Record<string, string> } = {}): Outcome => ({
    ...{ isQuiet: true, changes: recreation, broken: [], failedStep: undefined },
    state: new Map([["configmaps default/a", new Map(Object.entries(more.values ?? { "data.x": "1" }))]]),
    ...more,
  });
  const reference = outcome();

  test("finds nothing in a run like that without faults", () => {
    expect(new Comparison(reference, outcome(), []).problemsOf(outcome())).toEqual([]);
  });

  test("names the values, counts and invariants that differ", () => {
    const changes = [...recreation, ...changesOf(["operator", "deleted", maps, "a"])];
    const faulty = outcome({ changes, values: { "data.x": "2" }, isQuiet: false, broken: ["maps default/a true"] });
    expect(new Comparison(reference, outcome(), []).problemsOf(faulty)).toEqual([
      "the cluster does not become quiet",
      "configmaps default/a data.x: 2, not 1",
      "deleted configmaps default/a: 2 times, not 1",
      "an invariant does not hold: maps default/a true",
    ]);
  });

  test("does not count what an operator that misses a state rightly leaves out", () => {
    const comparison = new Comparison(reference, outcome(), []);
    const plan = plansOf({ user, changes: recreation, requests }).find(({ title }) => title.startsWith("miss"));
    expect(comparison.problemsOf(outcome({ changes: [] }), plan)).toEqual([]);
    expect(comparison.problemsOf(outcome({ changes: [] }))).toHaveLength(6);
  });

  test("masks values and counts that differ without faults, and those that a rule names", () => {
    const changes = [...recreation, ...changesOf(["operator", "deleted", maps, "a"])];
    const second = outcome({ changes, values: { "data.x": "2" } });
    expect(new Comparison(reference, second, []).problemsOf(outcome({ values: { "data.x": "3" } }))).toEqual([]);
    const byRule = new Comparison(reference, outcome(), ["configmaps */a data.*"]);
    expect(byRule.problemsOf(outcome({ values: { "data.x": "3" } }))).toEqual([]);
  });

  test("names a missing object once", () => {
    const missing = outcome({ state: new Map() });
    expect(new Comparison(reference, outcome(), []).problemsOf(missing)).toEqual(["configmaps default/a is missing"]);
  });
});
