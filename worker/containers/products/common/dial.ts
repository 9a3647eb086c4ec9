// Connections that servers open on a visitor's behalf, as agnhost's servers do.
import type { Protocol, Reached } from "../../shell/contact.ts";
import type { Visit } from "../../shell/server.ts";
import { addressIn, getentCommand } from "../../shell/programs/names/getent.ts";
import { isAddress } from "../../shell/programs/names/resolve.ts";

export interface Target {
  readonly address: string;
  readonly port: number;
}

export type Dialed = { readonly body: string; readonly status: number } | { readonly error: string };

/** Resolves a host and a port; undefined if the name does not exist or the port is invalid. */
export function targetOf(visit: Pick<Visit, "run">, host: string, portText: string): Target | undefined {
  const port = Number(portText);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  if (isAddress(host)) return { address: host, port };
  if (!/^[\w.-]{1,253}$/.test(host)) return undefined;
  const address = addressIn(visit.run?.(getentCommand(host)).text ?? "");
  return address === undefined ? undefined : { address, port };
}

/** Sends an HTTP request. Errors have the text of Go's client. */
export function dialHttp(visit: Visit, target: Target, request: string, post?: string): Dialed {
  const host = addressText(target);
  const reached = visit.reach?.({
    ...target,
    atMs: visit.nowMs,
    request: {
      method: post === undefined ? "GET" : "POST",
      path: `/${request}`,
      headers: [
        ["Host", host],
        ["User-Agent", "Go-http-client/1.1"],
      ],
      body: post ?? "",
    },
  });
  if (reached?.kind === "answered" && reached.answer) return reached.answer;
  return { error: `${post === undefined ? "Get" : "Post"} "http://${host}/${request}": ${whyNot(host, reached)}` };
}

function whyNot(host: string, reached: Reached | undefined): string {
  if (reached?.kind === "refused") return `dial tcp ${host}: connect: connection refused`;
  if (reached?.kind === "unreachable") return `dial tcp ${host}: connect: no route to host`;
  if (reached?.kind === "open") return "EOF";
  return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
}

const sourcePort = 43_210;

/** Sends a datagram, or a message over SCTP. */
export function dialData(visit: Visit, protocol: Protocol, target: Target, data: string): Dialed {
  const reached = visit.reach?.({ ...target, atMs: visit.nowMs, protocol, data });
  if (reached?.kind === "answered" && reached.answer && reached.answer.body !== "") return reached.answer;
  const name = protocol.toLowerCase();
  const why = reached?.kind === "refused" ? "connection refused" : "i/o timeout";
  const way = `${addressText({ address: visit.address, port: sourcePort })}->${addressText(target)}`;
  return { error: `reading from ${name} connection failed. err:'read ${name} ${way}: ${why}'` };
}

export function addressText({ address, port }: Target): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}
