// Kills during snapshots, restores, forks and undos: each sandbox has its old or its new state. SANDBAR_KILL_ROUNDS sets the number of
// kills, SANDBAR_KILL_SEED their moments.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type SandboxWithToken, sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { snapshot, snapshotList } from "../../shared/contract/snapshot.ts";
import { diceOf } from "../simulation/dice.ts";
import { control } from "./sandbox.ts";
import { type RunningService, freePorts, startService } from "./service.ts";

const rounds = Number(process.env.SANDBAR_KILL_ROUNDS ?? "3");
const seed = Number(process.env.SANDBAR_KILL_SEED ?? "1");
/** Milliseconds of work before a kill, at most. */
const workMs = 1_200;
const configMaps = "/api/v1/namespaces/default/configmaps";
/** In each state there are so many of its own. */
const each = 20;

const data = mkdtempSync(join(tmpdir(), "sandbar-kills-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test(
  `A5: a restore, fork, undo or snapshot is complete or absent after ${rounds} kills (seed ${seed})`,
  async () => {
    const ports = await freePorts();
    const start = () => startService({ data, ports, environment: { SANDBAR_KUBELET_DELAYS: "zero" } });
    const dice = diceOf(seed);
    let service = await start();
    try {
      const home = sandboxWithToken.parse(await posted(service, "/v1/sandboxes", { nodes: 0 }));
      const states: string[] = [];
      const finished: number[] = [];
      for (const state of ["a", "b"]) states.push(await prepared(service, home, state));
      const undone = sandboxWithToken.parse(await posted(service, "/v1/sandboxes", { snapshot: states[0] }));
      for (let round = 0; round < rounds; round++) {
        // What is restored all the time has nothing to undo.
        const working = ["restore", "undo", "fork", "snapshot"].map((what) =>
          work(service, what === "undo" ? undone : home, states, what),
        );
        await new Promise((done) => setTimeout(done, 200 + dice.below(workMs)));
        await service.kill();
        for (const [at, done] of (await Promise.all(working)).entries()) finished[at] = (finished[at] ?? 0) + done;
        service = await start();
        await verify(service);
      }
      // It was killed at work.
      expect(finished.filter((done) => done > 0)).toHaveLength(4);
    } finally {
      await service.stop();
    }
  },
  120_000 + rounds * 20_000,
);

/** A snapshot in which there are a state's own ConfigMaps alone. */
async function prepared(service: RunningService, home: SandboxWithToken, state: string): Promise<string> {
  for (const name of await namesIn(service, home)) await kubernetes(service, home, `${configMaps}/${name}`, "DELETE");
  for (let at = 0; at < each; at++)
    await kubernetes(service, home, configMaps, "POST", { metadata: { name: `${state}-${at}` } });
  return snapshot.parse(await posted(service, `/v1/sandboxes/${home.id}/snapshots`, { name: state })).id;
}

/**
 * Works until the service is killed, and returns the number of finished steps. Other requests may be refused meanwhile, but nothing fails.
 */
async function work(service: RunningService, home: SandboxWithToken, states: string[], what: string): Promise<number> {
  let done = 0;
  for (let at = 0; ; at++) {
    const path = `/v1/sandboxes/${home.id}`;
    const state = states[at % states.length];
    const ask = async (method: string, to: string, body: object = {}) => {
      const answer = await control(service.address, to, { method, body: JSON.stringify(body) });
      const text = await answer.text();
      if (answer.status >= 500) throw new Failure(`${method} ${to} answered ${answer.status}: ${text}`);
      if (answer.ok) done += 1;
      return text;
    };
    try {
      if (what === "restore") await ask("POST", `${path}/restore`, { snapshot: state });
      if (what === "undo") {
        await kubernetes(service, home, configMaps, "POST", { metadata: { name: `u-${at}` } });
        await ask("POST", `${path}/undo`);
      }
      if (what === "fork") await ask("POST", `${path}/fork`, at % 2 === 0 ? {} : { snapshot: state });
      if (what === "snapshot") {
        const taken = snapshot.safeParse(JSON.parse(await ask("POST", `${path}/snapshots`)));
        if (at % 2 === 0 && taken.success) await ask("DELETE", `/v1/snapshots/${taken.data.id}`);
      }
    } catch (error) {
      if (error instanceof Failure) throw error;
      return done;
    }
  }
}

class Failure extends Error {}

/** Every sandbox is in one of the states, and so is one that is made of any snapshot. */
async function verify(service: RunningService): Promise<void> {
  const answer = await control(service.address, "/v1/snapshots");
  const { snapshots } = snapshotList.parse(await answer.json());
  expect(snapshots.length).toBeGreaterThanOrEqual(2);
  for (const { id } of snapshots) await posted(service, "/v1/sandboxes", { snapshot: id });
  const { sandboxes } = sandboxList.parse(await (await control(service.address, "/v1/sandboxes?limit=500")).json());
  for (const { id, name } of sandboxes) {
    if (name === "playground") continue;
    const sandbox = sandboxWithToken.parse(await (await control(service.address, `/v1/sandboxes/${id}`)).json());
    const names = await namesIn(service, sandbox);
    expect([names.length, new Set(names.map((name) => name[0])).size], `${id}: ${names.join(" ")}`).toEqual([each, 1]);
  }
  // What a round leaves is looked at once.
  for (const { id, name } of snapshots) {
    if (!["a", "b"].includes(name)) await control(service.address, `/v1/snapshots/${id}`, { method: "DELETE" });
  }
}

async function namesIn(service: RunningService, sandbox: SandboxWithToken): Promise<string[]> {
  const answer = await kubernetes(service, sandbox, configMaps, "GET");
  expect(answer.status).toBe(200);
  const { items } = (await answer.json()) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).filter((name) => /^[ab]-/.test(name));
}

async function posted(service: RunningService, path: string, body: object): Promise<unknown> {
  const answer = await control(service.address, path, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

function kubernetes(
  service: RunningService,
  { id, token }: SandboxWithToken,
  path: string,
  method: string,
  body?: object,
) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetch(`${service.address.http}/c/${id}${path}`, { method, headers, ...sent });
}
