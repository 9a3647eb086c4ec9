// The work of ending deleted pods: the end of a container is computed once, unless something can still change it.
import { expect, test } from "vitest";
import type { Volume } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster } from "../cluster.ts";

/** The least work of following a container's program. */
const runWork = 800;

function deletionOf(volumes: readonly Volume[], lateMs = 0) {
  const cluster = newCluster({ base: "layered", nodes: 1, zeroDelays: false });
  const spec = { containers: [{ name: "web", image: "nginx" }], volumes: [...volumes] };
  cluster.apply(pods, { metadata: { namespace: "default", name: "web" }, spec });
  cluster.runUntilQuiet();
  const { meter } = cluster.registry.store;
  cluster.clock.step(300);
  cluster.client.delete(pods, "default", "web");
  cluster.clock.step(lateMs);
  const before = meter.spent;
  const ends: (string | undefined)[] = [];
  cluster.registry.store.onChange(({ resource, object }) => {
    if (resource !== "pods") return;
    const { status } = object as {
      status?: { containerStatuses?: { state: { terminated?: { finishedAt: string } } }[] };
    };
    ends.push(status?.containerStatuses?.[0]?.state.terminated?.finishedAt);
  });
  cluster.runUntilQuiet();
  return { work: meter.spent - before, end: ends.at(-1) };
}

test("the end of a deleted pod is computed once, also if the kubelet sees the deletion late", () => {
  // Another container, or a person, may still write to a volume.
  const volumes = [{ name: "data", emptyDir: {} }];
  const [planned, late] = [deletionOf([]), deletionOf([], 2_500)];
  const [open, openLate] = [deletionOf(volumes), deletionOf(volumes, 2_500)];
  expect(open.work - planned.work).toBeGreaterThan(runWork);
  expect(open.work - openLate.work).toBeGreaterThan(runWork);
  expect(late.end).toBe(openLate.end);
});
