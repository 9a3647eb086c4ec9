// Bash's files `/dev/tcp/HOST/PORT` and `/dev/udp/HOST/PORT`: opening one opens a connection. The peer's output cannot be read.
import type { Task } from "../../../../shared/shell/task.ts";
import { kernelMs, open } from "./connection.ts";
import type { Input, Shell, Sink } from "../shell.ts";

const socketFile = /^\/dev\/(tcp|udp)\/([^/]+)\/(\d{1,5})$/;

/** Reports whether a shell treats a file name as a connection: bash does, and the shell of an unknown image may be bash. */
export function isSocket({ dialect, isStrict }: Shell, name: string): boolean {
  return (dialect === "bash" || !isStrict) && socketFile.test(name);
}

/** Opens a connection. Returns the reason if it fails. */
export function* openSocket({ process }: Shell, name: string): Task<Sink | string> {
  const [, protocol, host = "", port] = socketFile.exec(name) ?? [];
  // A datagram is sent whether or not somebody listens.
  if (protocol === "udp") return () => undefined;
  const { reached } = yield* open(process, { host, port: Number(port), limitMs: kernelMs });
  switch (reached.kind) {
    case "answered":
    case "open":
    case "outside":
      return () => undefined;
    case "refused":
      return "Connection refused";
    case "unresolved":
      return "Name or service not known";
    case "unreachable":
      return "No route to host";
    default:
      return "Connection timed out";
  }
}

export function* openSocketInput(shell: Shell, name: string): Task<Input | "missing"> {
  const socket = yield* openSocket(shell, name);
  return typeof socket === "string" ? "missing" : { rest: "" };
}
