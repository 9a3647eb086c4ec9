// A client in a loop during a rolling update: its log matches a real cluster's.
import { expect, test } from "vitest";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { testAuthority } from "../authority.ts";
import { core, newServer } from "../api/server.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const labels = { app: "web" };

/** Returns the output of a client that sends ten requests a second while the Deployment is updated from v1 to v2. */
async function updated(container: object, rollingUpdate: object): Promise<string[]> {
  const controllers = allControllers({ zeroDelays: false, images: "any", caPem: "test", authority: testAuthority });
  const server = newServer({ controllers, proxyMs: 1000 });
  const create = async (path: string, body: object) => {
    expect((await server.ask("POST", path, { body })).code).toBe(201);
  };
  const templateOf = (version: string) => {
    const echo = {
      name: "main",
      image: "hashicorp/http-echo",
      args: [`-text=${version}`, "-listen=:80"],
      ...container,
    };
    return { metadata: { labels }, spec: { containers: [echo] } };
  };
  const spec = {
    replicas: 3,
    strategy: { rollingUpdate },
    selector: { matchLabels: labels },
    template: templateOf("v1"),
  };
  await create(deployments, { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec });
  const ports = [{ port: 80 }];
  await create(`${core}/services`, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: labels, ports },
  });
  server.cluster.step(30_000);
  const script = "while true; do wget -q -T 1 -O- http://web/ 2>/dev/null || echo failed; sleep 0.1; done";
  const containers = [{ name: "main", image: "busybox:1.36", command: ["sh", "-c", script] }];
  await create(`${core}/pods`, { apiVersion: "v1", kind: "Pod", metadata: { name: "loop" }, spec: { containers } });
  server.cluster.step(10_000);
  const headers = { "content-type": "application/strategic-merge-patch+json" };
  const body = { spec: { template: templateOf("v2") } };
  expect((await server.ask("PATCH", `${deployments}/web`, { headers, body })).code).toBe(200);
  server.cluster.step(25_000);
  expect(server.bugs).toEqual([]);
  return (await server.ask("GET", `${core}/pods/loop/log`)).text.trim().split("\n");
}

test("no request fails with a readiness probe, maxUnavailable: 0 and a preStop sleep", async () => {
  const careful = {
    readinessProbe: { httpGet: { path: "/", port: 80 }, periodSeconds: 1 },
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
  };
  const lines = await updated(careful, { maxUnavailable: 0, maxSurge: 1 });
  expect(new Set(lines)).toEqual(new Set(["v1", "v2"]));
  expect([lines[0], lines.at(-1)]).toEqual(["v1", "v2"]);
  expect(lines.lastIndexOf("v1")).toBeGreaterThan(lines.indexOf("v2"));
});

test("some requests fail without them, because kube-proxy still sends to removed servers", async () => {
  const lines = await updated({}, { maxUnavailable: 1, maxSurge: 1 });
  const failed = lines.filter((line) => line === "failed").length;
  expect(failed).toBeGreaterThan(0);
  expect(failed).toBeLessThan(lines.length / 10);
  expect([lines[0], lines.at(-1)]).toEqual(["v1", "v2"]);
});
