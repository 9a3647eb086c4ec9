// Runs programs that an image has, or may have, and the simulator lacks.
import type { Task } from "../../../shared/shell/task.ts";
import { assume } from "./assumptions.ts";
import type { ProgramCall } from "./program.ts";
import { plainPage, type Server } from "./server.ts";
import { sleep } from "./system-call.ts";

const notFoundCode = 127;

/** The durations of a program that the simulator lacks: as the main program of a container that ends, as any other, and as a probe. */
const mainMs = 5_000;
const stepMs = 1_000;
const probeMs = 50;

/** The server of an unknown program: it listens wherever a client connects. */
export const unknownServer: Server = { answer: (visit) => ({ ...plainPage(visit), mayBeTls: true }) };

/** Runs a program that the simulator lacks under the policy of the run. Returns its exit code. */
export function* notSimulated({ shell, process, name, path, err }: ProgramCall): Task<number> {
  const isAssumed = assume(process, path);
  if (!isAssumed || process.assumptions.policy === "say") err(`${name}: not simulated in this sandbox\n`);
  if (!isAssumed) return notFoundCode;
  if (process.assumptions.policy === "say") return 0;
  // A command that is followed by others must end. The last command of a script is the main program.
  const isMain = process.isFirst && shell.last && !shell.captured;
  if (isMain && process.unknown === "serves") {
    process.heedsTerm = shell.takesProcess;
    process.server ??= unknownServer;
    yield* sleep(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  yield* sleep(process, isMain ? mainMs : process.isFirst ? stepMs : probeMs);
  return 0;
}
