// workerd is killed while sandboxes are made and deleted: each `Idempotency-Key` is answered within seconds, with one sandbox, and the counts
// of the tenant are exact. SANDBAR_CUT_OFF_SEED sets the moments of the kills.
import { expect, test } from "vitest";
import { standing } from "../../shared/contract/hosted/plan.ts";
import { sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { diceOf } from "../simulation/dice.ts";
import { eventually } from "./kubectl.ts";
import { control } from "./sandbox.ts";
import { type RunningService, operatorKey, startService } from "./service.ts";
import { kill, nextWorkerd } from "./workerd-process.ts";

const seed = Number(process.env.SANDBAR_CUT_OFF_SEED ?? "1");
const rounds = 3;
/** Requests that are cut off in a round. */
const atOnce = 2;
/** A key or a count that was cut off is exact again after its lease. */
const exactMs = 20_000;
/** The tenant's limit of sandboxes. The playground is one. */
const most = 10;

test("requests that a kill cut off block neither their keys nor places of the plan", async () => {
  const environment = { SANDBAR_KUBELET_DELAYS: "zero", SANDBAR_OPERATOR_KEY: operatorKey };
  const service = await startService({ environment });
  await limitSandboxes(service);
  const dice = diceOf(seed);
  try {
    const createdIds = new Map<string, string>();
    for (let round = 0; round < rounds; round++) {
      const keys = Array.from({ length: atOnce }, (_, at) => `key-${round}-${at}`);
      const pid = await nextWorkerd(service);
      const [first] = createdIds;
      const cut = keys.map((key) => create(service, key).catch(() => undefined));
      if (first) {
        createdIds.delete(first[0]);
        cut.push(control(service.address, `/v1/sandboxes/${first[1]}`, { method: "DELETE" }).catch(() => undefined));
      }
      await new Promise((done) => void setTimeout(done, dice.below(200)));
      kill(pid);
      await Promise.all(cut);
      for (const key of keys) createdIds.set(key, await createEventually(service, key));
      // A deletion that was cut off may not have begun.
      if (first) await removeEventually(service, first[1]);
    }
    for (const [key, id] of createdIds) expect(await createEventually(service, key)).toBe(id);
    expect(new Set(createdIds.values()).size).toBe(createdIds.size);
    expect(
      (await listed(service))
        .filter(({ name }) => name !== "playground")
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...createdIds.values()].sort());
    await eventually(
      () => "as many are counted as there are",
      async () => (await counted(service)) === createdIds.size + 1,
      exactMs,
    );
    for (let at = createdIds.size + 1; at < most; at++) expect((await create(service, `more-${at}`)).status).toBe(201);
    expect((await create(service, "too many")).status).toBe(429);
  } finally {
    await service.stop();
  }
});

async function limitSandboxes({ address }: RunningService): Promise<void> {
  const headers = { authorization: `Bearer ${operatorKey}` };
  const body = JSON.stringify({ overrides: { liveSandboxes: most } });
  const { status } = await control(address, "/v1/admin/tenants/local", { method: "PATCH", headers, body });
  expect(status).toBe(200);
}

function create({ address }: RunningService, key: string): Promise<Response> {
  const body = JSON.stringify({ nodes: 0, name: key.replaceAll(" ", "-") });
  const headers = { "idempotency-key": key.replaceAll(" ", "-") };
  return control(address, "/v1/sandboxes", { method: "POST", body, headers });
}

async function createEventually(service: RunningService, key: string): Promise<string> {
  let last = "";
  let id = "";
  await eventually(
    () => `${key}: ${last}`,
    async () => {
      try {
        const answer = await create(service, key);
        last = `${answer.status} ${await answer.clone().text()}`;
        if (answer.status === 201) id = sandboxWithToken.parse(await answer.json()).id;
        return answer.status === 201;
      } catch (error) {
        last = String(error);
        return false;
      }
    },
    2 * exactMs,
  );
  return id;
}

async function removeEventually({ address }: RunningService, id: string): Promise<void> {
  await eventually(
    () => `${id} is gone`,
    async () => [204, 404, 410].includes((await control(address, `/v1/sandboxes/${id}`, { method: "DELETE" })).status),
    exactMs,
  );
}

async function listed({ address }: RunningService) {
  return sandboxList.parse(await (await control(address, "/v1/sandboxes?limit=100")).json()).sandboxes;
}

async function counted({ address }: RunningService): Promise<number> {
  return standing.parse(await (await control(address, "/v1/limits")).json()).used.liveSandboxes;
}
