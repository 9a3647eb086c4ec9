// The connection of the page's kubectl to a sandbox: requests and WebSockets with the token.
import { base64UrlOfText } from "../../shared/base/base64.ts";
import { bearerProtocol, type ClusterConnection } from "../kubectl/surroundings.ts";
import { type ClusterAccess, withMoment } from "./cluster.ts";
import { fetchOwn } from "./fetching.ts";

/** Creates a connection. `name` is the sandbox's name in the kubeconfig that `kubectl config view` shows. */
export function connectionTo(
  { id, tokenSource: tokenSource, moment: moment }: Pick<ClusterAccess, "id" | "tokenSource" | "moment">,
  name = id,
): ClusterConnection {
  const base = `${location.origin}/c/${id}`;
  let last = "";
  const ask = async (path: string, init: RequestInit, isStale: boolean): Promise<Response> => {
    last = await tokenSource(isStale);
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${last}`);
    const answer = await fetchOwn(base + withMoment(path, moment?.()), { ...init, headers });
    // The body of a refused request is text here, so it can be sent again.
    return answer.status === 401 && !isStale ? ask(path, init, true) : answer;
  };
  return {
    name,
    server: base,
    fetch: (path, init) => ask(path, init, false),
    socket: (path, protocols) => {
      // A command sends a request before it opens a socket, so the token is known.
      const bearer = protocols.some((protocolName) => protocolName.startsWith(bearerProtocol))
        ? []
        : [bearerProtocol + base64UrlOfText(last)];
      return new WebSocket(base.replace(/^http/, "ws") + withMoment(path, moment?.()), [...protocols, ...bearer]);
    },
  };
}
