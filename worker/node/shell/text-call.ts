// A container as programs over texts see it.
import type { TextCall, TextProgram } from "../../../shared/shell/text/call.ts";
import { absolute } from "./files.ts";
import { takeAll } from "./input.ts";
import { edit } from "./process.ts";
import { sleep } from "./system-call.ts";
import type { ProgramCall, Program } from "./program.ts";
import { scoped } from "./shell.ts";

export function textCall({ shell, process, name, args, input, out, err }: ProgramCall): TextCall {
  const pathOf = (file: string) => absolute(file, shell.folder);
  return {
    name,
    args,
    process,
    tools: process.programs === undefined ? "unknown" : process.programs.has("ash") ? "busybox" : "gnu",
    files: {
      read: (file) => process.files.get(pathOf(file))?.text ?? (pathOf(file) === "/dev/null" ? "" : undefined),
      isFolder: (file) => process.files.isFolder(pathOf(file)),
      below: (folder) => {
        const path = pathOf(folder) === "/" ? "" : pathOf(folder);
        const start = folder.replace(/\/$/, "");
        return process.files
          .below(path)
          .flatMap(([file, { text }]) => (text === undefined ? [] : [start + file.slice(path.length)]));
      },
      write: (file, text, appends = false) =>
        edit(process, { path: pathOf(file), text, ...(appends ? { appends } : {}) }),
    },
    *input(isAlone = false) {
      if (isAlone && input === undefined && process.interactive) yield* sleep(process, Number.POSITIVE_INFINITY);
      return yield* takeAll(process, input);
    },
    hasInput: input !== undefined,
    out,
    err,
    environment: () => shell.variables,
    nowMs: () => {
      // What reads the time in a loop is not the same each round.
      process.version++;
      return process.clockMs;
    },
  };
}

export function textProgram(program: TextProgram): Program {
  return (call) => program(textCall(call));
}

/** The same; what the program held is given back at its end. */
export function scopedProgram(program: TextProgram): Program {
  return (call) => scoped(call.shell, () => program(textCall(call)));
}
