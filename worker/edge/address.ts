// Which sandbox a request is for: `https://host/c/<id>/...`, `https://<id>.host/...`, or the one that its token names.
import { sandboxInPath } from "../../shared/contract/cluster-object.ts";
import { bearerOf } from "./credentials.ts";
import { looksLikeSandboxId } from "./sandbox-id.ts";
import { sandboxOfToken } from "./tokens.ts";

export interface SandboxAddress {
  /** As written; whether it is an id of ours is for the caller to check. */
  readonly id: string;
  /** The URL as the cluster sees it: the same without the sandbox in its path. Encoded slashes and dots stay as they are. */
  readonly url: URL;
}

/** Where clients reach the service, without a slash at its end, and the domain below which each sandbox has a name of its own. */
export interface ServiceAddress {
  readonly server: string;
  /** With its port, where that is not the usual one; absent: sandboxes are told apart by path. */
  readonly domain?: string | undefined;
}

/** A kubeconfig's server. */
export function serverOfSandbox({ server, domain }: ServiceAddress, id: string): string {
  return domain === undefined ? `${server}/c/${id}` : `${server.slice(0, server.indexOf(":"))}://${id}.${domain}`;
}

/** Nothing, if the request is for the service itself. */
/** `url` is the request's, which is the cluster's afterwards. Parsing resolves dot segments, encoded ones too: no path leaves its sandbox. */
export function sandboxAddress(request: Request, url = new URL(request.url)): SandboxAddress | undefined {
  const inPath = sandboxInPath.exec(url.pathname);
  if (inPath) {
    // Set, not resolved: a path that begins with two slashes is not taken for another host.
    url.pathname = inPath[2] ?? "/";
    return { id: inPath[1] ?? "", url };
  }
  const [label = "", ...parent] = url.hostname.split(".");
  if (parent.length > 0 && looksLikeSandboxId(label)) return { id: label, url };
  // `kubectl get --raw /readyz` takes the path as a whole and leaves out what its kubeconfig has before it.
  const named = sandboxOfToken(bearerOf(request) ?? "") ?? "";
  return looksLikeSandboxId(named) ? { id: named, url } : undefined;
}
