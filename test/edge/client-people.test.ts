// The client's methods and commands about keys and people, over the control API itself.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseArgs } from "node:util";
import { commands, parseOptions } from "../../client/cli/commands.ts";
import { completion } from "../../client/cli/completion.ts";
import { UsageError } from "../../client/cli/values.ts";
import { classCommands } from "../../client/cli/classes.ts";
import type { Run } from "../../client/cli/command-run.ts";
import { hostedPages } from "../../client/cli/hosted-pages.ts";
import { peopleCommands } from "../../client/cli/people.ts";
import { Sandbar, SandbarError } from "../../client/index.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { document, operationAt } from "./documented.ts";
import { keys, newService } from "./service.ts";

const url = "http://localhost:8787";
const passkey = { id: "x", rawId: "x", type: "public-key" as const, response: {} };

describe("the library", () => {
  test("K1: has a method for each operation, which sends its request", async () => {
    const requests: string[] = [];
    const fetch = async (input: string, init?: RequestInit) => {
      const { pathname } = new URL(input);
      requests.push(operationAt(init?.method ?? "GET", pathname)?.operationId ?? "");
      return Response.json({ sandboxes: [], deleted: [] });
    };
    const client = new Sandbar({ url, key: "k", fetch: fetch as typeof globalThis.fetch });
    const argumentsByOperation: Readonly<Record<string, unknown[]>> = {
      createKey: [{}],
      signInByPasskey: [passkey],
      joinOptions: ["code", "name"],
      join: ["code", "name", passkey],
      diffStates: ["x", "1"],
      redeliver: ["x", "1"],
      followEvents: [{}, AbortSignal.abort()],
    };
    const operations = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      // Identity providers have clients of their own for SCIM.
      .filter(({ tags }) => !tags.includes("scim"))
      .filter(({ operationId, responses }) => !operationId.endsWith("OfSandbox") && !("302" in responses));
    for (const { operationId } of operations) {
      const resources: object[] = [
        client.people,
        client.learner,
        client.classes,
        client.time,
        client.events,
        client.embed,
        client.lti,
        client.operator,
        client.operator.copies,
      ];
      const owner = resources.find((resource) => operationId in resource) ?? client;
      const method = (owner as Record<string, ((...words: unknown[]) => Promise<unknown>) | undefined>)[operationId];
      expect(method, operationId).toBeTypeOf("function");
      const answer = await method?.call(owner, ...(argumentsByOperation[operationId] ?? ["x", {}]));
      // A stream asks when its first entry is read.
      if (["followEvents", "exportTenant"].includes(operationId)) await (answer as AsyncGenerator).next();
      expect(requests.pop()).toBe(operationId);
    }
    expect(operations.length).toBeGreaterThan(50);
  });
});

