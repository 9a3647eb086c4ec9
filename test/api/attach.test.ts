// pods/{name}/attach: the output and the input of a container's main process.
import { describe, expect, test } from "vitest";
import type { SessionOpened, SessionStep, SessionStepped } from "../../shared/contract/cluster-object.ts";
import { core, newServer, refusal, type TestServer, viewToken } from "./server.ts";

const path = `${core}/pods/web/attach?stdin=true&stdout=true&stderr=true&tty=true`;

async function withPod(container: object, spec: object = {}): Promise<TestServer> {
  const server = newServer();
  const containers = [{ name: "main", image: "busybox", ...container }];
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers, ...spec } };
  expect((await server.ask("POST", `${core}/pods`, { body })).code).toBe(201);
  server.cluster.step(3000);
  return server;
}

async function attachTo(server: TestServer) {
  const opened = await server.ask<SessionOpened>("GET", path, {
    headers: { "sandbar-session": "open" },
  });
  expect(opened.code).toBe(200);
  const { nowMs: startMs, sent } = opened.body;
  const state = { startMs, sent, typed: [] as { atMs: number; text: string }[], hasEnded: false };
  return async (text = "", change: Partial<SessionStep> = {}) => {
    if (text) state.typed.push({ atMs: server.cluster.clock.nowMs(), text });
    Object.assign(state, change);
    const headers = { "sandbar-session": "step" };
    const { body } = await server.ask<SessionStepped>("POST", path, { headers, body: JSON.stringify(state) });
    state.sent = body.sent;
    return { ...body, text: body.output.map((piece) => piece.text).join("") };
  };
}

const phaseOf = async (server: TestServer) => (await server.ask("GET", `${core}/pods/web`)).body.status["phase"];

describe("pods/attach", () => {
  test("returns the output from now on, and the time of the next output", async () => {
    const server = await withPod({ command: ["sh", "-c", "while true; do date +%S; sleep 2; done"] });
    const step = await attachTo(server);
    const first = await step();
    expect(first).toMatchObject({ text: "", nextMs: first.nowMs + 1000 });
    server.cluster.step(4000);
    expect((await step()).text.split("\n")).toHaveLength(3);
  });

  test("sends input to a container's shell, and its end ends the container", async () => {
    const server = await withPod({ stdin: true, stdinOnce: true, tty: true }, { restartPolicy: "Never" });
    const step = await attachTo(server);
    expect((await step("\n")).text).toBe("/ # ");
    expect((await step("echo hi\n")).text).toBe("hi\n/ # ");
    expect(await phaseOf(server)).toBe("Running");
    await step("exit 0\n");
    server.cluster.step(2000);
    expect((await step()).status).toMatchObject({ status: "Success" });
    expect(await phaseOf(server)).toBe("Succeeded");
    expect((await server.ask("GET", `${core}/pods/web/log`)).text).toContain("hi\n");
  });

  test("ends the process at the end of input, with stdinOnce", async () => {
    const server = await withPod({ command: ["cat"], stdin: true, stdinOnce: true }, { restartPolicy: "Never" });
    const step = await attachTo(server);
    expect((await step("hello\n")).text).toBe("hello\n");
    await step("", { hasEnded: true });
    server.cluster.step(2000);
    expect(await phaseOf(server)).toBe("Succeeded");
  });

  test("ends only the session at the end of input, without stdinOnce", async () => {
    const server = await withPod({ command: ["cat"], stdin: true }, { restartPolicy: "Never" });
    const step = await attachTo(server);
    expect(await step("hello\n", { hasEnded: true })).toMatchObject({ text: "hello\n", status: { status: "Success" } });
    server.cluster.step(2000);
    expect(await phaseOf(server)).toBe("Running");
    const again = await attachTo(server);
    expect(await again("you\n")).toMatchObject({ text: "you\n" });
    expect((await server.ask("GET", `${core}/pods/web/log`)).text).toBe("hello\nyou\n");
  });

  test("A4: is refused for a view token, and for an ended container", async () => {
    const server = await withPod({ command: ["true"] }, { restartPolicy: "Never" });
    expect(refusal(await server.ask("GET", path, { token: viewToken })).status).toBe(403);
    expect(await server.ask("GET", path)).toMatchObject({
      code: 500,
      text: "container main not found in pod web_default",
    });
  });
});
