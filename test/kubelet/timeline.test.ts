// Golden timelines of node: every event and every step, in order.
import { expect, test } from "vitest";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { atRest, timeline, withoutUid } from "../controllers/timeline.ts";

const metadata = { name: "web", namespace: "default" };

test("a program that fails its liveness probe is killed after its grace period, and restarted", () => {
  const { cluster, from } = atRest();
  const command = ["sh", "-c", "touch /tmp/ok; sleep 10; rm /tmp/ok; sleep 600"];
  const livenessProbe = { exec: { command: ["cat", "/tmp/ok"] }, periodSeconds: 5, failureThreshold: 2 };
  const containers = [{ name: "sick", image: "busybox:1.36", command, livenessProbe }];
  cluster.apply(pods, { metadata, spec: { terminationGracePeriodSeconds: 5, containers } });
  cluster.step(25_000);
  expect(timeline(cluster, from)).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "busybox:1.36"",
      "Normal Pulled: Successfully pulled image "busybox:1.36" in 0s (0s including waiting). Image size: 2156518 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Warning Unhealthy: Liveness probe failed: cat: can't open '/tmp/ok': No such file or directory
    ",
      "Warning Unhealthy (x2): Liveness probe failed: cat: can't open '/tmp/ok': No such file or directory
    ",
      "Normal Killing: Container sick failed liveness probe, will be restarted",
      "Normal Pulled: Container image "busybox:1.36" already present on machine and can be accessed by the pod",
      "Normal Created (x2): Container created",
      "Normal Started (x2): Container started",
    ]
  `);
});

test("a missing image and a crashing program are retried with growing back-off", () => {
  const { cluster, from } = atRest({ images: "strict" });
  const containers = [
    { name: "crash", image: "busybox:1.36", command: ["sh", "-c", "echo no; exit 1"] },
    { name: "absent", image: "nginx:1.161" },
  ];
  cluster.apply(pods, { metadata, spec: { containers } });
  cluster.step(25_000);
  expect(timeline(cluster, from).map(withoutUid)).toMatchInlineSnapshot(`
    [
      "Pod web made",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Normal Pulling: Pulling image "busybox:1.36"",
      "Normal Pulled: Successfully pulled image "busybox:1.36" in 0s (0s including waiting). Image size: 2156518 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "Normal Pulling: Pulling image "nginx:1.161"",
      "Warning Failed: Failed to pull image "nginx:1.161": rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:1.161": failed to resolve reference "docker.io/library/nginx:1.161": docker.io/library/nginx:1.161: not found",
      "Warning Failed: Error: ErrImagePull",
      "Normal Pulled: Container image "busybox:1.36" already present on machine and can be accessed by the pod",
      "Normal Created (x2): Container created",
      "Normal Started (x2): Container started",
      "Normal BackOff: Back-off pulling image "nginx:1.161"",
      "Warning Failed: Error: ImagePullBackOff",
      "Warning BackOff: Back-off restarting failed container crash in pod web_default(<uid>)",
      "Normal Pulled (x2): Container image "busybox:1.36" already present on machine and can be accessed by the pod",
      "Normal Created (x3): Container created",
      "Normal Started (x3): Container started",
      "Normal Pulling (x2): Pulling image "nginx:1.161"",
      "Warning Failed (x2): Failed to pull image "nginx:1.161": rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:1.161": failed to resolve reference "docker.io/library/nginx:1.161": docker.io/library/nginx:1.161: not found",
      "Warning Failed (x2): Error: ErrImagePull",
      "Normal BackOff (x2): Back-off pulling image "nginx:1.161"",
      "Warning Failed (x2): Error: ImagePullBackOff",
      "Warning BackOff (x2): Back-off restarting failed container crash in pod web_default(<uid>)",
    ]
  `);
});
