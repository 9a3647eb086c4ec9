// `awk`: patterns and actions over lines, without pipes to commands and `getline`.
import { type Call, eachInput, filesOf, optionsOf, pathOf, type Programs, readFile } from "../../program.ts";
import { Failure } from "../../shell.ts";
import { linesOf } from "../../streams.ts";
import { unescaped } from "../../language/words.ts";
import { Awk } from "./run.ts";
import { parseAwk, type Script } from "./syntax.ts";

export const awkPrograms: Programs = { awk: (call) => awk(call), gawk: (call) => awk(call) };

async function awk(call: Call): Promise<number> {
  // What follows the script are files, whatever they begin with.
  const options = optionsOf(call.args, "F:v:f: --");
  const rest = [...options.rest];
  const files = options.values("f");
  const source = files.length > 0 ? files.map((file) => readFile(call, file)).join("\n") : rest.shift();
  if (source === undefined) throw new Failure("usage: awk [-F fs][-v var=value][prog | -f progfile][file ...]", 2);
  const variables = new Map<string, string>();
  const separator = options.value("F");
  if (separator !== undefined) variables.set("FS", separator === "t" ? "\t" : unescaped(separator));
  for (const one of options.values("v"))
    variables.set(one.split("=")[0] ?? "", unescaped(one.slice(one.indexOf("=") + 1)));
  const written = new Set<string>();
  const { random, clock } = call.shell.machine.kubectl.around;
  const run = new Awk({
    script: parsed(source),
    variables,
    random: () => random.next(),
    nowMs: () => clock.nowMs(),
    print: (text, target) => {
      if (!target) return call.out.write(text);
      const path = pathOf(call, target.name);
      if (path === "/dev/stderr") return call.err.write(text);
      const before = target.appends || written.has(path) ? (filesOf(call).read(path) ?? "") : "";
      written.add(path);
      filesOf(call).write(path, before + text);
    },
  });
  run.special("BEGIN");
  const code = run.exitCode === undefined && run.needsInput ? await read(call, run, rest) : 0;
  const { exitCode } = run;
  run.exitCode = undefined;
  run.special("END");
  return run.exitCode ?? exitCode ?? code;
}

/** Files one after the other, with what is set between them. */
async function read(call: Call, run: Awk, operands: readonly string[]): Promise<number> {
  let code = 0;
  const isAssignment = (one: string) => /^[A-Za-z_]\w*=/.test(one);
  const names = operands.every(isAssignment) ? [...operands, "-"] : operands;
  for (const name of names) {
    if (isAssignment(name)) {
      run.set(name.slice(0, name.indexOf("=")), unescaped(name.slice(name.indexOf("=") + 1)));
      continue;
    }
    const failed = await eachInput(call, [name], async (input) => {
      let count = 0;
      for await (const line of linesOf(input, call.signal)) {
        run.line(line, count++ === 0);
        if (run.exitCode !== undefined) break;
        if (count % 1000 !== 0) continue;
        await call.out.settled(call.signal);
        await call.shell.machine.breathe(call.signal);
      }
      input.close();
    });
    code = Math.max(code, failed);
    if (run.exitCode !== undefined) break;
  }
  return code === 0 ? 0 : 2;
}

function parsed(source: string): Script {
  try {
    return parseAwk(source);
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error), 2);
  }
}
