// pods/{name}/exec: authorization, containers, and the steps of a session.
import { describe, expect, test } from "vitest";
import type { SessionStep, SessionStepped } from "../../shared/contract/cluster-object.ts";
import { core, newServer, refusal, refused, strangerToken, type TestServer, viewToken } from "./server.ts";

const pod = (more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  spec: { containers: [{ name: "main", image: "busybox", command: ["sleep", "86400"], ...more }] },
});

async function withPod(body: object = pod()): Promise<TestServer> {
  const server = newServer();
  expect((await server.ask("POST", `${core}/pods`, { body })).code).toBe(201);
  server.cluster.step(3000);
  return server;
}

const pathOf = (...words: string[]) =>
  `${core}/pods/web/exec?stdin=true&stdout=true&stderr=true&${words.map((word) => `command=${encodeURIComponent(word)}`).join("&")}`;

/** Opens a session as the edge does. */
async function session(server: TestServer, path: string) {
  const opened = await server.ask<{ nowMs: number }>("GET", path, { headers: { "sandbar-session": "open" } });
  expect(opened.code).toBe(200);
  const state = {
    startMs: opened.body.nowMs,
    sent: { atMs: 0, count: 0 },
    typed: [] as { atMs: number; text: string }[],
    hasEnded: false,
  };
  const step = async (text = "", change: Partial<SessionStep> = {}) => {
    if (text) state.typed.push({ atMs: server.cluster.clock.nowMs(), text });
    Object.assign(state, change);
    const headers = { "sandbar-session": "step", "sec-websocket-protocol": "v5.channel.k8s.io" };
    const { body } = await server.ask<SessionStepped>("POST", path, { headers, body: JSON.stringify(state) });
    state.sent = body.sent;
    return { ...body, text: body.output.map((piece) => piece.text).join("") };
  };
  return { step };
}

