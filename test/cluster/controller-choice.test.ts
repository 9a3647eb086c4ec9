// Which controllers a sandbox runs, and how fast its kubelets are.
import { describe, expect, test } from "vitest";
import type { ChosenControllers } from "../../shared/contract/sandbox.ts";
import { allControllers, controllersProblem } from "../../worker/cluster/controllers.ts";
import { fasterDelays, zeroDelays } from "../../worker/machine/delays.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster } from "../cluster.ts";
import { testAuthority } from "../authority.ts";

const running = (chosen: ChosenControllers) =>
  allControllers({ zeroDelays: true, caPem: "test", authority: testAuthority, chosen, signToken: () => "" }).map(
    ({ name }) => name,
  );
const all = running("on");
const apiServerControllers = running("off");

describe("controllers", () => {
  test("I8: if controllers are off, only those of the API server run", () => {
    expect(apiServerControllers).toContain("crd-establishing-controller");
    expect(apiServerControllers).toContain("available-condition-controller");
    for (const name of ["deployment-controller", "scheduler", "kubelet", "namespace-controller"]) {
      expect(all).toContain(name);
      expect(apiServerControllers).not.toContain(name);
    }
  });

  test.each([
    ["deployment-controller", ["deployment-controller", "deployment-adoption"]],
    ["kube-scheduler", ["scheduler"]],
    ["garbage-collector-controller", ["garbage-collector-controller"]],
    ["resourceclaim-controller", ["resourceclaim-controller", "resourceclaim-controller-pods"]],
  ])("I8: %s runs with its helpers, beside the API server's controllers", (name, expected) => {
    expect(running([name]).filter((controllerName) => !apiServerControllers.includes(controllerName))).toEqual(
      expected,
    );
  });

  test("I8: the kubelets of all nodes are one controller", () => {
    const kubelets = running(["kubelet"]).filter((controllerName) => !apiServerControllers.includes(controllerName));
    expect(kubelets).toContain("kubelet");
    expect(kubelets).toContain("simulated-node-lifecycle");
  });

  test("I8: an unknown controller is reported with its position, and the API server's controllers cannot be named", () => {
    expect(controllersProblem(["kubelet", "kubelett"])).toMatchObject({ field: "controllers.1" });
    expect(controllersProblem(["crd-finalizer"])).toMatchObject({ field: "controllers.0" });
    expect(controllersProblem(all.filter((name) => !apiServerControllers.includes(name)))).toBeUndefined();
    expect(controllersProblem("off")).toBeUndefined();
    expect(controllersProblem(undefined)).toBeUndefined();
  });

  test("I8: without controllers an object is stored, and nothing reconciles it", () => {
    const controllers = allControllers({ zeroDelays: true, caPem: "test", chosen: "off" });
    const cluster = newCluster({ controllers, nodes: 0 });
    const metadata = { namespace: "default", name: "web" };
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
    cluster.client.create(deployments, {
      metadata,
      spec: { selector: { matchLabels: { app: "web" } }, template },
    });
    cluster.runUntilQuiet();
    expect(cluster.get(deployments, "default", "web").status).toEqual({});
    expect(cluster.client.list(pods)).toEqual([]);
  });
});

test("I8: kubelets divide their delays by the configured factor", () => {
  expect(fasterDelays(1)).toMatchObject({ pullMs: 1200, jitter: 0.25 });
  expect(fasterDelays(10)).toMatchObject({ pullMs: 120, stopMs: 80, jitter: 0.25 });
  expect(fasterDelays(0.5)).toMatchObject({ pullMs: 2400 });
  expect(zeroDelays.pullMs).toBe(0);
});
