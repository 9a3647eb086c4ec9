// Programs that an image has, or may have, and the simulator lacks.
import type { Task } from "../../../shared/shell/task.ts";
import { assumedPage } from "./assumed-page.ts";
import { assume } from "./assumptions.ts";
import type { ProgramCall } from "./program.ts";
import type { Server } from "./server.ts";
import { sleep } from "./system-call.ts";

const notFoundCode = 127;

/** The time that a program takes which the simulator lacks: the main one of a container that ends, any other, and a probe. */
const mainMs = 5_000;
const stepMs = 1_000;
const probeMs = 50;

/** The server about which nothing is known: it listens wherever a client connects. */
export const unknownServer: Server = { answer: assumedPage };

/** Runs a program that the simulator lacks, as the policy of the run says, and returns its exit code. */
export function* notSimulated({ shell, process, name, path, err }: ProgramCall): Task<number> {
  const isAssumed = assume(process, path);
  if (!isAssumed || process.assumptions.policy === "say") err(`${name}: not simulated in this sandbox\n`);
  if (!isAssumed) return notFoundCode;
  if (process.assumptions.policy === "say") return 0;
  // What a script goes on after has an end; the last that it runs is what it is there for.
  const isMain = process.isFirst && shell.last && !shell.captured;
  if (isMain && process.unknown === "serves") {
    process.heedsTerm = shell.own;
    process.server ??= unknownServer;
    yield* sleep(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  yield* sleep(process, isMain ? mainMs : process.isFirst ? stepMs : probeMs);
  return 0;
}