describe("pods/exec", () => {
  test("returns the output of a command, and its end", async () => {
    const server = await withPod();
    const { step } = await session(server, pathOf("sh", "-c", "echo out; echo err >&2; exit 3"));
    expect(await step()).toMatchObject({
      output: [
        { stream: "stdout", text: "out\n" },
        { stream: "stderr", text: "err\n" },
      ],
      status: {
        status: "Failure",
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: "3" }] },
        message: "command terminated with non-zero exit code: command terminated with exit code 3",
      },
    });
  });

  test("returns the time of the next output of a slow command", async () => {
    const server = await withPod();
    const { step } = await session(server, pathOf("sh", "-c", "echo a; sleep 4; echo b"));
    const first = await step();
    expect(first).toMatchObject({ text: "a\n", nextMs: first.nowMs + 4000 });
    expect(first.status).toBeUndefined();
    server.cluster.step(4000);
    expect(await step()).toMatchObject({ text: "b\n", status: { status: "Success" } });
  });

  test("runs the input of a shell line by line until it exits", async () => {
    const server = await withPod();
    const { step } = await session(server, `${pathOf("sh")}&tty=true`);
    expect((await step()).text).toBe("/ # ");
    expect((await step("x=1; cd /tmp\n")).text).toBe("/tmp # ");
    expect((await step("if true; then\n")).text).toBe("> ");
    expect((await step("echo $x $PWD; fi; pwd\n")).text).toContain("/tmp\n/tmp # ");
    expect((await step("sleep 1000\n")).text).toBe("");
    server.cluster.step(2000);
    expect((await step("\u0003")).text).toBe("/tmp # ");
    expect((await step("echo $?\n")).text).toBe("130\n/tmp # ");
    expect((await step("exit 4\n")).status).toMatchObject({ details: { causes: [{ message: "4" }] } });
  });

  test("waits for input of a program that reads, and for its end", async () => {
    const server = await withPod();
    const { step } = await session(server, pathOf("cat"));
    expect((await step("one\n")).text).toBe("one\n");
    const second = await step("two\n");
    expect(second).toMatchObject({ text: "two\n" });
    expect(second.status).toBeUndefined();
    expect(await step("", { hasEnded: true })).toMatchObject({ text: "", status: { status: "Success" } });
  });

  test("makes changes that later reads and probes see", async () => {
    const exec = { command: ["test", "-e", "/tmp/ok"] };
    const server = await withPod(pod({ readinessProbe: { exec, periodSeconds: 1 } }));
    const ready = async () => {
      const { body } = await server.ask("GET", `${core}/pods/web`);
      return (body.status["containerStatuses"] as { ready: boolean }[])[0]?.ready;
    };
    expect(await ready()).toBe(false);
    await (await session(server, pathOf("sh", "-c", "echo hello > /tmp/ok"))).step();
    server.cluster.step(3000);
    expect(await ready()).toBe(true);
    expect((await (await session(server, pathOf("cat", "/tmp/ok"))).step()).text).toBe("hello\n");
  });

  test("ends with its container", async () => {
    const server = await withPod(pod({ command: ["sleep", "10"] }));
    const { step } = await session(server, pathOf("sleep", "100"));
    expect((await step()).status).toBeUndefined();
    server.cluster.step(9000);
    expect((await step()).status).toMatchObject({ details: { causes: [{ message: "137" }] } });
  });

  test("returns the runtime's error for a missing program", async () => {
    const server = await withPod();
    const { step } = await session(server, pathOf("vim"));
    expect(((await step()).status as { message: string }).message).toMatch(
      /^Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "[0-9a-f]{64}": OCI runtime exec failed: exec failed: unable to start container process: exec: "vim": executable file not found in \$PATH$/,
    );
  });

  test("rejects requests without upgrade, and SPDY with a hint", async () => {
    const server = await withPod();
    expect(refusal(await server.ask("POST", pathOf("ls")))).toEqual(
      refused(400, "BadRequest", "Upgrade request required"),
    );
    const spdy = await server.ask("POST", pathOf("ls"), { headers: { upgrade: "SPDY/3.1" } });
    expect(refusal(spdy)).toMatchObject({ status: 400, reason: "BadRequest" });
  });

  test("rejects unknown containers, and containers that do not run", async () => {
    const server = await withPod(pod({ image: "does-not-exist", command: [] }));
    expect(refusal(await server.ask("GET", `${pathOf("ls")}&container=other`))).toEqual(
      refused(400, "BadRequest", "container other is not valid for pod web"),
    );
    expect(await server.ask("GET", pathOf("ls"))).toMatchObject({ code: 500, text: 'container not found ("main")' });
  });

  test.each(["GET", "POST"])("A4: is rejected for a view token before anything is read, by %s", async (method) => {
    const server = await withPod();
    const verb = method === "GET" ? "get" : "create";
    const message = `User "viewer" cannot ${verb} resource "pods/exec" in API group "" in the namespace "default"`;
    for (const session of [undefined, "open", "step"]) {
      const headers: Record<string, string> = session === undefined ? {} : { "sandbar-session": session };
      for (const name of ["web", "absent"]) {
        const answer = await server.ask(method, pathOf("ls").replace("/web/", `/${name}/`), {
          token: viewToken,
          headers,
        });
        expect(refusal(answer)).toEqual(refused(403, "Forbidden", `pods "${name}" is forbidden: ${message}`));
      }
    }
  });

  test("A4: is refused for a user with only `get`", async () => {
    const server = await withPod();
    const rules = [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] }];
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const subjects = [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }];
    const roleRef = { kind: "Role", name: "getter", apiGroup: "rbac.authorization.k8s.io" };
    const metadata = { name: "getter" };
    const apiVersion = "rbac.authorization.k8s.io/v1";
    await server.ask("POST", `${rbac}/roles`, { body: { apiVersion, kind: "Role", metadata, rules } });
    await server.ask("POST", `${rbac}/rolebindings`, {
      body: { apiVersion, kind: "RoleBinding", metadata, subjects, roleRef },
    });
    const headers = { "sandbar-session": "open" };
    const got = await server.ask("GET", pathOf("ls"), { token: strangerToken, headers });
    expect(refusal(got)).toEqual(refused(403, "Forbidden", 'pods "web" is forbidden: '));
    expect((await server.ask("POST", pathOf("ls"), { token: strangerToken, headers })).code).toBe(403);
  });
});
