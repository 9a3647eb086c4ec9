// Settings from the environment: valid values, and one line for each invalid one.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Refusal } from "../../scripts/local/refusal.ts";
import { host, givenKey, namesOf, readSettings } from "../../scripts/local/settings.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbar-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The one line that a start with these variables ends with. */
async function refusalOf(environment: Record<string, string>): Promise<string> {
  const anyPorts = { SANDBAR_DATA: folder, SANDBAR_HTTPS_PORT: "0", SANDBAR_HTTP_PORT: "0" };
  const refusal: unknown = await readSettings({ ...anyPorts, ...environment }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(Refusal);
  const message = refusal instanceof Refusal ? refusal.message : "";
  expect(message).not.toContain("\n");
  return message;
}

test("the data folder is created if it is missing, and port 0 is a free port", async () => {
  const data = join(folder, "a/b");
  const settings = await readSettings({ SANDBAR_DATA: data, SANDBAR_HTTPS_PORT: "0", SANDBAR_HTTP_PORT: "0" });
  expect(settings.data).toBe(data);
  expect(settings.httpsPort).toBeGreaterThan(1023);
  expect(settings.httpPort).not.toBe(settings.httpsPort);
});

test("a busy port is named with the variable that changes it", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : 0;
  const message = await refusalOf({ SANDBAR_HTTP_PORT: String(port) });
  await new Promise((resolve) => server.close(resolve));
  expect(message).toBe(`Port ${port} is busy: set SANDBAR_HTTP_PORT to another.`);
});

test("an unwritable folder is named with the variable that changes it", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const data of [file, join(file, "below"), "/proc/nowhere"]) {
    const message = await refusalOf({ SANDBAR_DATA: data });
    expect(message).toContain(`The data folder ${data} cannot be written`);
    expect(message).toContain("SANDBAR_DATA");
  }
});

test.each([["abc"], ["-1"], ["65536"], ["80.5"]])("%s is refused as a port", async (port) => {
  expect(await refusalOf({ SANDBAR_HTTPS_PORT: port })).toBe(
    `SANDBAR_HTTPS_PORT must be a port number, not "${port}".`,
  );
});

test("the service listens on this machine only by default, and kubeconfigs point there", async () => {
  const ports = { SANDBAR_DATA: folder, SANDBAR_HTTPS_PORT: "0", SANDBAR_HTTP_PORT: "0" };
  const settings = await readSettings(ports);
  const server = `https://127.0.0.1:${settings.httpsPort}`;
  expect(settings).toMatchObject({ listen: "127.0.0.1", httpListen: "127.0.0.1", server, domain: undefined });
  const everywhere = await readSettings({ ...ports, SANDBAR_LISTEN: "0.0.0.0" });
  expect(everywhere).toMatchObject({ listen: "0.0.0.0", server: `https://127.0.0.1:${everywhere.httpsPort}` });
  expect(namesOf(everywhere)).toEqual(["127.0.0.1"]);
});

test("the HTTP port listens on all addresses in a container, and the key comes from the environment", async () => {
  const ports = { SANDBAR_DATA: folder, SANDBAR_HTTPS_PORT: "0", SANDBAR_HTTP_PORT: "0" };
  expect(await readSettings({ ...ports, SANDBAR_HTTP_LISTEN: "0.0.0.0" })).toMatchObject({ httpListen: "0.0.0.0" });
  expect(await refusalOf({ SANDBAR_HTTP_LISTEN: "localhost" })).toContain("SANDBAR_HTTP_LISTEN must be an IP address");
  const key = `sbk_${"a1".repeat(12)}`;
  expect([givenKey({ SANDBAR_LOCAL_KEY: key }), givenKey({})]).toEqual([key, undefined]);
  expect(() => givenKey({ SANDBAR_LOCAL_KEY: "sbk_short" })).toThrow("SANDBAR_LOCAL_KEY must be");
});

test("kubeconfigs and the certificate follow the configured server address", async () => {
  const environment = {
    SANDBAR_DATA: folder,
    SANDBAR_HTTPS_PORT: "0",
    SANDBAR_HTTP_PORT: "0",
    SANDBAR_LISTEN: "::1",
    SANDBAR_SERVER: "https://sandbar.example.org/",
    SANDBAR_DOMAIN: "boxes.example.org",
  };
  const settings = await readSettings(environment);
  expect(settings.server).toBe("https://sandbar.example.org");
  expect(settings.domain).toBe(`boxes.example.org:${settings.httpsPort}`);
  expect(namesOf(settings)).toEqual(["::1", "sandbar.example.org", "boxes.example.org", "*.boxes.example.org"]);
  const { domain } = await readSettings({ ...environment, SANDBAR_DOMAIN: "boxes.example.org:443" });
  expect(domain).toBe("boxes.example.org:443");
});

test.each([
  ["SANDBAR_LISTEN", "everywhere"],
  ["SANDBAR_LISTEN", "example.org"],
  ["SANDBAR_SERVER", "http://example.org"],
  ["SANDBAR_SERVER", "example.org"],
  ["SANDBAR_DOMAIN", "https://example.org"],
  ["SANDBAR_DOMAIN", "*.example.org"],
])("%s=%s is refused", async (variable, value) => {
  const message = await refusalOf({ [variable]: value });
  expect(message).toContain(`${variable} must be`);
  expect(message).toContain(`"${value}"`);
});

test.each([
  ["SANDBAR_PLAN", "gold", 'SANDBAR_PLAN must be one of unmetered, team, free, trial, not "gold".'],
  ["SANDBAR_LIMITS", "{", "SANDBAR_LIMITS must be JSON as docs/configuration.md describes it."],
  [
    "SANDBAR_LIMITS",
    '{"objects": "x"}',
    "SANDBAR_LIMITS must be JSON as docs/configuration.md describes it (objects: ",
  ],
  ["SANDBAR_MAIL", '{"body": {}}', "SANDBAR_MAIL must be JSON as docs/configuration.md describes it (url: "],
])("%s=%s, which the Worker could not use, is refused before the start", async (variable, text, message) => {
  expect(await refusalOf({ [variable]: text })).toContain(message);
});
