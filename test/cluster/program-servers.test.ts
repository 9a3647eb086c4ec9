// Servers whose own code answers requests: logs, memory, and effects on other pods.
import { expect, test } from "vitest";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { core, newServer, type TestServer } from "../api/server.ts";

async function create(server: TestServer, path: string, body: object): Promise<void> {
  const { code, text } = await server.ask("POST", path, { body });
  expect({ code, text: code === 201 ? "" : text }).toEqual({ code: 201, text: "" });
}

async function createPod(server: TestServer, name: string, image: string, command?: readonly string[]): Promise<void> {
  const containers = [{ name: "main", image, ...(command ? { command } : {}) }];
  const metadata = { name, labels: { app: name } };
  await create(server, `${core}/pods`, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } });
}

async function createService(server: TestServer, name: string, port: number): Promise<void> {
  const spec = { selector: { app: name }, ports: [{ port }] };
  await create(server, `${core}/services`, { apiVersion: "v1", kind: "Service", metadata: { name }, spec });
}

async function linesOf(server: TestServer, name: string): Promise<string[]> {
  const { cluster } = server;
  const pod = cluster.get(pods, "default", name);
  const printed = await cluster.containers.printed(pod, "main", { previous: false, follows: false });
  return printed?.lines.slice(0, printed.count).map(({ text }) => text) ?? [];
}

const counting = `let count = 0;
require("http").createServer((request, response) => {
  console.log("request " + ++count);
  response.end("visit " + count + "\\n");
}).listen(8080);`;

const askApp = ["sh", "-c", "while true; do wget -q -O- http://app:8080/; sleep 1; done"];

test("L7: the log of a program's server keeps the requests of a client in a loop for any reader", async () => {
  const server = newServer();
  await createPod(server, "app", "node:24", ["node", "-e", counting]);
  await createService(server, "app", 8080);
  server.cluster.step(5_000);
  await createPod(server, "loop", "busybox:1.36", askApp);
  server.cluster.step(50_500);
  const first = await linesOf(server, "app");
  server.cluster.step(50_000);
  const second = await linesOf(server, "app");
  expect(first.slice(0, 3)).toEqual(["request 1", "request 2", "request 3"]);
  expect(second.slice(0, first.length)).toEqual(first);
  expect(second.length).toBeGreaterThan(first.length + 40);
  expect(server.bugs).toEqual([]);
});

const app = `from flask import Flask
app = Flask(__name__)
@app.route("/")
def hello():
    return "hello"
app.run(host="0.0.0.0", port=8080)`;

test("L7: the log of a Python server keeps them as well, and the server is idle before its first request", async () => {
  const server = newServer();
  const start = `pip install -q flask && exec python -c '${app}'`;
  await createPod(server, "app", "python:3.12", ["sh", "-c", start]);
  await createService(server, "app", 8080);
  server.cluster.step(20_000);
  await createPod(server, "loop", "busybox:1.36", askApp);
  server.cluster.step(300_000);
  const first = await linesOf(server, "app");
  expect(first.filter((line) => line.endsWith('"GET / HTTP/1.1" 200 -')).length).toBeGreaterThan(150);
  server.cluster.step(10_000);
  const second = await linesOf(server, "app");
  expect(second.slice(0, first.length)).toEqual(first);
  expect(second.length).toBeGreaterThanOrEqual(first.length + 9);
});

const counter = `import http.server, redis
store = redis.Redis("store")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"%d\\n" % store.incr("n"))
http.server.HTTPServer(("", 8080), Handler).serve_forever()`;

test("L7: rows that a program's server inserts for each request are in the database", async () => {
  const server = newServer();
  await createPod(server, "store", "redis:8");
  await createService(server, "store", 6379);
  const start = `pip install -q redis && exec python -c '${counter}'`;
  await createPod(server, "app", "python:3.12", ["sh", "-c", start]);
  await createService(server, "app", 8080);
  server.cluster.step(20_000);
  await createPod(server, "loop", "busybox:1.36", askApp);
  server.cluster.step(20_000);
  const first = await linesOf(server, "loop");
  server.cluster.step(20_000);
  const second = await linesOf(server, "loop");
  expect(second.slice(0, first.length)).toEqual(first);
  expect(second.map(Number)).toEqual(second.map((_, index) => index + 1));
  expect(second.length).toBeGreaterThan(30);
});
