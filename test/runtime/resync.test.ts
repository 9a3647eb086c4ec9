// What becomes of a cluster whose informer's place in the log is compacted: everything there is is looked at in its place.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { leases } from "../../worker/kinds/coordination/lease.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import { type Controller, defineController, type Watch, watch } from "../../worker/runtime/controller.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { newBed } from "./bed.ts";

/** A kind that the runtime's registry does not begin with. */
const widgets: Kind = leases;

/** A controller that writes down what its mappers are told, and what it reconciles. */
function listener() {
  const told: string[] = [];
  const reconciled: string[] = [];
  const tells = (kind: Kind): Watch =>
    watch(kind, function* (next: KubeObject | undefined, previous: KubeObject | undefined) {
      const [was, is] = [previous, next].map((one) => one?.metadata.name ?? "nothing");
      told.push(`${kind.plural} ${was} > ${is}`);
      yield { namespace: "", name: `${kind.plural}/${next?.metadata.name ?? was}` };
    });
  const controller: Controller = defineController({
    name: "listener",
    component: "test",
    watches: [tells(configMaps), tells(secrets)],
    reconcile: ({ name }) => void reconciled.push(name),
  });
  const forget = () => {
    told.length = 0;
    reconciled.length = 0;
  };
  return { told, reconciled, controller, tells, forget };
}

describe("an informer whose place is compacted", () => {
  /** What was written and cut off before it was read: one came, one changed, one went, one stayed. */
  function missed() {
    const heard = listener();
    const bed = newBed([heard.controller]);
    for (const name of ["changed", "gone", "same"]) bed.create(configMaps, name);
    bed.create(secrets, "same");
    bed.create(serviceAccounts, "unwatched");
    bed.drain();
    heard.forget();
    bed.create(configMaps, "new");
    bed.touch("changed");
    bed.remove(configMaps, "gone");
    bed.compact();
    return { ...heard, bed };
  }
  const everything = ["configmaps/changed", "configmaps/new", "configmaps/same", "secrets/same"];

  test("Q10: its controllers remember nothing of before, since nobody told them what is gone", () => {
    const bed = newBed([
      defineController<Set<string>>({
        name: "remembers",
        component: "test",
        memory: () => new Set(),
        watches: [
          watch(configMaps, (next, previous, _client, memory: Set<string>) => {
            if (next) memory.add(next.metadata.name ?? "");
            else memory.delete(previous?.metadata.name ?? "");
            return next ? [{ namespace: "", name: "all" }] : [];
          }),
        ],
        reconcile: (_, { memory }) => void (remembered = [...memory].sort()),
      }),
    ]);
    let remembered: string[] = [];
    for (const name of ["gone", "same"]) bed.create(configMaps, name);
    bed.drain();
    expect(remembered).toEqual(["gone", "same"]);
    bed.remove(configMaps, "gone");
    bed.compact();
    bed.drain();
    expect(remembered).toEqual(["same"]);
  });

  test("Q10: has all there is of each watched kind looked at, once, as if it had just come", () => {
    const { bed, told, reconciled } = missed();
    bed.drain();
    expect(told.sort()).toEqual([
      "configmaps nothing > changed",
      "configmaps nothing > new",
      "configmaps nothing > same",
      "secrets nothing > same",
    ]);
    expect(reconciled.sort()).toEqual(everything);
    expect(bed.reports).toEqual([]);
  });

  test("Q10: the same when the cluster is opened again first; and it is done carefully, as all that was due then", () => {
    const { bed, reconciled } = missed();
    bed.reopen();
    expect(bed.now().runtime.isCareful()).toBe(true);
    expect(bed.now().runtime.drain(100)).toBe(0);
    bed.drain();
    expect(reconciled.sort()).toEqual(everything);
  });

  test("Q10: reads on from there, change by change, and looks at nothing twice", () => {
    const { bed, told, forget } = missed();
    bed.drain();
    forget();
    bed.drain();
    expect([told, bed.now().runtime.nextDueMs()]).toEqual([[], undefined]);
    bed.touch("same");
    bed.drain();
    expect(told).toEqual(["configmaps same > same"]);
  });

  test("Q10: keeps its new place, so that the next opening does not begin again", () => {
    const { bed, told, forget } = missed();
    // Nothing that it leaves waiting is written with it.
    bed.now().runtime.drain(100);
    forget();
    bed.reopen();
    expect(bed.now().runtime.nextDueMs()).toBeUndefined();
    bed.drain();
    expect(told).toEqual([]);
  });

  test("Q10: one exactly at the compacted revision has missed nothing and looks at nothing", () => {
    const heard = listener();
    const bed = newBed([heard.controller]);
    bed.create(configMaps, "a");
    bed.drain();
    heard.forget();
    bed.compact();
    bed.drain();
    expect(heard.told).toEqual([]);
    bed.create(configMaps, "b");
    bed.drain();
    expect(heard.told).toEqual(["configmaps nothing > b"]);
  });
});

test("Q9: what comes, changes and goes is told as what was and what is", () => {
  const heard = listener();
  const bed = newBed([heard.controller]);
  bed.create(configMaps, "a");
  bed.touch("a");
  bed.remove(configMaps, "a");
  bed.drain();
  expect(heard.told).toEqual(["configmaps nothing > a", "configmaps a > a", "configmaps a > nothing"]);
  expect(heard.reconciled).toEqual(["configmaps/a"]);
});

test("Q9: a kind that came at run time is watched as long as it changes, also when it is gone", () => {
  const heard = listener();
  const bed = newBed([
    { ...heard.controller, watches: [], watchesOf: (kind) => (kind === widgets ? [heard.tells(kind)] : []) },
  ]);
  const { catalogue } = bed.now().registry;
  catalogue.put("widgets", [widgets], widgets);
  bed.create(widgets, "a");
  bed.drain();
  bed.create(configMaps, "unwatched");
  bed.create(widgets, "b");
  catalogue.remove("widgets");
  bed.drain();
  expect(heard.told).toEqual(["leases nothing > a", "leases nothing > b"]);
  // One of that name that comes later is asked about anew.
  const other = { ...widgets };
  catalogue.put("widgets", [other], other);
  bed.create(widgets, "c");
  bed.drain();
  expect([heard.told.length, bed.reports]).toEqual([2, []]);
});

test("Q10: kinds that are watched because they are there are looked at as well, each once", () => {
  const heard = listener();
  const controller: Controller = {
    ...heard.controller,
    watches: [heard.tells(configMaps)],
    watchesOf: (kind) => (kind.resource === "secrets" ? [heard.tells(kind)] : []),
  };
  const bed = newBed([controller]);
  bed.create(configMaps, "a");
  bed.create(secrets, "b");
  bed.compact();
  bed.drain();
  expect(heard.told).toEqual(["configmaps nothing > a", "secrets nothing > b"]);
});

test("Q10: a kind that one controller always watches is not brought to another by chance", () => {
  const always = listener();
  const bed = newBed([
    always.controller,
    { ...listener().controller, name: "other", watches: [], watchesOf: () => [] },
  ]);
  bed.create(configMaps, "a");
  bed.drain();
  expect([always.told, bed.reports]).toEqual([["configmaps nothing > a"], []]);
});
