// Presents a container's process to programs that transform text.
import { stableHash } from "../../../shared/base/stable.ts";
import type { TextCall, TextProgram, TextSource } from "../../../shared/shell/text/call.ts";
import { assumeFile } from "./assumptions.ts";
import { deviceText } from "./programs/machine/devices.ts";
import { absolute } from "./files.ts";
import type { Deferred } from "../../../shared/shell/task.ts";
import { isTyped, takeAll, takeLine, type TypedInput } from "./input.ts";
import { edit, nextOutsideMs, type Process } from "./process.ts";
import { sleep, sleepUntil } from "./system-call.ts";
import type { ProgramCall, Program } from "./program.ts";
import { scoped } from "./shell.ts";

/** The number of different random numbers. */
const randomSteps = 2 ** 20;

export function textCall({ shell, process, name, args, input, out, err }: ProgramCall): TextCall {
  const pathOf = (file: string) => absolute(file, shell.folder);
  const call: TextCall = {
    name,
    args,
    process,
    tools: process.programs === undefined ? "unknown" : process.programs.has("ash") ? "busybox" : "gnu",
    files: {
      read: (file) => readText(process, pathOf(file)),
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
    open: (file, isAlone) => {
      if (file === "-") return isTyped(input) ? typedSource(process, input) : wholeSource(() => call.input(isAlone));
      const text = call.files.read(file);
      return text === undefined ? undefined : wholeSource(() => text);
    },
    turn: () => undefined,
    *changed() {
      yield* sleepUntil(process, () => nextOutsideMs(process));
      return !process.paused;
    },
    hasInput: input !== undefined,
    out,
    err,
    environment: () => shell.variables,
    random: () => {
      process.version++;
      return (stableHash(`random/${process.seed++}`) % randomSteps) / randomSteps;
    },
    nowMs: () => {
      // A loop that reads the time has no two equal rounds.
      process.version++;
      return process.clockMs;
    },
  };
  return call;
}

function readText(process: Process, path: string): string | undefined {
  const text = process.files.get(path)?.text ?? deviceText(process, path);
  if (text === undefined && !process.files.isFolder(path)) assumeFile(process, path);
  return text;
}

/** Returns a source with one piece, the whole text. */
function wholeSource(read: () => Deferred<string | undefined>): TextSource {
  let isRead = false;
  return {
    next: () => {
      if (isRead) return undefined;
      isRead = true;
      return read();
    },
    close: () => undefined,
  };
}

/** Returns a source of lines, each available when it is typed. */
function typedSource(process: Process, input: TypedInput): TextSource {
  return { next: () => takeLine(process, input), close: () => undefined };
}

export function textProgram(program: TextProgram): Program {
  return (call) => program(textCall(call));
}

/** Returns the same as `textProgram`; the memory that the program held is released at its end. */
export function scopedProgram(program: TextProgram): Program {
  return (call) => scoped(call.shell, () => program(textCall(call)));
}
