// Visits of programs' own servers in a cluster, and their lasting effects.
import { beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { clusterView } from "../../../worker/containers/network/cluster-view.ts";
import { execOutput, runOfStatus } from "../../../worker/containers/output.ts";
import { visitEdit } from "../../../worker/containers/wasm/visits.ts";
import { newCluster, type TestCluster } from "../../cluster.ts";

const counting = `let count = 0;
require("http").createServer((request, response) => {
  console.log(request.url);
  response.statusCode = request.url === "/healthz" && count > 3 ? 500 : 200;
  response.end("visit " + ++count);
}).listen(8080);`;

let cluster: TestCluster;
const get = (path: string) => ({ method: "GET", path, headers: [], body: "" });

function createPod(name: string, container: object): void {
  const metadata = { name, namespace: "default", labels: { app: name } };
  cluster.apply(pods, {
    metadata,
    spec: { nodeName: "node-1", containers: [{ name: "c", image: "node:24", ...container }] },
  });
}

const podOf = (name: string) => cluster.get(pods, "default", name);

/** Sends a request as the API's proxy does. The clock advances by some milliseconds. */
async function visit(name: string, path: string): Promise<string> {
  const answer = await cluster.containers.answer(podOf(name), 8080, get(path));
  cluster.step(5);
  return answer === undefined ? "nothing" : `${answer.status} ${answer.body}`;
}

async function logOf(name: string): Promise<readonly string[]> {
  const printed = await cluster.containers.printed(podOf(name), "c", { previous: false, follows: false });
  return (printed?.lines ?? []).map(({ text }) => text);
}

beforeAll(() => {
  cluster = newCluster();
  cluster.runUntilQuiet();
  createPod("client", { image: "busybox", command: ["sleep", "3600"] });
  createPod("server", { command: ["node", "-e", counting] });
  createPod("pages", { image: "nginx:1.27.1" });
  createPod("many", { command: ["node", "-e", counting] });
  createPod("probed", {
    command: ["node", "-e", counting],
    readinessProbe: { httpGet: { port: 8080, path: "/healthz" }, periodSeconds: 5 },
  });
  const spec = { selector: { app: "server" }, ports: [{ port: 80, targetPort: 8080 }] };
  cluster.apply(services, { metadata: { name: "server", namespace: "default" }, spec });
  cluster.step(8000);
});

test("nginx logs a line for each request, and no request can split it in two", async () => {
  const headers = [["User-Agent", 'a"\nb']] as const;
  await cluster.containers.answer(podOf("pages"), 80, { ...get("/nope"), headers });
  const last = (await logOf("pages")).at(-1) ?? "";
  expect(last).toMatch(
    /^10\.244\.0\.1 - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:[\d:]{8} \+0000\] "GET \/nope HTTP\/1\.1" 404 \d+ /,
  );
  expect(last).toContain('"-" "a\\x22\\x0Ab" "-"');
});

describe("a program's server", () => {
  test("remembers its requests, and logs them", async () => {
    expect([await visit("server", "/a"), await visit("server", "/b")]).toEqual(["200 visit 1", "200 visit 2"]);
    expect(await logOf("server")).toEqual(["/a", "/b"]);
  });

  test("keeps its state between two requests of one command", () => {
    const nowMs = cluster.clock.nowMs();
    const [pod, view] = [podOf("client"), clusterView(cluster.client)];
    const words = ["sh", "-c", "wget -qO- http://server/c; echo; wget -qO- http://server/d"];
    const done = execOutput(pod, "c", view, runOfStatus(pod, "c", view, nowMs, false), {
      words,
      nowMs,
      untilMs: nowMs + 60_000,
    });
    const text = done && !("missing" in done) ? done.chunks.map((chunk) => chunk.text).join("") : "";
    expect(text).toMatch(/^visit (\d+)\nvisit \d+$/);
    const [first = 0, second = 0] = (text.match(/\d+/g) ?? []).map(Number);
    expect(second).toBe(first + 1);
  });

  test("replays its newest visits, and answers after any number of them", async () => {
    const nowMs = cluster.clock.nowMs();
    const more = { method: "GET", path: "/x", headers: [], body: "", port: 8080, from: "10.0.0.1" };
    const visits = Array.from({ length: limits.replayedVisits + 3 }, (_, at) => ({
      atMs: nowMs + at,
      ...visitEdit({ id: `x${at}`, ...more }),
    }));
    cluster.containers.keep(podOf("many"), "c", visits);
    cluster.step(1000);
    expect(await visit("many", "/last")).toBe(`200 visit ${limits.replayedVisits / 2 + 4}`);
  });

  test("answers its probes, which leave no trace", async () => {
    expect(podOf("probed").status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    expect(await visit("probed", "/")).toBe("200 visit 1");
    for (let count = 0; count < 4; count++) await visit("probed", "/");
    cluster.step(30_000);
    expect(podOf("probed").status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("False");
  });
});
