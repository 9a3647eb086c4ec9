// A session's sandbox as views and kubectl reach it.
import { base64UrlOfText } from "../../../shared/base/base64.ts";
import type { ClusterAccess } from "../../api/cluster.ts";
import { ControlFailure } from "../../api/control.ts";
import type { Surroundings } from "../../kubectl/surroundings.ts";
import { ListRefused } from "../../live/informer.ts";
import type { Session } from "./session.ts";

export function accessTo(session: Session): ClusterAccess {
  const { id } = session.current().sandbox;
  return { id, token: (isStale) => session.token(isStale).catch(refuse) };
}

/** No token, no list: for the same reason. */
function refuse(error: unknown): never {
  throw error instanceof ControlFailure ? new ListRefused(error.status, error.message) : error;
}

/** What a kubectl is given of a cluster. */
export interface Connection extends Pick<Surroundings, "fetch" | "socket"> {
  /** What the cluster is called. */
  readonly name: string;
  /** The address that texts show. */
  readonly server: string;
}

export function connectionTo({ id, token }: ClusterAccess): Connection {
  const base = `${location.origin}/c/${id}`;
  // A socket is opened at once: with the token that the last request had.
  let last = "";
  const ask = async (path: string, init: RequestInit, isStale: boolean): Promise<Response> => {
    last = await token(isStale);
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${last}`);
    const answer = await fetch(base + path, { ...init, headers });
    return answer.status === 401 && !isStale ? ask(path, init, true) : answer;
  };
  return {
    name: "sandbox",
    server: base,
    fetch: (path, init) => ask(path, init, false),
    socket: (path, protocols) =>
      new WebSocket(`${base.replace(/^http/, "ws")}${path}`, [
        `base64url.bearer.authorization.k8s.io.${base64UrlOfText(last)}`,
        ...protocols,
      ]),
  };
}
