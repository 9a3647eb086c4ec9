// Encodes the responses of the control API.
import type { SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { quotaHeaders } from "./tenancy/plans.ts";
import type { RouteRequest } from "./route.ts";
import type { CreatedSandbox } from "./sandboxes.ts";

export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status });
}

export function nothing(): Response {
  return new Response(null, { status: 204 });
}

/** Encodes a created sandbox with the tenant's quotas. */
export function encodeCreated(
  call: Pick<RouteRequest, "controlApi" | "headers">,
  { sandbox, quotas }: CreatedSandbox,
): Response {
  const answer = encodeSandbox(call, sandbox, 201);
  for (const [name, value] of Object.entries(quotas ? quotaHeaders(quotas) : {})) answer.headers.set(name, value);
  return answer;
}

export function text(value: string, type: string, status = 200): Response {
  return new Response(value, { status, headers: { "content-type": type } });
}

/** Encodes a sandbox as the client accepts it: as JSON, or as a kubeconfig. */
export function encodeSandbox(
  call: Pick<RouteRequest, "controlApi" | "headers">,
  sandbox: SandboxWithToken,
  status = 200,
) {
  return wantsYaml(call) ? kubeconfigAnswer(call, sandbox, status) : json(sandbox, status);
}

export function kubeconfigAnswer(
  { controlApi: { ca } }: Pick<RouteRequest, "controlApi">,
  sandbox: SandboxWithToken,
  status = 200,
) {
  const { name, server, token } = sandbox;
  return text(kubeconfig([{ name, server, token }], ca), "application/yaml", status);
}

export function wantsYaml({ headers }: Pick<RouteRequest, "headers">): boolean {
  return /(application\/(x-)?yaml|text\/(x-)?yaml)/i.test(headers.get("accept") ?? "");
}
