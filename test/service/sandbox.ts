// Fresh sandboxes for tests, made over the control API as anyone would, and plain requests to them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { type CreateSandbox, type SandboxWithToken, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import type { ServiceAddress } from "./service.ts";

export interface TestSandbox extends SandboxWithToken {
  readonly service: ServiceAddress;
  /** Path of its kubeconfig. */
  readonly kubeconfig: string;
  /** Its Kubernetes API over plain http. */
  readonly http: string;
  /** A request to its Kubernetes API, with its admin token unless the headers bring another. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export async function newSandbox(options: CreateSandbox = {}, service = inject("service")): Promise<TestSandbox> {
  const answer = await control(service, "/v1/sandboxes", { method: "POST", body: JSON.stringify(options) });
  if (answer.status !== 201) throw new Error(`POST /v1/sandboxes answered ${answer.status}: ${await answer.text()}`);
  return testSandbox(service, sandboxWithToken.parse(await answer.json()));
}

/** Wraps a sandbox that exists, however it was created. */
export async function testSandbox(service: ServiceAddress, sandbox: SandboxWithToken): Promise<TestSandbox> {
  const kubeconfig = join(service.data, `${sandbox.id}.kubeconfig`);
  const text = await (await control(service, `/v1/sandboxes/${sandbox.id}/kubeconfig`)).text();
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  const http = `${service.http}/c/${sandbox.id}`;
  const send = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${sandbox.token}`);
    if (init.body && !headers.has("content-type")) headers.set("content-type", "application/json");
    return fetch(http + path, { ...init, headers });
  };
  return { ...sandbox, service, kubeconfig, http, fetch: send };
}

/** A request to the control API, with the service's own key unless the headers bring another; an empty one sends none. */
export function control(service: ServiceAddress, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has("authorization")) headers.set("authorization", `Bearer ${service.apiKey}`);
  if (!headers.get("authorization")) headers.delete("authorization");
  if (init.body && !headers.has("content-type")) headers.set("content-type", "application/json");
  return fetch(service.http + path, { ...init, headers });
}
