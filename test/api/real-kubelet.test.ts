// Pods on a node with a real kubelet: the simulation serves none of their subresources and connections.
import { expect, test } from "vitest";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { core, newServer, refusal, refused } from "./server.ts";

/** Returns a cluster in which a user's kubelet reports a running pod on its node. */
async function withRealKubelet() {
  const server = newServer();
  const create = async (path: string, body: object) => {
    expect((await server.ask("POST", path, { body })).code).toBe(201);
  };
  const replaceStatus = async (path: string, status: object) => {
    const { body } = await server.ask("GET", path);
    expect((await server.ask("PUT", `${path}/status`, { body: { ...body, status } })).code).toBe(200);
  };
  await create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "laptop" } });
  await replaceStatus("/api/v1/nodes/laptop", {
    addresses: [
      { type: "Hostname", address: "laptop" },
      { type: "InternalIP", address: "192.168.7.2" },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10350 } },
  });
  const containers = [{ name: "main", image: "nginx" }];
  const metadata = { name: "web", labels: { app: "web" } };
  await create(`${core}/pods`, { apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "laptop", containers } });
  const startedAt = "2026-01-01T00:00:00Z";
  const state = { running: { startedAt } };
  const status = {
    name: "main",
    image: "nginx",
    imageID: "",
    ready: true,
    restartCount: 0,
    state,
    containerID: "a://b",
  };
  await replaceStatus(`${core}/pods/web`, {
    phase: "Running",
    podIP: "10.99.0.5",
    podIPs: [{ ip: "10.99.0.5" }],
    startTime: startedAt,
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [status],
  });
  server.cluster.step(5000);
  return server;
}

const dialError = "dial tcp 192.168.7.2:10350: connect: no route to host";

test("a log is requested from the kubelet, and the failed dial names its address and path", async () => {
  const { ask } = await withRealKubelet();
  const { code, body } = await ask("GET", `${core}/pods/web/log?tailLines=3&container=main&follow=true`);
  const message = `Get "https://192.168.7.2:10350/containerLogs/default/web/main?follow=true&tailLines=3": ${dialError}`;
  expect([code, body.message, "reason" in body]).toEqual([500, message, false]);
});

test.each(["exec?command=ls&stdout=true", "attach?stdout=true", "portforward?ports=80"])(
  "%s is refused",
  async (path) => {
    const { ask } = await withRealKubelet();
    const headers = { [internalHeaders.session]: "open", upgrade: "websocket" };
    const { code, body } = await ask("GET", `${core}/pods/web/${path}`, { headers });
    expect([code, body.message]).toEqual([500, `error dialing backend: ${dialError}`]);
  },
);

test("proxies to the pod and to the node have no route", async () => {
  const { ask } = await withRealKubelet();
  const unrouted = (address: string) =>
    refused(503, "ServiceUnavailable", `error trying to reach service: dial tcp ${address}: connect: no route to host`);
  expect(refusal(await ask("GET", `${core}/pods/web:80/proxy/`))).toEqual(unrouted("10.99.0.5:80"));
  expect(refusal(await ask("GET", "/api/v1/nodes/laptop/proxy/healthz"))).toEqual(unrouted("192.168.7.2:10350"));
});

test("a simulated container has no route to the pod, and its log says so", async () => {
  const { ask, cluster } = await withRealKubelet();
  const command = ["sh", "-c", "wget -q -O- http://10.99.0.5/; echo ended $?"];
  const spec = { restartPolicy: "Never", containers: [{ name: "main", image: "busybox:1.36", command }] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "client" }, spec };
  expect((await ask("POST", `${core}/pods`, { body: pod })).code).toBe(201);
  cluster.step(20_000);
  const { text } = await ask("GET", `${core}/pods/client/log`);
  expect(text).toBe("wget: can't connect to remote host (10.99.0.5): No route to host\nended 1\n");
});

test("logs of a pod whose node is deleted are refused with the node's name as a missing pod", async () => {
  const { ask } = await withRealKubelet();
  expect((await ask("DELETE", "/api/v1/nodes/laptop")).code).toBe(200);
  const { code, body } = await ask("GET", `${core}/pods/web/log`);
  expect([code, body.message]).toEqual([404, 'pods "laptop" not found']);
});
