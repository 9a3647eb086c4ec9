// GET pods/{name}/log: containers, lines, and upstream's errors.
import { describe, expect, test } from "vitest";
import { type Answer, core, newServer, refusal, refused, type TestServer } from "./server.ts";

const sh = (name: string, script: string) => ({ name, image: "busybox", command: ["sh", "-c", script] });
const counter = sh("main", "i=0; while true; do echo $i; i=$((i+1)); sleep 1; done");
const follower = (position?: string): { headers: Record<string, string> } => ({
  headers: position ? { "sandbar-log-position": position } : {},
});

async function podWith(containers: readonly object[], more: object = {}): Promise<TestServer> {
  const server = newServer();
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers, ...more } };
  expect((await server.ask("POST", `${core}/pods`, { body })).code).toBe(201);
  server.cluster.step(3000);
  return server;
}

const logOf = (server: TestServer, query = "", position?: string): Promise<Answer> =>
  server.ask("GET", `${core}/pods/web/log?${query}`, follower(position));
const badRequest = (message: string) => refused(400, "BadRequest", message);

describe("pods/log", () => {
  test("returns the output of the only container, as plain text", async () => {
    const server = await podWith([counter]);
    const { code, text, headers } = await logOf(server);
    expect({ code, text, type: headers.get("content-type") }).toEqual({
      code: 200,
      text: "0\n1\n2\n3\n",
      type: "text/plain",
    });
  });

  test("returns the last lines, those since a time, and at most the requested bytes", async () => {
    const server = await podWith([counter]);
    expect((await logOf(server, "tailLines=2")).text).toBe("2\n3\n");
    expect((await logOf(server, "tailLines=0")).text).toBe("");
    expect((await logOf(server, "sinceSeconds=1")).text).toBe("2\n3\n");
    const since = encodeURIComponent(new Date(server.cluster.clock.nowMs()).toISOString());
    expect((await logOf(server, `sinceTime=${since}`)).text).toBe("3\n");
    expect((await logOf(server, "limitBytes=3")).text).toBe("0\n1");
  });

  test("adds timestamps with nanoseconds on request", async () => {
    const server = await podWith([counter]);
    expect((await logOf(server, "tailLines=1&timestamps=true")).text).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z 3\n$/,
    );
  });

  test("continues at a follower's position, and reports the end", async () => {
    const server = await podWith([sh("main", "echo a; sleep 5; printf b")], { restartPolicy: "Never" });
    const first = await logOf(server, "follow=true");
    const position = first.headers.get("sandbar-log-position") ?? "";
    expect(first.text).toBe("a\n");
    expect((await logOf(server, "follow=true", position)).text).toBe("");
    server.cluster.step(10_000);
    const last = await logOf(server, "follow=true", position);
    expect(last.text).toBe("b");
    expect(last.headers.has("sandbar-log-position")).toBe(false);
  });

  test("continues forever, though only the last of repeated lines is kept", async () => {
    const server = await podWith([sh("main", "while true; do echo same; sleep 1; done")]);
    const position = (await logOf(server, "follow=true&tailLines=1")).headers.get("sandbar-log-position") ?? "";
    server.cluster.step(3_000_000);
    const later = (await logOf(server, "follow=true", position)).headers.get("sandbar-log-position") ?? "";
    server.cluster.step(3000);
    expect((await logOf(server, "follow=true", later)).text).toBe("same\nsame\nsame\n");
  });

  test("returns the previous run on request, with an error if there is none", async () => {
    const server = await podWith([sh("main", "echo started; sleep 20; echo failed; exit 1")]);
    expect(refusal(await logOf(server, "previous=true"))).toEqual(
      badRequest('previous terminated container "main" in pod "web" not found'),
    );
    server.cluster.step(20_000);
    expect((await logOf(server, "previous=true")).text).toBe("started\nfailed\n");
  });

  test("requires the name of an existing container if there are several", async () => {
    const server = await podWith([counter, { ...counter, name: "side" }], {
      initContainers: [sh("before", "echo ready")],
    });
    expect(refusal(await logOf(server))).toEqual(
      badRequest("a container name must be specified for pod web, choose one of: [before main side]"),
    );
    expect(refusal(await logOf(server, "container=other"))).toEqual(
      badRequest("container other is not valid for pod web"),
    );
    expect((await logOf(server, "container=before")).text).toBe("ready\n");
  });

  test("reports why a waiting container has no log", async () => {
    const server = await podWith([{ name: "main", image: "no-such-image-does-not-exist" }]);
    const { message } = refusal(await logOf(server));
    expect(message).toMatch(
      /^container "main" in pod "web" is waiting to start: (image can't be pulled|trying and failing to pull image)$/,
    );
  });

  test("is empty for a pod without a node", async () => {
    const server = await podWith([counter], { nodeSelector: { nowhere: "true" } });
    expect(await logOf(server)).toMatchObject({ code: 204, text: "" });
  });

  test("rejects invalid options", async () => {
    const server = await podWith([counter]);
    const invalid = (what: string) => refused(422, "Invalid", `PodLogOptions "web" is invalid: ${what}`);
    expect(refusal(await logOf(server, "tailLines=-1"))).toEqual(
      invalid("tailLines: Invalid value: -1: must be greater than or equal to 0"),
    );
    expect(refusal(await logOf(server, "limitBytes=0"))).toEqual(
      invalid("limitBytes: Invalid value: 0: must be greater than 0"),
    );
    expect(refusal(await logOf(server, "tailLines=many"))).toEqual(
      badRequest('strconv.ParseInt: parsing "many": invalid syntax'),
    );
  });
});

