// The APIServices that a cluster creates: for built-in groups and for CustomResourceDefinitions.
import { expect, test } from "vitest";
import { apiServices } from "../../../worker/kinds/apiregistration/api-service.ts";
import { customResourceDefinitions } from "../../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { widgetDefinition } from "../../api/custom/widgets.ts";
import { newCluster } from "../../cluster.ts";

test("every built-in group version is registered as Local, with upstream's priorities", () => {
  const cluster = newCluster({ nodes: 0 });
  const all = cluster.client.list(apiServices);
  const names = all.map(({ metadata }) => metadata.name);
  expect(names).toEqual(expect.arrayContaining(["v1.", "v1.apps", "v2.autoscaling", "v1.authorization.k8s.io"]));
  expect(names).not.toContain("v1.apiregistration.k8s.io");
  expect(cluster.get(apiServices, "", "v2.autoscaling").spec).toEqual({
    group: "autoscaling",
    version: "v2",
    groupPriorityMinimum: 17_500,
    versionPriority: 30,
  });
  expect(all.every(({ status }) => status.conditions?.[0]?.reason === "Local")).toBe(true);
});

test("the APIServices of a definition follow its served versions, and are created again when deleted", () => {
  const cluster = newCluster({ nodes: 0 });
  cluster.runUntilQuiet();
  const definition = cluster.apply(customResourceDefinitions, widgetDefinition());
  cluster.runUntilQuiet();
  const { group, versions } = definition.spec;
  const name = `${versions[0]?.name ?? ""}.${group}`;
  const first = cluster.get(apiServices, "", name);
  expect(first.spec).toMatchObject({ group, groupPriorityMinimum: 1000, versionPriority: 100 });
  cluster.client.delete(apiServices, "", name);
  cluster.runUntilQuiet();
  expect(cluster.get(apiServices, "", name).metadata.uid).not.toBe(first.metadata.uid);
  cluster.client.delete(customResourceDefinitions, "", definition.metadata.name ?? "");
  cluster.runUntilQuiet();
  expect(cluster.client.get(apiServices, "", name)).toBeUndefined();
});
