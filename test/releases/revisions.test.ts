// ControllerRevisions of older releases, and after an upgrade.
import { expect, test } from "vitest";
import type { KubernetesVersion } from "../../shared/k8s/settings/release.ts";
import { daemonSetController } from "../../worker/controllers/daemon-set/controller.ts";
import { statefulSetController } from "../../worker/controllers/stateful-set/controller.ts";
import { controllerRevisions } from "../../worker/kinds/apps/controller-revision.ts";
import { daemonSets } from "../../worker/kinds/apps/daemon-set.ts";
import { statefulSets } from "../../worker/kinds/apps/stateful-set.ts";
import { newCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

const labels = { app: "agent" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "agent:1" }] } };
const metadata = { name: "agent", namespace: "default" };
const spec = { selector: { matchLabels: labels }, template };

function open(version: KubernetesVersion, sql = nodeSql(), base: "kept" | "written" = "written") {
  const controllers = [daemonSetController, statefulSetController];
  const cluster = newCluster({ sql, version, controllers, base });
  const texts = () => cluster.client.list(controllerRevisions).map(({ data }) => JSON.stringify(data));
  return { cluster, sql, texts };
}

function started(version: KubernetesVersion) {
  const opened = open(version);
  opened.cluster.apply(daemonSets, { metadata, spec });
  opened.cluster.apply(statefulSets, { metadata, spec: { ...spec, serviceName: "agent" } });
  opened.cluster.runUntilQuiet();
  expect(opened.texts()).toHaveLength(2);
  return opened;
}

const withUnsetTime = '"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"agent"}}';

test("revisions have the unset time of the template before 1.34, as clients of the release compare them", () => {
  for (const text of started("1.33").texts()) expect(text).toContain(withUnsetTime);
  for (const text of started("1.34").texts()) expect(text).not.toContain("creationTimestamp");
});

test("an upgrade from 1.33 makes no new revisions", () => {
  const before = started("1.33");
  const { cluster, texts } = open("1.34", before.sql, "kept");
  cluster.edit(daemonSets, "default", "agent", ({ metadata: draft }) => {
    draft.annotations = { a: "b" };
  });
  cluster.edit(statefulSets, "default", "agent", ({ metadata: draft }) => {
    draft.annotations = { a: "b" };
  });
  cluster.runUntilQuiet();
  expect(texts()).toEqual(before.texts());
});
