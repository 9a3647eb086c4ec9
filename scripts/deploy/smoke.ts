// The test of a service after its deployment: it answers, and makes, serves and deletes a sandbox.
import { currentApiVersion } from "../../shared/contract/hosted/api-version.ts";

export interface Smoke {
  /** The service's address. */
  readonly url: string;
  /** An API key. Without one, no sandbox is made. */
  readonly key: string | undefined;
  /** The Worker's name and the id of the version that answers in a roll-out, whatever its share of the traffic. */
  readonly version?: { readonly worker: string; readonly id: string } | undefined;
  /** Whether the version may have an earlier API, as after a rollback. */
  readonly isEarlier?: boolean;
  say(line: string): void;
  wait(ms: number): Promise<void>;
  /** The platform's `fetch`, or a fake of it. */
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** A new domain and its certificate take some time. */
const attempts = 30;
const pauseMs = 4_000;
const answerMs = 20_000;

/** Throws a sentence about the first failure. */
export async function smokeTest(smoke: Smoke): Promise<void> {
  const { url, key, say, isEarlier } = smoke;
  await answering(smoke);
  const document = await json<{ info?: { version?: string } }>(smoke, `${url}/v1/openapi.json`);
  const version = document.info?.version ?? "none";
  if (version !== currentApiVersion && !isEarlier)
    throw new Error(
      `the service has version ${version} of the API, not ${currentApiVersion}: another Worker answers at ${url}`,
    );
  const page = await ask(smoke, `${url}/`);
  if (!page.ok || !page.headers.get("content-type")?.startsWith("text/html"))
    throw new Error(`the console answers ${page.status}`);
  say(`smoke test: ${url} answers, with the API of ${version} and the console`);
  if (key === undefined) return say("smoke test: no sandbox was made; set SANDBAR_API_KEY to make one");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "smoke-test", nodes: 1, ttlSeconds: 120 });
  const sandbox = await json<Record<"id" | "token" | "server", string>>(smoke, `${url}/v1/sandboxes`, {
    method: "POST",
    headers,
    body,
  });
  try {
    // By the service's own address, because a name of the sandbox may need a certificate that is made by hand.
    const nodes = `${url}/c/${sandbox.id}/api/v1/nodes`;
    const { items } = await json<{ items: unknown[] }>(smoke, nodes, {
      headers: { authorization: `Bearer ${sandbox.token}` },
    });
    if (items.length !== 1) throw new Error(`a sandbox with one node lists ${items.length}`);
  } finally {
    await ask(smoke, `${url}/v1/sandboxes/${sandbox.id}`, { method: "DELETE", headers });
  }
  say("smoke test: a sandbox was made, read and deleted");
}

/** Waits until the service answers. */
async function answering(smoke: Smoke): Promise<void> {
  let why = "";
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const answer = await ask(smoke, `${smoke.url}/healthz`);
      if (answer.ok) return;
      why = `it answers ${answer.status}`;
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
    if (attempt < attempts) await smoke.wait(pauseMs);
  }
  throw new Error(`the service does not answer at ${smoke.url}: ${why}`);
}

async function json<T>(smoke: Smoke, url: string, init: RequestInit = {}): Promise<T> {
  const answer = await ask(smoke, url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${init.method ?? "GET"} ${url} answers ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

function ask({ fetch, version }: Smoke, url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  // https://developers.cloudflare.com/workers/versions-and-deployments/version-overrides/
  if (version) headers.set("Cloudflare-Workers-Version-Overrides", `${version.worker}="${version.id}"`);
  return fetch(url, { ...init, headers, redirect: "manual", signal: AbortSignal.timeout(answerMs) });
}
