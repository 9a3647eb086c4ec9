// The terminal as text programs see it.
import { finished } from "../../../shared/shell/task.ts";
import type { TextCall, TextProgram, TextSource } from "../../../shared/shell/text/call.ts";
import { awaited, drive } from "./drive.ts";
import { type ProgramCall, filesOf, pathOf, pause, type Program } from "./program.ts";
import { isExported } from "./shell.ts";
import { readAll, type Source, textSource } from "./streams.ts";

/** The interval in milliseconds at which a followed file is read again. */
const followMs = 500;

export function textCall(call: ProgramCall): TextCall {
  const { shell, name, args, process, out, err, input, signal } = call;
  const files = filesOf(call);
  const isNothing = (file: string) => pathOf(call, file) === "/dev/null";
  const read = (file: string) => (isNothing(file) ? "" : files.read(pathOf(call, file)));
  return {
    name,
    args,
    process,
    tools: "gnu",
    files: {
      read,
      below: (folder) => below(call, folder),
      isFolder: (file) => files.list(pathOf(call, file)) !== undefined,
      write: (file, text, appends = false) => {
        if (!isNothing(file))
          files.write(pathOf(call, file), (appends ? (files.read(pathOf(call, file)) ?? "") : "") + text);
      },
    },
    input: () => awaited(readAll(input, signal)),
    open: (file) => {
      if (file === "-") return pieces(call, input);
      const text = read(file);
      return text === undefined ? undefined : pieces(call, textSource(text));
    },
    turn: () => awaited(pause(call)),
    *changed() {
      yield* awaited(shell.machine.kubectl.surroundings.wait(followMs, signal));
      yield* awaited(pause(call));
      return true;
    },
    hasInput: true,
    out: (text) => out.write(text),
    err: (text) => err.write(text),
    environment: () => [...shell.variables].filter(([variable]) => isExported(shell, variable)),
    random: () => shell.machine.kubectl.surroundings.random.next(),
    nowMs: () => shell.machine.kubectl.surroundings.clock.nowMs(),
  };
}

export function textProgram(program: TextProgram): Program {
  return async (call) => {
    const code = await drive(finished(program(textCall(call))));
    await call.out.settled(call.signal);
    return code;
  };
}

function below(call: ProgramCall, name: string): string[] {
  const inside = filesOf(call).list(pathOf(call, name));
  if (!inside) return [name];
  return inside.flatMap((entry) => below(call, `${name.replace(/\/$/, "")}/${entry}`));
}

/** The maximum number of characters that a program reads between two turns of the page. */
const pieceLetters = 64 * 1024;

function pieces(call: ProgramCall, source: Source): TextSource {
  let rest = "";
  const next = async () => {
    await pause(call);
    rest ||= (await source.read(call.signal)) ?? "";
    const piece = rest.slice(0, pieceLetters);
    rest = rest.slice(pieceLetters);
    return piece === "" ? undefined : piece;
  };
  return { next: () => awaited(next()), close: () => source.close() };
}
