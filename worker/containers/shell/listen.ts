// How programs become servers: they listen at ports until somebody ends them.
import type { Task } from "../../../shared/shell/task.ts";
import { portKey, type Protocol } from "./contact.ts";
import { serve } from "./from-outside.ts";
import type { ProgramCall } from "./program.ts";
import type { Server } from "./server.ts";

export interface Listening {
  readonly port: number;
  readonly protocol?: Protocol;
}

/** Listens until it is ended, and returns the exit code. Ports that cannot be are left out. */
export function* listenAs(call: ProgramCall, server: Server, ports: readonly (Listening | number)[]): Task<number> {
  begin(call, server, ports);
  call.process.heedsTerm = call.shell.takesProcess;
  return yield* serve(call.process);
}

/** Begins to listen, as a server does that goes to the background. */
export function begin({ process }: ProgramCall, server: Server, ports: readonly (Listening | number)[]): void {
  for (const listening of ports) {
    const { port, protocol } = typeof listening === "number" ? { port: listening } : listening;
    if (port >= 0 && port <= 65_535) process.ports.set(portKey(port, protocol), process.clockMs);
  }
  process.server ??= server;
}
