// The sandbox that exists from the start, and its kubeconfig. It is created by the control API, like any other.
import { join } from "node:path";
import { limits } from "../../shared/base/limits.ts";
import { standing } from "../../shared/contract/hosted/plan.ts";
import { type Sandbox, type SandboxWithToken, sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { readIfThere, writePrivate } from "./private-file.ts";

const name = "playground";

/**
 * Creates the playground if there is none or if it has expired, and writes its kubeconfig. If a previous start was interrupted, its
 * sandbox's id was not written.
 */
export async function openPlayground(base: string, key: string, data: string): Promise<void> {
  const idPath = join(data, "playground");
  const id = readIfThere(idPath);
  const sandbox = (id && (await find(base, key, id))) || (await findByName(base, key)) || (await make(base, key));
  writePrivate(idPath, `${sandbox.id}\n`);
  const answer = await ask(base, key, `/v1/sandboxes/${sandbox.id}/kubeconfig`);
  writePrivate(join(data, "kubeconfig"), await answer.text());
}

async function find(base: string, key: string, id: string): Promise<SandboxWithToken | undefined> {
  const answer = await ask(base, key, `/v1/sandboxes/${id}`, {}, [404, 410]);
  return answer.ok ? sandboxWithToken.parse(await answer.json()) : undefined;
}

async function findByName(base: string, key: string): Promise<Sandbox | undefined> {
  const answer = await ask(base, key, `/v1/sandboxes?name=${name}&limit=1`);
  return sandboxList.parse(await answer.json()).sandboxes[0];
}

async function make(base: string, key: string): Promise<SandboxWithToken> {
  // The plan of the local tenant may permit less than the service.
  const { limits: plan } = standing.parse(await (await ask(base, key, "/v1/limits")).json());
  const ttlSeconds = Math.min(limits.sandboxTtlSecondsMax, plan.ttlSeconds ?? Number.POSITIVE_INFINITY);
  const nodes = Math.min(limits.sandboxNodesDefault, plan.nodes ?? Number.POSITIVE_INFINITY);
  const body = JSON.stringify({ name, ttlSeconds, nodes });
  const headers = { "content-type": "application/json" };
  const answer = await ask(base, key, "/v1/sandboxes", { method: "POST", body, headers });
  return sandboxWithToken.parse(await answer.json());
}

async function ask(base: string, key: string, path: string, init: RequestInit = {}, fine: number[] = []) {
  const headers = { ...init.headers, authorization: `Bearer ${key}` };
  const answer = await fetch(base + path, { ...init, headers });
  if (!answer.ok && !fine.includes(answer.status)) {
    throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }
  return answer;
}
