// The level-triggered kubelet: the number and the times of syncs do not change a pod's life.
import { expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { container, podOf, runPod, steady } from "./pod-run.ts";

const busybox = (name: string, ...command: string[]) => ({ ...container("busybox", { command }), name });
const sidecar = { ...container("nginx"), name: "side", restartPolicy: "Always" };

const shapes: Readonly<Record<string, Partial<Pod["spec"]>>> = {
  server: { containers: [container("nginx", { readinessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 5 } })] },
  crashing: { containers: [busybox("web", "sh", "-c", "sleep 3; exit 1")] },
  "without image": { containers: [container("nginx:doesnotexist"), busybox("other", "sleep", "7")] },
  job: { restartPolicy: "OnFailure", containers: [busybox("a", "sleep", "20"), busybox("b", "false")] },
  initialized: {
    restartPolicy: "Never",
    initContainers: [busybox("first", "sleep", "2"), sidecar, busybox("last", "true")],
    containers: [busybox("web", "sleep", "30")],
  },
  late: { activeDeadlineSeconds: 15, containers: [busybox("web", "sleep", "1000")] },
};

test.each(Object.keys(shapes))("syncs at random moments do not change a pod's life (%s)", (shape) => {
  const calm = runPod(podOf(shapes[shape] ?? {}), steady);
  calm.pass(120);
  for (const seed of [1, 2, 3]) {
    const random = seededRandom(seed);
    const busy = runPod(podOf(shapes[shape] ?? {}), steady);
    for (let left = 120; left > 0; ) {
      const seconds = Math.min(left, Math.ceil(random.next() * 2000) / 1000);
      busy.pass(seconds);
      left -= seconds;
    }
    expect(withoutTimes(busy.events)).toEqual(withoutTimes(calm.events));
    expect(busy.pod.status.phase).toBe(calm.pod.status.phase);
    expect(states(busy.pod)).toEqual(states(calm.pod));
  }
});

test.each(Object.keys(shapes))(
  "a pod that is deleted at any moment is removed, and each container is stopped once (%s)",
  (shape) => {
    for (let at = 0; at < 40; at += 1.3) {
      const run = runPod(podOf(shapes[shape] ?? {}), steady);
      run.pass(at);
      const { events } = run;
      const from = events.length;
      run.remove(10);
      for (let looks = 0; looks < 150; looks++) run.pass(0.1);
      expect(run.finished).toBe(true);
      expect(["Succeeded", "Failed"]).toContain(run.pod.status.phase);
      const killing = events.slice(from).filter((event) => event.includes("Killing"));
      expect(new Set(killing).size).toBe(killing.length);
      expect(events.slice(from).filter((event) => event.includes("Started"))).toEqual([]);
    }
  },
);

function withoutTimes(events: readonly string[]): string[] {
  return events.map((event) => event.slice(event.indexOf(" ")));
}

function states(pod: Pod): string[] {
  return [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])].map(
    (initContainerStatus) =>
      `${initContainerStatus.name} ${Object.keys(initContainerStatus.state).join()} ${initContainerStatus.restartCount}`,
  );
}
