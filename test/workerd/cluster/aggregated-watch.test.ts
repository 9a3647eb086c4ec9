// A watch of an aggregated API behind a tunnel: it keeps no cluster awake, and ends when either side disconnects.
import { expect, test } from "vitest";
import { tunnelPath, type TunnelPiece, type TunnelCall } from "../../../shared/contract/tunnel.ts";
import { newSandbox } from "./sandbox.ts";
import { watchReader } from "./watch-reader.ts";
import { patiently } from "../../patiently.ts";

/** The platform evicts an object after ten idle seconds. */
const idleMs = 13_000;
const groupVersion = "things.example.com/v1";
const path = `/apis/${groupVersion}/namespaces/default/things?watch=1`;

/** Opens a tunnel whose end answers discovery, and records the requested streams and the received orders. */
async function withTunnel() {
  const sandbox = await newSandbox();
  const { webSocket } = await sandbox.send(`${tunnelPath}?namespace=default&service=api`, {
    headers: { upgrade: "websocket" },
  });
  if (!webSocket) throw new Error("no tunnel");
  const streams: TunnelCall[] = [];
  const orders: object[] = [];
  const say = (piece: TunnelPiece) => webSocket.send(JSON.stringify(piece));
  webSocket.addEventListener("message", ({ data }) => {
    const tunnelCall = JSON.parse(String(data)) as TunnelCall;
    if (tunnelCall.stream) {
      streams.push(tunnelCall);
      say({ id: tunnelCall.id, status: 200, headers: [["content-type", "application/json"]] });
    } else if ("path" in tunnelCall) {
      webSocket.send(JSON.stringify({ id: tunnelCall.id, status: 200, headers: [], body: btoa("{}") }));
    } else orders.push(tunnelCall);
  });
  webSocket.accept();
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "api" }, spec: { ports: [{ port: 443 }] } };
  await sandbox.call("POST", "/api/v1/namespaces/default/services", service);
  await sandbox.call("POST", "/apis/apiregistration.k8s.io/v1/apiservices", {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.things.example.com" },
    spec: {
      group: "things.example.com",
      version: "v1",
      service: { namespace: "default", name: "api" },
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
    },
  });
  const open = async () => {
    const answer = await patiently(
      async () => {
        const tried = await sandbox.send(path);
        if (tried.status !== 200) throw new Error(`${tried.status} ${await tried.text()}`);
        return tried;
      },
      { timeout: 20_000 },
    );
    return watchReader(answer);
  };
  const event = (name: string) => {
    const object = { apiVersion: groupVersion, kind: "Thing", metadata: { name } };
    const id = streams.at(-1)?.id ?? "";
    say({ id, piece: btoa(`${JSON.stringify({ type: "ADDED", object })}\n`) });
  };
  return { sandbox, webSocket, streams, orders, open, event };
}

test("W4: the cluster is evicted while no event comes, and a later event still arrives", async () => {
  const { sandbox, open, event, streams } = await withTunnel();
  const watch = await open();
  expect(streams.at(-1)?.headers).toContainEqual(["X-Remote-User", "kubernetes-admin"]);
  event("early");
  expect((await watch.next(1))[0]?.object.metadata.name).toBe("early");
  await sandbox.quiet();
  const builds = sandbox.builds();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  event("late");
  expect((await watch.next(1))[0]?.object.metadata.name).toBe("late");
  expect(sandbox.builds()).toBe(builds + 1);
  await watch.cancel();
});

test("a client that disconnects ends the tunnel's request, and a closed tunnel breaks the watch off", async () => {
  const { webSocket, open, event, orders, streams } = await withTunnel();
  const left = await open();
  event("one");
  await left.next(1);
  await left.cancel();
  // A client that has gone is noticed by what it does not take, at the latest.
  event("two");
  await patiently(() => expect(orders).toContainEqual({ id: streams.at(-1)?.id, stop: true }));
  const broken = await open();
  event("three");
  await broken.next(1);
  webSocket.close(1000, "");
  await expect(broken.next(1)).rejects.toThrow();
});
