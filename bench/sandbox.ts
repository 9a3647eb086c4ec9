// A sandbox of the service under test, and the requests of the figures.
import type { Agent } from "node:http";
import { connections, expect } from "./http.ts";
import type { Bench } from "./service.ts";

/** Rows and calls of setAlarm since the object was opened, and bytes of its database. */
export interface Written {
  readonly rows: number;
  readonly alarms: number;
  readonly bytes: number;
}

export interface Sandbox {
  readonly id: string;
  readonly token: string;
  /** The base URL of its API. */
  readonly url: string;
  readonly agent: Agent;
  get(path: string): Promise<string>;
  post(path: string, object: unknown): Promise<string>;
  delete(path: string): Promise<string>;
  written(): Promise<Written>;
}

/** Creates a sandbox. `systemPods`: the field of the control API. `origin`: the address of the service, if not over http. */
export async function makeSandbox(
  bench: Bench,
  options: { nodes?: number; systemPods?: boolean; sockets?: number; origin?: string } = {},
): Promise<Sandbox> {
  const { origin = bench.sandbar } = options;
  const agent = connections(options.sockets ?? 8, origin);
  const { nodes = 3, systemPods } = options;
  const body = JSON.stringify({ nodes, systemPods });
  const createdText = await expect(201, agent, `${origin}/v1/sandboxes`, { method: "POST", token: bench.key, body });
  // The control API's contract defines the answer.
  const { id, token } = JSON.parse(createdText) as { id: string; token: string };
  const url = `${origin}/c/${id}`;
  return {
    id,
    token,
    url,
    agent,
    get: (path) => expect(200, agent, url + path, { token }),
    post: (path, object) => expect(201, agent, url + path, { method: "POST", token, body: JSON.stringify(object) }),
    delete: (path) => expect(200, agent, url + path, { method: "DELETE", token }),
    written: async () => {
      const text = await expect(200, agent, `${origin}/bench/written/${id}`);
      return JSON.parse(text) as Written;
    },
  };
}

export function deployment(name: string, replicas: number) {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
    },
  };
}

export function pod(name: string, labels: Readonly<Record<string, string>> = {}) {
  return { metadata: { name, labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
}
