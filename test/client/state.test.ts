// The command `sandbar create --state`: the options that it applies and those that it refuses.
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { runCommand } from "../../client/cli/run.ts";

/** Runs `create --state` with more options against a service that records the requests. The service refuses changes with `changeStatus`. */
async function createOfState(options: readonly string[], changeStatus = 200) {
  const requests: string[] = [];
  const server = createServer((request, answer) => {
    void text(request).then((body) => {
      requests.push(`${request.method} ${request.url} ${request.method === "PATCH" ? body : ""}`.trim());
      const isRefused = request.method === "PATCH" && changeStatus !== 200;
      const value = isRefused
        ? { error: { code: "invalid_field", message: "no" } }
        : { id: "x", name: "story", token: "t", labels: {}, expiresAt: "soon" };
      if (request.method === "DELETE") answer.writeHead(204).end();
      else answer.writeHead(isRefused ? changeStatus : 200).end(JSON.stringify(value));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), "state-"));
  writeFileSync(join(folder, "story.state"), "state");
  const messages: string[] = [];
  const words = ["create", "--state", join(folder, "story.state"), "--server", `http://127.0.0.1:${port}`, "--json"];
  const code = await runCommand([...words, ...options], {
    environment: {},
    folder,
    version: "0",
    print: () => undefined,
    say: (message) => messages.push(message),
    signal: new AbortController().signal,
  });
  server.close();
  return { code, requests, messages };
}

test("K4: create --state sets the labels and the nodes of the new sandbox", async () => {
  const { code, requests } = await createOfState(["--label", "job=42", "--nodes", "2", "--name", "story"]);
  expect([code, requests]).toEqual([
    0,
    ["POST /v1/sandboxes?name=story", 'PATCH /v1/sandboxes/x {"labels":{"job":"42"},"nodes":2}'],
  ]);
});

test("K4: create --state without labels changes nothing", async () => {
  expect((await createOfState([])).requests).toEqual(["POST /v1/sandboxes"]);
});

test("K4: create --state refuses options that the state decides", async () => {
  const { code, requests, messages } = await createOfState(["--kubelet-speed", "zero", "-f", "app.yaml"]);
  expect([code, requests]).toEqual([2, []]);
  expect(messages).toEqual(["--state has these itself, so leave out --file, --kubelet-speed"]);
});

test("K4: create --state leaves no sandbox without its labels", async () => {
  const { code, requests } = await createOfState(["--label", "job=42"], 400);
  expect([code, requests.at(-1)]).toEqual([1, "DELETE /v1/sandboxes/x"]);
});
