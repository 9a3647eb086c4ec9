// Requests that the edge has forwarded unchanged, with the data that the platform adds.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { handle } from "../../worker/api/handler.ts";
import { adminToken, configMap, core, newServer } from "./server.ts";

const server = "sandbar-server";
const authorization = `Bearer ${adminToken}`;

test.each<[string, Record<string, string>, number]>([
  [core, {}, 200],
  [`/c/abc${core}`, {}, 200],
  // The edge has already removed the sandbox from the path.
  [core, { [server]: "https://service/c/abc" }, 200],
  [`/c/abc${core}`, { [server]: "https://service/c/abc" }, 404],
  [`/c/abc/c/abc${core}`, {}, 404],
  ["/c/abc", {}, 200],
])("A7: %s with %j is answered %i", async (path, headers, code) => {
  const { ask } = newServer();
  expect((await ask("GET", path === "/c/abc" ? path : `${path}/configmaps`, { headers })).code).toBe(code);
});

test.each([
  ["gzip, br", "identity", "gzip"],
  ["identity", "gzip", null],
  [undefined, "gzip", "gzip"],
])(
  "V2: with %j from the platform and %s in the header the client accepts %j",
  async (platformEncoding, header, expected) => {
    const { ask, service } = newServer();
    await ask("POST", `${core}/configmaps`, { body: configMap("large", { text: "x".repeat(limits.gzipBytes) }) });
    const headers = { authorization, "accept-encoding": header };
    const request = new Request(`https://test${core}/configmaps/large`, { headers });
    if (platformEncoding !== undefined)
      Object.defineProperty(request, "cf", { value: { clientAcceptEncoding: platformEncoding } });
    expect((await handle(service, request)).headers.get("content-encoding")).toBe(expected);
  },
);
