// Custom kinds after waking: served from the first request on.
import { expect, test } from "vitest";
import { SteppedClock } from "../../shared/base/clock.ts";
import { seededRandom } from "../../shared/base/random.ts";
import { rendererOf } from "../../worker/api/verbs/watch-spec.ts";
import { plugins } from "../../worker/admission/catalogue.ts";
import { openCluster } from "../../worker/cluster/cluster.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { customResourceDefinitions } from "../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { Client } from "../../worker/registry/client.ts";
import type { Change } from "../../worker/store/change.ts";
import { widget, widgetDefinition } from "../api/custom/widgets.ts";
import { newCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

test("custom kinds and their objects are available again after waking", () => {
  const sql = nodeSql();
  const before = newCluster({ sql, nodes: 0 });
  before.apply(customResourceDefinitions, widgetDefinition());
  before.runUntilQuiet();
  before.apply(widgetKind(before.client), widget("one", { size: 3 }, { namespace: "default" }));
  const awake = openCluster({
    sql,
    clock: new SteppedClock(before.clock.nowMs()),
    random: seededRandom(2),
    kinds,
    plugins,
    controllers: [],
    report: (error) => {
      throw error;
    },
  });
  expect(awake.registry.catalogue.byPath("example.com/v1", "widgets")?.kind).toBe("Widget");
  const kind = widgetKind(awake.system);
  expect(awake.system.get(kind, "default", "one")).toMatchObject({ spec: { size: 3, color: "red" } });
});

test("a watch with a field selector receives the deletion of the last instance even if the definition is deleted already", () => {
  const { apply, client, registry, runUntilQuiet } = newCluster({ nodes: 0 });
  apply(customResourceDefinitions, widgetDefinition());
  runUntilQuiet();
  apply(widgetKind(client), widget("one", { size: 3 }, { namespace: "default" }));
  const selected = { namespace: "", labelSelector: "", fieldSelector: "metadata.name=one" };
  const renderer = rendererOf(registry.catalogue, registry.store.meter, {
    apiVersion: "example.com/v1",
    plural: "widgets",
    ...selected,
  });
  const changes: Change[] = [];
  const changedObjects: unknown[] = [];
  registry.store.onChange((change) => {
    if (change.resource === renderer.resource) changes.push(change);
  });
  registry.catalogue.onReplaced(() => {
    for (const change of changes) changedObjects.push(JSON.parse(renderer.change(change, 0) ?? "{}"));
  });
  client.delete(customResourceDefinitions, "", "widgets.example.com");
  runUntilQuiet();
  expect(changedObjects.at(-1)).toMatchObject({ type: "DELETED", object: { metadata: { name: "one" } } });
});

function widgetKind(client: Client): Kind {
  const kind = client.kinds().find((kind) => kind.kind === "Widget");
  if (!kind) throw new Error("widgets are served");
  return kind;
}
