// The images that a simulated kubelet lists in the status of its node.
import { expect, test } from "vitest";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { quietCluster, type TestCluster } from "../cluster.ts";

const run = (cluster: TestCluster, name: string, image: string) =>
  cluster.apply(pods, {
    metadata: { name, namespace: "default" },
    spec: { nodeName: "node-2", terminationGracePeriodSeconds: 0, containers: [{ name: "main", image }] },
  });

const imagesOf = (cluster: TestCluster, node = "node-2") => cluster.get(nodes, "", node).status.images ?? [];
const namesOf = (cluster: TestCluster) => imagesOf(cluster).flatMap(({ names = [] }) => names.slice(1));

test("ten seconds after a pod has pulled an image, its node lists it with digest, tag and size, the largest first", () => {
  const cluster = quietCluster({ nodes: 3, images: "strict" });
  const before = imagesOf(cluster);
  run(cluster, "small", "busybox:1.36");
  run(cluster, "large", "nginx:1.27");
  cluster.step(9_000);
  expect(imagesOf(cluster)).toEqual(before);
  cluster.step(2_000);
  const names = namesOf(cluster);
  expect(names.indexOf("docker.io/library/nginx:1.27")).toBeLessThan(names.indexOf("docker.io/library/busybox:1.36"));
  const sizes = imagesOf(cluster).map(({ sizeBytes = 0 }) => sizeBytes);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  const nginx = imagesOf(cluster).find(({ names: all = [] }) => all[1] === "docker.io/library/nginx:1.27");
  expect(nginx?.names?.[0]).toBe(cluster.get(pods, "default", "large").status.containerStatuses?.[0]?.imageID);
  expect(nginx?.sizeBytes).toBeGreaterThan(50_000_000);
  const allNames = imagesOf(cluster).flatMap(({ names: all = [] }) => all);
  expect(allNames).toEqual([...new Set(allNames)]);
});

test("an image stays after its pod is gone, and a node has not more than fifty", () => {
  const cluster = quietCluster({ nodes: 3, images: "any" });
  run(cluster, "gone", "nginx:1.27");
  cluster.step(11_000);
  cluster.client.delete(pods, "default", "gone");
  for (let index = 0; index < 55; index++) run(cluster, `pod-${index}`, `my-company/app-${index}:1`);
  cluster.step(30_000);
  expect(imagesOf(cluster)).toHaveLength(50);
  const smallest = Math.min(...imagesOf(cluster).map(({ sizeBytes = 0 }) => sizeBytes));
  expect(namesOf(cluster).includes("docker.io/library/nginx:1.27") || smallest > 60_000_000).toBe(true);
});

test("kubelets of a cluster with more than a hundred nodes do not list images", () => {
  const cluster = quietCluster({ nodes: 101, images: "any" });
  const before = imagesOf(cluster);
  run(cluster, "web", "nginx:1.27");
  cluster.step(30_000);
  expect(imagesOf(cluster)).toEqual(before);
});
