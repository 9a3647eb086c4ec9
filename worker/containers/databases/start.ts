// Starts database servers: fills a new data folder from variables and scripts, and uses an existing one as it is.
import type { Task } from "../../../shared/shell/task.ts";
import { edit } from "../shell/process.ts";
import { inner } from "../shell/inner.ts";
import type { ProgramCall } from "../shell/program.ts";
import type { SqlServer } from "./connection.ts";
import { type Line, lineText } from "./data.ts";

/** Returns the first variable that is set, or the text of the file that the variable with the suffix `_FILE` names. */
export function variable({ shell, process }: ProgramCall, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = shell.variables.get(name);
    if (value !== undefined) return value;
    const file = shell.variables.get(`${name}_FILE`);
    const text = file === undefined ? undefined : process.files.get(file)?.text;
    if (text !== undefined) return text.trimEnd();
  }
  return undefined;
}

/** Writes the new data and runs the scripts in the image's folder, sorted by name. Returns the exit code of the first that fails. */
export function* fill(
  call: ProgramCall,
  { server, path, lines }: NewDataFolder,
  client: readonly string[],
): Task<number> {
  const { process, out, shell } = call;
  edit(process, { path, text: lines.map(lineText).join("") });
  process.server ??= server;
  const folder = "/docker-entrypoint-initdb.d";
  for (const name of process.files.names(folder)) {
    const file = `${folder}/${name}`;
    const text = process.files.get(file)?.text;
    const isKnown = /\.(sql|sh)$/.test(name) && text !== undefined;
    if (text === undefined) continue;
    const action = isKnown ? (name.endsWith(".sh") ? "sourcing" : "running") : "ignoring";
    out(`\n/usr/local/bin/docker-entrypoint.sh: ${action} ${file}\n`);
    const scriptShell = { ...inner(call), input: { rest: name.endsWith(".sql") ? text : "" } };
    if (name.endsWith(".sql")) yield* shell.run(scriptShell, client);
    else if (isKnown) yield* shell.runText(scriptShell, text);
    if (process.paused) return 0;
    if (isKnown && scriptShell.exitCode !== 0) return scriptShell.exitCode;
  }
  return 0;
}

/** A new data folder: the path of the server's file in it, and the file's first lines. */
interface NewDataFolder {
  readonly server: SqlServer;
  readonly path: string;
  readonly lines: readonly Line[];
}
