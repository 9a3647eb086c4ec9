// What containers do to each other is recorded once, at its time, whether or not somebody looks.
import { expect, test } from "vitest";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { testAuthority } from "../authority.ts";
import { core, newServer, type TestServer } from "../api/server.ts";

async function create(server: TestServer, path: string, body: object): Promise<void> {
  const { code, text } = await server.ask("POST", path, { body });
  expect({ code, text: code === 201 ? "" : text }).toEqual({ code: 201, text: "" });
}

async function createPod(server: TestServer, name: string, image: string, script?: string): Promise<void> {
  const command = script === undefined ? {} : { command: ["sh", "-c", script] };
  const containers = [{ name: "main", image, ...command }];
  const metadata = { name, labels: { app: name } };
  await create(server, `${core}/pods`, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } });
}

async function createService(server: TestServer, name: string, port: number): Promise<void> {
  const spec = { selector: { app: name }, ports: [{ port }] };
  await create(server, `${core}/services`, { apiVersion: "v1", kind: "Service", metadata: { name }, spec });
}

async function logOf(server: TestServer, name: string): Promise<string[]> {
  const { text } = await server.ask("GET", `${core}/pods/${name}/log`);
  return text === "" ? [] : text.trimEnd().split("\n");
}

test("the access log of a server has the requests of a client in a loop, each once, however often somebody looks", async () => {
  const server = newServer();
  await createPod(server, "web", "nginx:1.27");
  await createService(server, "web", 80);
  server.cluster.step(5_000);
  await createPod(server, "loop", "busybox:1.36", "while true; do wget -q -O- http://web/ >/dev/null; sleep 3; done");
  server.cluster.step(60_500);
  const requests = async () => (await logOf(server, "web")).filter((line) => line.includes('"GET / HTTP/1.1" 200'));
  expect(await requests()).toHaveLength(21);
  expect(await requests()).toHaveLength(21);
  server.cluster.step(30_000);
  const later = await requests();
  expect(later).toHaveLength(31);
  expect(new Set(later).size).toBe(31);
  expect(server.bugs).toEqual([]);
});
