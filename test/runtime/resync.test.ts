// An informer whose cursor is compacted: all objects are mapped once.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { leases } from "../../worker/kinds/coordination/lease.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import { type Controller, defineController, type Watch, watch } from "../../worker/runtime/controller.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { newBed } from "./bed.ts";

/** A kind that the registry does not have at first. */
const widgets: Kind = leases;

/** Defines a controller that records its mappings and reconciles. */
function listener() {
  const mapped: string[] = [];
  const reconciled: string[] = [];
  const recordingWatch = (kind: Kind): Watch =>
    watch(kind, function* (next: KubeObject | undefined, previous: KubeObject | undefined) {
      const [was, is] = [previous, next].map((object) => object?.metadata.name ?? "nothing");
      mapped.push(`${kind.plural} ${was} > ${is}`);
      yield { namespace: "", name: `${kind.plural}/${next?.metadata.name ?? was}` };
    });
  const controller: Controller = defineController({
    name: "listener",
    component: "test",
    watches: [recordingWatch(configMaps), recordingWatch(secrets)],
    reconcile: ({ name }) => void reconciled.push(name),
  });
  const forget = () => {
    mapped.length = 0;
    reconciled.length = 0;
  };
  return { told: mapped, reconciled, controller, tells: recordingWatch, forget };
}

describe("an informer whose cursor is compacted", () => {
  /** Makes changes that are compacted before they are read: a creation, an update, a deletion, and an unchanged object. */
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

  test("Q10: creates new memory for its controllers, since deletions were missed", () => {
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

  test("Q10: maps each object of each watched kind once, as if it were new", () => {
    const { bed, told: mapped, reconciled } = missed();
    bed.drain();
    expect(mapped.sort()).toEqual([
      "configmaps nothing > changed",
      "configmaps nothing > new",
      "configmaps nothing > same",
      "secrets nothing > same",
    ]);
    expect(reconciled.sort()).toEqual(everything);
    expect(bed.reports).toEqual([]);
  });

  test("Q10: does the same if the cluster is opened again first, and then carefully", () => {
    const { bed, reconciled } = missed();
    bed.reopen();
    expect(bed.now().runtime.isCareful()).toBe(true);
    expect(bed.now().runtime.drain(100)).toBe(0);
    bed.drain();
    expect(reconciled.sort()).toEqual(everything);
  });

  test("Q10: continues from there with each change, and maps nothing twice", () => {
    const { bed, told: mapped, forget } = missed();
    bed.drain();
    forget();
    bed.drain();
    expect([mapped, bed.now().runtime.nextDueMs()]).toEqual([[], undefined]);
    bed.touch("same");
    bed.drain();
    expect(mapped).toEqual(["configmaps same > same"]);
  });

  test("Q10: saves its new cursor, so that the next opening does not start again", () => {
    const { bed, told: mapped, forget } = missed();
    // None of the remaining requests is written with it.
    bed.now().runtime.drain(100);
    forget();
    bed.reopen();
    expect(bed.now().runtime.nextDueMs()).toBeUndefined();
    bed.drain();
    expect(mapped).toEqual([]);
  });

  test("Q10: at exactly the compacted revision has missed nothing and maps nothing", () => {
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

test("Q9: creations, updates and deletions are mapped with the new and the old object", () => {
  const heard = listener();
  const bed = newBed([heard.controller]);
  bed.create(configMaps, "a");
  bed.touch("a");
  bed.remove(configMaps, "a");
  bed.drain();
  expect(heard.told).toEqual(["configmaps nothing > a", "configmaps a > a", "configmaps a > nothing"]);
  expect(heard.reconciled).toEqual(["configmaps/a"]);
});

test("Q9: a kind that was added at run time is watched while it changes, also after it was removed", () => {
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
  // A later kind with the same name gets its own watches.
  const laterKind = { ...widgets };
  catalogue.put("widgets", [laterKind], laterKind);
  bed.create(widgets, "c");
  bed.drain();
  expect([heard.told.length, bed.reports]).toEqual([2, []]);
});

test("Q10: kinds that are watched because they exist are mapped as well, each once", () => {
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

test("Q10: a kind that one controller always watches is not mapped to another", () => {
  const always = listener();
  const bed = newBed([
    always.controller,
    { ...listener().controller, name: "other", watches: [], watchesOf: () => [] },
  ]);
  bed.create(configMaps, "a");
  bed.drain();
  expect([always.told, bed.reports]).toEqual([["configmaps nothing > a"], []]);
});