describe("pods/log at a past revision", () => {
  const at = (server: TestServer) => `at=${encodeURIComponent(new Date(server.cluster.clock.nowMs()).toISOString())}`;

  test("ends with the revision, and is not followed", async () => {
    const server = await podWith([counter]);
    const moment = at(server);
    server.cluster.step(3_000);
    expect((await logOf(server)).text).toBe("0\n1\n2\n3\n4\n5\n6\n");
    expect((await logOf(server, moment)).text).toBe("0\n1\n2\n3\n");
    const followed = await logOf(server, `${moment}&follow=true&tailLines=1`);
    expect([followed.text, followed.headers.has("sandbar-log-position")]).toEqual(["3\n", false]);
    expect((await logOf(server, `${moment}&sinceSeconds=1`)).text).toBe("2\n3\n");
    expect((await logOf(server, `${moment}&limitBytes=3`)).text).toBe("0\n1");
  });

  test("returns the run of that time, also after restarts", async () => {
    const server = await podWith([sh("main", "echo up at $(date +%s); sleep 2; exit 1")]);
    const texts: string[] = [];
    const moments: string[] = [];
    for (let run = 0; run < 4; run++) {
      texts.push((await logOf(server)).text);
      moments.push(at(server));
      server.cluster.step(120_000);
    }
    expect(new Set(texts).size).toBe(4);
    for (const [run, moment] of moments.entries()) expect((await logOf(server, moment)).text).toBe(texts[run]);
  });

  test("exists for a pod that was deleted or replaced since", async () => {
    const server = await podWith([counter]);
    const moment = at(server);
    server.cluster.step(1_000);
    await server.ask("DELETE", `${core}/pods/web?gracePeriodSeconds=0`);
    server.cluster.step(5_000);
    expect((await logOf(server, moment)).text).toBe("0\n1\n2\n3\n");
    const body = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web" },
      spec: { containers: [sh("main", "echo other")] },
    };
    await server.ask("POST", `${core}/pods`, { body });
    server.cluster.step(5_000);
    expect((await logOf(server)).text).toBe("other\n");
    expect((await logOf(server, moment)).text).toBe("0\n1\n2\n3\n");
  });
});
