// A client's WebSocket that the edge holds for a socket of the cluster.
import { expect, test } from "vitest";
import { holdSocket } from "../../worker/edge/outside/held-socket.ts";
import { patiently } from "../patiently.ts";

function held() {
  const { 0: ofEdge, 1: ofCluster } = new WebSocketPair();
  ofCluster.binaryType = "arraybuffer";
  ofCluster.accept();
  const answer = holdSocket(new Response(null, { status: 101, webSocket: ofEdge, headers: { "audit-id": "1" } }));
  const { webSocket: client, headers } = answer;
  if (!client) throw new Error("no socket");
  client.accept();
  const record = (socket: WebSocket) => {
    const events: unknown[] = [];
    socket.addEventListener("message", ({ data }) => void events.push(data));
    socket.addEventListener("close", ({ code, reason }) => void events.push([code, reason]));
    return events;
  };
  return { client, ofCluster, headers, clientSees: record(client), clusterSees: record(ofCluster) };
}

test("A10: messages pass in both directions, and headers of the upgrade stay", async () => {
  const { client, ofCluster, headers, clientSees, clusterSees } = held();
  client.send("a");
  ofCluster.send("b");
  ofCluster.send("c");
  client.send(new Uint8Array([1, 2]));
  await patiently(() => expect([clusterSees.length, clientSees]).toEqual([2, ["b", "c"]]));
  expect([clusterSees[0], [...new Uint8Array(clusterSees[1] as ArrayBuffer)]]).toEqual(["a", [1, 2]]);
  expect(headers.get("audit-id")).toBe("1");
});

test.each([
  [1008, "the sandbox has expired or was deleted"],
  [1000, ""],
  [4002, "x"],
])("A10: a close with %d of either side reaches the other one", async (code, reason) => {
  const byCluster = held();
  byCluster.ofCluster.close(code, reason);
  await patiently(() => expect(byCluster.clientSees).toEqual([[code, reason]]));
  const byClient = held();
  byClient.client.close(code, reason);
  await patiently(() => expect(byClient.clusterSees).toEqual([[code, reason]]));
});

test("A10: a refusal of the cluster is passed on", () => {
  const refusal = new Response("no", { status: 403 });
  expect(holdSocket(refusal)).toBe(refusal);
});
