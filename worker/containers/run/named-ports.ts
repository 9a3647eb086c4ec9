// The ports of a server whose image is not known exactly.
import type { Container } from "../../../shared/k8s/api/core-v1.ts";
import { unknownServer } from "../shell/not-simulated.ts";
import { portKey } from "../shell/contact.ts";
import type { Trace } from "../shell/trace.ts";

/** Lets a server listen on the ports that its container names as well, if something about it was only assumed. */
export function withNamedPorts(run: Trace, { ports = [] }: Container, startMs: number): Trace {
  const { server, assumed, end } = run;
  if (end || assumed.length === 0 || server === undefined || server === unknownServer) return run;
  const named = ports.map(({ containerPort, protocol }) => [portKey(containerPort, protocol), startMs] as const);
  return { ...run, ports: new Map([...named, ...run.ports]) };
}