describe("the command line", () => {
  let harness: Awaited<ReturnType<typeof newService>>;

  beforeEach(async () => {
    harness = await newService();
    vi.stubGlobal("fetch", async (input: string, init?: RequestInit) =>
      controlApiApp.fetch(new Request(input, init), { controlApi: harness.service }),
    );
  });
  afterEach(() => vi.unstubAllGlobals());

  async function sandbar(words: readonly string[], key = keys.ada) {
    const [printed, errorOutput] = [[] as string[], [] as string[]];
    const [name = "", ...args] = words;
    const command = commands[name];
    if (!command) throw new Error(`there is no command ${name}`);
    const parsed = parseArgs({ args, options: parseOptions(command), allowPositionals: true });
    const values: Readonly<Record<string, unknown>> = parsed.values;
    const run: Run = {
      environment: {},
      folder: "",
      version: "",
      signal: new AbortController().signal,
      client: new Sandbar({ url, key }),
      words: parsed.positionals,
      text: (option: string) => values[option] as string | undefined,
      texts: (option: string) => (values[option] ?? []) as string[],
      has: (option: string) => values[option] === true,
      print: (text: string) => void printed.push(String(text)),
      say: (text: string) => void errorOutput.push(text),
    };
    try {
      await { ...hostedPages, ...classCommands, ...peopleCommands }[name]?.(run);
      return { code: 0, out: printed.join(""), said: errorOutput.join("\n") };
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof SandbarError)) throw error;
      return { code: error instanceof UsageError ? 2 : 1, out: "", said: error.message };
    }
  }

  test("K4: creates, lists and revokes a key, and whoami describes it", async () => {
    const result = await sandbar(["create-key", "--name", "ci", "--scope", "sandboxes:read,keys:read", "--ttl", "1h"]);
    expect([result.code, result.said]).toEqual([
      0,
      expect.stringMatching(/^key [0-9a-f]{20} \(ci\); it is shown this once$/),
    ]);
    const key = result.out.trim();
    const whoami = "tenant: ada\nkey: ci\nscopes: sandboxes:read keys:read\n";
    expect(await sandbar(["whoami"], key)).toEqual({ code: 0, out: whoami, said: "" });
    const { out } = await sandbar(["keys"], key);
    expect(out).toMatch(/^ID +NAME +EXPIRES +LAST USED +SCOPES\n/);
    const id = /^([0-9a-f]{20}) +ci +2026-01-01T01:00:00.000Z/m.exec(out)?.[1] ?? "";
    expect(await sandbar(["members"], key)).toMatchObject({
      code: 1,
      said: expect.stringContaining("members:read"),
    });
    expect(await sandbar(["revoke-key", id])).toMatchObject({ code: 0, said: `${id} is revoked` });
    expect(await sandbar(["whoami"], key)).toMatchObject({ code: 1 });
  });

  test("K4: an invitation's link, the members and the log are printed", async () => {
    const { out, said: errorOutput } = await sandbar(["invite", "--role", "viewer", "--ttl", "1d"]);
    expect(out).toMatch(/^http:\/\/localhost:8787\/#\/join\/sbi_[a-z2-7]{51}\n$/);
    expect(errorOutput).toBe("for one person, as viewer, until 2026-01-02T00:00:00.000Z");
    expect((await sandbar(["members"])).out).toBe("ID  NAME  ROLE  JOINED\n");
    expect((await sandbar(["audit", "--limit", "1"])).out).toMatch(
      /^AT .*\n2026-01-01T00:00:00.000Z  operator  createInvitation .* done\n$/,
    );
    for (const command of ["keys", "members", "audit", "whoami"])
      expect(JSON.parse((await sandbar([command, "--json"])).out)).toBeDefined();
  });

  test("K4: a class's link is printed, the classes of a lesson are listed, and one is revoked", async () => {
    const checks = [{ name: "a", points: 2, hint: "", expression: "true" }];
    const steps = [{ title: "One", text: "x", checks }];
    await harness.send("POST", "/v1/lessons", { body: { name: "first", title: "First", steps } });
    const result = await sandbar(["class", "create", "first", "--title", "7b", "--seats", "3", "--ttl", "2d"]);
    expect(result.out).toMatch(/^http:\/\/localhost:8787\/learn\/join#sbj_\w+\n$/);
    const [, id = ""] = /^class (\w+): 3 seats, .* until 2026-01-03T00:00:00.000Z$/.exec(result.said) ?? [];
    expect((await sandbar(["class", "list", "first"])).out).toMatch(
      new RegExp(`^CLASS +SEATS +EXPIRES +LINK +TITLE\n${id} +0/3 +2026-01-03T00:00:00.000Z +http\\S+ +7b\n$`),
    );
    const json = JSON.parse((await sandbar(["class", "list", "first", "--json"])).out) as unknown;
    expect(json).toMatchObject([{ id, title: "7b", seats: 3, taken: 0, url: result.out.trim() }]);
    const another = await sandbar(["class", "create", "first", "--title", "7c", "--json"]);
    expect(JSON.parse(another.out)).toMatchObject({ lesson: "first", title: "7c" });
    expect(await sandbar(["class", "delete", "first", id])).toEqual({ code: 0, out: "", said: `${id} is deleted` });
    expect(JSON.parse((await sandbar(["class", "list", "first", "--json"])).out)).toMatchObject([{ title: "7c" }]);
    expect(await sandbar(["class", "delete", "first", id])).toMatchObject({ code: 1 });
  });

  test.each([
    [["class", "walk"], "say create, list, seats, message, compare, delete"],
    [["class", "list"], "name the lesson"],
    [["class", "create", "first"], "--title is required"],
    [["class", "create", "first", "second", "--title", "7b"], "name one lesson"],
    [["class", "create", "first", "--title", "7b", "--seats", "many"], "--seats must be a whole number"],
    [["class", "delete", "first"], "name the classes by their ids"],
  ])("K4: %j is a wrong command", async (words, errorOutput) => {
    expect(await sandbar(words)).toMatchObject({ code: 2, out: "", said: expect.stringContaining(errorOutput) });
  });

  test("K4: creates a publishable key with its limits, lists and revokes it", async () => {
    const words = ["publishable-key", "create", "--name", "docs", "--origin", "https://a.example.org", "--ttl", "10m"];
    const result = await sandbar([...words, "--template", "guestbook", "--per-visitor", "2", "--at-once", "9"]);
    expect(result).toMatchObject({ code: 0, said: "for pages of https://a.example.org" });
    const key = result.out.trim();
    expect(key).toMatch(/^pk_/);
    const listed = await sandbar(["publishable-key", "list"]);
    expect(listed.out).toMatch(/^KEY +NAME +ORIGINS +GIVES\npk_\S+ +docs +https:\/\/a\.example\.org +guestbook\n$/);
    const limits = { perVisitor: 2, atOnce: 9 };
    expect(JSON.parse((await sandbar(["publishable-key", "list", "--json"])).out)).toMatchObject([
      { key, ttlSeconds: 600, limits },
    ]);
    expect(await sandbar(["publishable-key", "revoke", key])).toMatchObject({ code: 0, said: `${key} is revoked` });
    expect(JSON.parse((await sandbar(["publishable-key", "list", "--json"])).out)).toEqual([]);
  });

  test("K4: prints the LTI tool, and adds, lists, changes and removes a platform", async () => {
    expect(JSON.parse((await sandbar(["lti", "tool"])).out)).toHaveProperty("loginUrl");
    expect((await sandbar(["lti", "register"])).out).toMatch(/^http/);
    const at = "https://lms.example.org";
    const addresses = ["--authorization-url", `${at}/auth`, "--token-url", `${at}/token`, "--jwks-url", `${at}/keys`];
    const words = ["lti", "add", "--name", "School", "--issuer", at, "--client-id", "c1", ...addresses];
    const result = await sandbar([...words, "--deployment", "1"]);
    const id = result.out.trim();
    expect([result.code, id]).toEqual([0, expect.stringMatching(/^\S+$/)]);
    expect((await sandbar(["lti", "list"])).out).toContain(`${id}  School  ${at}  c1         1\n`);
    const changed = await sandbar(["lti", "change", id, "--deployment", "1", "--deployment", "2"]);
    expect(JSON.parse(changed.out)).toMatchObject({ id, deployments: ["1", "2"] });
    expect(JSON.parse((await sandbar(["lti", "show", id])).out)).toMatchObject({ name: "School" });
    expect((await sandbar(["lti", "scores", id])).out).toBe("CREATED  STATE  ATTEMPTS  STATUS  ERROR\n");
    expect(await sandbar(["lti", "remove", id])).toMatchObject({ code: 0, said: `${id} is removed` });
    expect(await sandbar(["lti", "show", id])).toMatchObject({ code: 1 });
  });

  test("K4: completes commands after their first word", () => {
    expect(completion("bash")).toContain('publishable-key) words="create list revoke --name');
    expect(completion("bash")).toContain(
      'class) words="create list seats message time pause resume compare delete --deadline',
    );
    expect(completion("bash")).toContain('create) words="--name');
  });

  test.each([
    [["publishable-key", "nope"], 'say create, list, revoke, not "nope"'],
    [["publishable-key", "create", "--name", "x"], "--name and --origin are required"],
    [["publishable-key", "revoke"], "name the keys"],
    [["lti", "add", "--name", "x"], "--issuer is required"],
    [["lti", "change", "x"], "give --name or --deployment"],
    [["lti", "show"], "name the platform by its id"],
    [["create-key"], "--name and --scope are required"],
    [["invite", "--role", "king"], "--role must be viewer, member or owner"],
    [["audit", "--limit", "x"], "--limit must be a whole number"],
  ])("K4: %j is a wrong command", async (words, errorOutput) => {
    expect(await sandbar(words)).toMatchObject({ code: 2, out: "", said: expect.stringContaining(errorOutput) });
  });
});
