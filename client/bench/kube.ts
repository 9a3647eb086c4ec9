// Requests to the Kubernetes API of a sandbox as its administrator.
import type { Sandbar } from "../index.ts";

export interface KubeJson {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly generateName?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export class Kube {
  readonly #base: string;
  readonly #token: string;

  constructor(base: string, token: string) {
    this.#base = base;
    this.#token = token;
  }

  static async of(client: Sandbar, sandbox: string): Promise<Kube> {
    const { token = "" } = await client.getSandbox(sandbox);
    return new Kube(client.clusterUrl(sandbox), token);
  }

  async get<T>(path: string, accept = "application/json"): Promise<T> {
    return (await this.#ask(path, { headers: { accept } })).json() as Promise<T>;
  }

  /** Applies a JSON merge patch. A missing object is ignored. */
  async patch(path: string, patch: object): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    await this.#ask(path, { method: "PATCH", headers, body: JSON.stringify(patch) }, [404]);
  }

  async #ask(path: string, init: RequestInit = {}, accepted: readonly number[] = []): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${this.#token}` };
    const answer = await fetch(`${this.#base}${path}`, { ...init, headers });
    if (!answer.ok && !accepted.includes(answer.status))
      throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}
