// Resolves which sandbox a request addresses: `https://host/c/<id>/...`, `https://<id>.host/...`, or the sandbox that the token names.
import { sandboxInPath } from "../../shared/contract/cluster-object.ts";
import { bearerOf } from "./credentials.ts";
import { looksLikeSandboxId } from "./sandbox-id.ts";
import { sandboxOfToken } from "./tokens.ts";

export interface SandboxAddress {
  /** The id as the client wrote it. The caller verifies it. */
  readonly id: string;
  /** The URL as the cluster sees it: without the sandbox id in the path. Encoded slashes and dots are preserved. */
  readonly url: URL;
}

/** The public base URL of the service, without a trailing slash, and the domain below which each sandbox has a host name. */
export interface ServiceAddress {
  readonly server: string;
  /** The domain, with its port unless that is the default. Undefined if sandboxes are addressed by path. */
  readonly domain?: string | undefined;
}

/** Returns the `server` of a sandbox's kubeconfig. */
export function serverOfSandbox({ server, domain }: ServiceAddress, id: string): string {
  return domain === undefined ? `${server}/c/${id}` : `${server.slice(0, server.indexOf(":"))}://${id}.${domain}`;
}

/** Returns undefined if the request addresses the service itself. */
/**
 * Returns the sandbox that a request addresses. `url` is the request's URL and becomes the cluster's. Parsing resolves dot segments,
 * encoded ones too, so no path leaves its sandbox.
 */
export function sandboxAddress(request: Request, url = new URL(request.url)): SandboxAddress | undefined {
  const inPath = sandboxInPath.exec(url.pathname);
  if (inPath) {
    // Assign the path instead of resolving it: a path that begins with two slashes must not become another host.
    url.pathname = inPath[2] ?? "/";
    return { id: inPath[1] ?? "", url };
  }
  const [label = "", ...parent] = url.hostname.split(".");
  if (parent.length > 0 && looksLikeSandboxId(label)) return { id: label, url };
  // `kubectl get --raw /readyz` uses the path alone and drops the path prefix of the kubeconfig's server.
  const named = sandboxOfToken(bearerOf(request) ?? "") ?? "";
  return looksLikeSandboxId(named) ? { id: named, url } : undefined;
}
