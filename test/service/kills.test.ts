// Kills at random moments on the same data: acknowledged writes are stored, deletions are final, and nothing is incomplete.
// SANDBAR_KILL_ROUNDS sets the number of kills, SANDBAR_KILL_SEED their moments.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type SandboxWithToken, sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { type Dice, diceOf } from "../simulation/dice.ts";
import { control } from "./sandbox.ts";
import { type RunningService, freePorts, startService } from "./service.ts";

const rounds = Number(process.env.SANDBAR_KILL_ROUNDS ?? "3");
const seed = Number(process.env.SANDBAR_KILL_SEED ?? "1");
/** Milliseconds of work before a kill, at most. */
const workMs = 1_500;
/** Clients that write at once. */
const clients = 4;

/** The state that a name must have after the kill: "any" if its answer had not arrived. */
type Expected = "there" | "gone" | "any";

/** The contents of the service, as far as the clients know them. */
interface Known {
  /** ConfigMaps of the first sandbox, by name. */
  readonly configMaps: Map<string, Expected>;
  readonly sandboxes: Map<string, { readonly sandbox: SandboxWithToken; expected: Expected }>;
}

const data = mkdtempSync(join(tmpdir(), "sandbar-kills-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test(
  `C3: after ${rounds} kills at random moments (seed ${seed}) every acknowledged write is stored and no sandbox is incomplete`,
  async () => {
    const ports = await freePorts();
    const start = () => startService({ data, ports, environment: { SANDBAR_KUBELET_DELAYS: "zero" } });
    const dice = diceOf(seed);
    const expectations: Known = { configMaps: new Map(), sandboxes: new Map() };
    let service = await start();
    const home = await create(service);
    try {
      for (let round = 0; round < rounds; round++) {
        await workUntilKilled(service, home, expectations, dice);
        service = await start();
        await verify(service, home, expectations);
      }
    } finally {
      await service.stop();
    }
  },
  120_000 + rounds * 15_000,
);

async function workUntilKilled(
  service: RunningService,
  home: SandboxWithToken,
  expectations: Known,
  dice: Dice,
): Promise<void> {
  const ended = { value: false };
  const work = async () => {
    while (!ended.value) {
      try {
        await oneStep(service, home, expectations, dice);
      } catch {
        return; // The service is dead.
      }
    }
  };
  const working = Array.from({ length: clients }, work);
  await new Promise((done) => setTimeout(done, dice.below(workMs)));
  await service.kill();
  ended.value = true;
  await Promise.all(working);
}

async function oneStep(
  service: RunningService,
  home: SandboxWithToken,
  expectations: Known,
  dice: Dice,
): Promise<void> {
  const existingNames = [...expectations.configMaps]
    .filter(([, expected]) => expected === "there")
    .map(([name]) => name);
  const sandboxes = [...expectations.sandboxes.values()].filter(({ expected }) => expected === "there");
  const kind = dice.below(10);
  if (kind === 0) {
    const sandbox = await create(service);
    expectations.sandboxes.set(sandbox.id, { sandbox, expected: "there" });
  } else if (kind === 1 && sandboxes.length > 0) {
    const chosenSandbox = dice.pick(sandboxes);
    if (!chosenSandbox) return;
    chosenSandbox.expected = "any";
    const { status } = await control(service.address, `/v1/sandboxes/${chosenSandbox.sandbox.id}`, {
      method: "DELETE",
    });
    if (status < 300) chosenSandbox.expected = "gone";
  } else if (kind < 4 && existingNames.length > 0) {
    const name = dice.pick(existingNames) ?? "";
    expectations.configMaps.set(name, "any");
    const { status } = await kubernetes(service, home, `${configMaps}/${name}`, { method: "DELETE" });
    if (status === 200) expectations.configMaps.set(name, "gone");
  } else {
    const name = `c-${expectations.configMaps.size}-${dice.below(1_000_000)}`;
    expectations.configMaps.set(name, "any");
    const body = JSON.stringify({ metadata: { name }, data: { text: "x".repeat(dice.below(20_000)) } });
    const { status } = await kubernetes(service, home, configMaps, { method: "POST", body });
    if (status === 201) expectations.configMaps.set(name, "there");
  }
}

const configMaps = "/api/v1/namespaces/default/configmaps";

async function verify(service: RunningService, home: SandboxWithToken, expectations: Known): Promise<void> {
  const list = await kubernetes(service, home, configMaps);
  expect(list.status).toBe(200);
  const { items } = (await list.json()) as { items: { metadata: { name: string } }[] };
  const names = new Set(items.map(({ metadata }) => metadata.name));
  const wrong = [...expectations.configMaps].filter(
    ([name, expected]) => (expected === "there" && !names.has(name)) || (expected === "gone" && names.has(name)),
  );
  expect(wrong).toEqual([]);
  for (const name of expectations.configMaps.keys())
    expectations.configMaps.set(name, names.has(name) ? "there" : "gone");
  await verifySandboxes(service, expectations);
}

/** Requires that every listed sandbox works, and that every other one is deleted everywhere. */
async function verifySandboxes(service: RunningService, expectations: Known): Promise<void> {
  const answer = await control(service.address, "/v1/sandboxes?limit=500");
  const { sandboxes } = sandboxList.parse(await answer.json());
  const listed = new Set(sandboxes.map(({ id }) => id));
  for (const { id } of sandboxes) {
    const response = await control(service.address, `/v1/sandboxes/${id}`);
    expect(response.status, `GET of ${id}, which is listed`).toBe(200);
    const sandbox = sandboxWithToken.parse(await response.json());
    expect((await kubernetes(service, sandbox, "/api/v1/nodes")).status, `nodes of ${id}, which is listed`).toBe(200);
    const body = JSON.stringify({ ttlSeconds: 60 });
    const token = await control(service.address, `/v1/sandboxes/${id}/tokens`, { method: "POST", body });
    expect(token.status, `a token of ${id}, which is listed`).toBe(201);
  }
  for (const [id, knownSandbox] of expectations.sandboxes) {
    if (knownSandbox.expected !== "any")
      expect(listed.has(id), `${id} was acknowledged to be ${knownSandbox.expected}`).toBe(
        knownSandbox.expected === "there",
      );
    knownSandbox.expected = listed.has(id) ? "there" : "gone";
    if (listed.has(id)) continue;
    expect([404, 410]).toContain((await control(service.address, `/v1/sandboxes/${id}`)).status);
    expect([404, 410]).toContain((await kubernetes(service, knownSandbox.sandbox, "/api/v1/nodes")).status);
  }
}

async function create(service: RunningService): Promise<SandboxWithToken> {
  const body = JSON.stringify({ ttlSeconds: 3600, nodes: 1 });
  const answer = await control(service.address, "/v1/sandboxes", { method: "POST", body });
  expect(answer.status).toBe(201);
  return sandboxWithToken.parse(await answer.json());
}

function kubernetes(service: RunningService, { id, token }: SandboxWithToken, path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${service.address.http}/c/${id}${path}`, { ...init, headers });
}
