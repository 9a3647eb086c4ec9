// The mongosh command line: its connection, and the JavaScript that it runs.
import type { Task } from "../../../../shared/shell/task.ts";
import { absolute } from "../../shell/files.ts";
import { isTyped, takeAll } from "../../shell/input.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { javascript } from "../../wasm/javascript.ts";
import { notSimulated } from "../../shell/not-simulated.ts";

const withValue = new Set([
  "--host",
  "--port",
  "-u",
  "--username",
  "-p",
  "--password",
  "--eval",
  "--authenticationDatabase",
  "-f",
  "--file",
]);

export function* mongosh(call: ProgramCall): Task<number> {
  const { args, process, input, shell, err, out } = call;
  if (args.includes("--version")) {
    out("2.5.9\n");
    return 0;
  }
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const [name = "", ...attachedValue] = (args[at] ?? "").split("=");
    if (!name.startsWith("-")) rest.push(args[at] ?? "");
    else if (withValue.has(name))
      values.set(name, attachedValue.length > 0 ? attachedValue.join("=") : (args[++at] ?? ""));
    else values.set(name, "");
  }
  const value = (...names: readonly string[]) =>
    names.map((name) => values.get(name)).find((candidate) => candidate !== undefined);
  const first = rest[0] !== undefined && !/\.js$/.test(rest[0]) ? rest.shift() : undefined;
  const url =
    /^mongodb(?:\+srv)?:\/\/(?:([^:@/]*):([^@/]*)@)?([^:/?,]+)(?::(\d+))?[^/?]*(?:\/([^?]*))?/.exec(first ?? "") ?? [];
  const [, user, password, host, port, database] = url;
  const file = rest[0] ?? value("-f", "--file");
  const script = file === undefined ? undefined : process.files.get(absolute(file, shell.folder))?.text;
  if (file !== undefined && script === undefined) {
    err(
      `MongoshRuntimeError: Error loading file: ENOENT: no such file or directory, open '${absolute(file, shell.folder)}'\n`,
    );
    return 1;
  }
  const isTerminal = isTyped(input) && input.isTerminal;
  const typed = value("--eval") ?? script;
  const text = typed ?? (isTerminal ? undefined : yield* takeAll(process, input));
  if (process.paused) return 0;
  const options = {
    host: host ?? value("--host") ?? "127.0.0.1",
    port: Number(port ?? value("--port") ?? 27017),
    user: user ?? value("-u", "--username"),
    password: password ?? value("-p", "--password"),
    database: database || (host === undefined ? first : undefined) || "test",
    isQuiet: values.has("--quiet"),
    isEval: value("--eval") !== undefined,
    isScript: script !== undefined,
    text,
  };
  const program = {
    argv: ["mongosh"],
    code: `require("mongosh")(${JSON.stringify(options)})`,
    file: "[eval]",
    prints: false,
    isInteractive: false,
    isTerminal,
    packages: ["mongosh"],
  };
  const task = javascript(call, program);
  return yield* task ?? notSimulated(call);
}
