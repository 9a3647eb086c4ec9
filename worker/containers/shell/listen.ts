// Turns programs into servers that listen at ports until they are ended.
import type { Task } from "../../../shared/shell/task.ts";
import { portKey, type Protocol } from "./contact.ts";
import { serve } from "./outside-input.ts";
import type { ProgramCall } from "./program.ts";
import type { Server } from "./server.ts";

export interface Listening {
  readonly port: number;
  readonly protocol?: Protocol;
}

/** Listens until the program is ended, and returns its exit code. Invalid ports are left out. */
export function* listenAs(call: ProgramCall, server: Server, ports: readonly (Listening | number)[]): Task<number> {
  begin(call, server, ports);
  call.process.heedsTerm = call.shell.takesProcess;
  return yield* serve(call.process);
}

/** Begins to listen, for a server that continues in the background. */
export function begin({ process }: ProgramCall, server: Server, ports: readonly (Listening | number)[]): void {
  for (const listening of ports) {
    const { port, protocol } = typeof listening === "number" ? { port: listening } : listening;
    if (port >= 0 && port <= 65_535) process.ports.set(portKey(port, protocol), process.clockMs);
  }
  process.server ??= server;
}
