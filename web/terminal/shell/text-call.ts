// The terminal as programs over texts see it.
import { finished, type Task } from "../../../shared/shell/task.ts";
import type { TextCall, TextProgram } from "../../../shared/shell/text/call.ts";
import { type ProgramCall, filesOf, optionsOf, pathOf, type Program } from "./program.ts";
import { isExported } from "./shell.ts";
import { maxHeld, readAll, TooMuch } from "./streams.ts";

export function textCall(call: ProgramCall): TextCall {
  const { shell, name, args, process, out, err } = call;
  const files = filesOf(call);
  const isNothing = (file: string) => pathOf(call, file) === "/dev/null";
  return {
    name,
    args,
    process,
    tools: "gnu",
    files: {
      read: (file) => (isNothing(file) ? "" : files.read(pathOf(call, file))),
      below: (folder) => below(call, folder),
      isFolder: (file) => files.list(pathOf(call, file)) !== undefined,
      write: (file, text, appends = false) => {
        if (!isNothing(file))
          files.write(pathOf(call, file), (appends ? (files.read(pathOf(call, file)) ?? "") : "") + text);
      },
    },
    *input() {
      return (yield { call: "read" }) as string;
    },
    hasInput: true,
    out: (text) => out.write(text),
    err: (text) => err.write(text),
    environment: () => [...shell.variables].filter(([variable]) => isExported(shell, variable)),
    nowMs: () => shell.machine.kubectl.around.clock.nowMs(),
  };
}

/** `known`: the options that it takes, as `optionsOf` reads them; others are refused. Without, the program does so itself. */
export function textProgram(program: TextProgram, known?: string): Program {
  return async (call) => {
    if (known !== undefined) optionsOf(call.args, known);
    const code = await run(call, program);
    await call.out.settled(call.signal);
    return code;
  };
}

function below(call: ProgramCall, name: string): string[] {
  const inside = filesOf(call).list(pathOf(call, name));
  if (!inside) return [name];
  return inside.flatMap((one) => below(call, `${name.replace(/\/$/, "")}/${one}`));
}

/** What it prints is shown when it has ended. */
async function run(call: ProgramCall, program: TextProgram): Promise<number> {
  const printed: (() => void)[] = [];
  let length = 0;
  const keep = (text: string, show: () => void) => {
    length += text.length;
    if (length > maxHeld) throw new TooMuch();
    printed.push(show);
  };
  const show = () => {
    for (const one of printed) one();
  };
  const own: TextCall = {
    ...textCall(call),
    out: (text) => keep(text, () => call.out.write(text)),
    err: (text) => keep(text, () => call.err.write(text)),
  };
  try {
    return await drive(finished(program(own)), call);
  } finally {
    show();
  }
}

/** The one system call of these programs asks for all of the input. */
async function drive(task: Task<number>, { input, signal }: ProgramCall): Promise<number> {
  let step = task.next();
  while (!step.done) step = task.next(await readAll(input, signal));
  return step.value;
}
