// `awk`, over lines as they come.
import {
  askedOf,
  assigns,
  begun,
  beginFile,
  ended,
  readsInput,
  runRecords,
  told,
} from "../../../../shared/shell/awk/awk.ts";
import { readsAhead, type Run, recordsOf } from "../../../../shared/shell/awk/run.ts";
import { AwkError } from "../../../../shared/shell/awk/syntax.ts";
import { type ProgramCall, eachInput, pause, type Programs } from "../program.ts";
import { linesOf, readAll, type Reader } from "../streams.ts";
import { textCall } from "../text-call.ts";

export const awkPrograms: Programs = { awk, gawk: awk, mawk: awk };

async function awk(call: ProgramCall): Promise<number> {
  const own = textCall(call);
  try {
    const asked = askedOf(own);
    if (!asked) return 2;
    const run = begun(own, asked);
    const code = readsInput(run) ? await read(call, run, asked.operands) : 0;
    return ended(run) || code;
  } catch (error) {
    if (!(error instanceof AwkError)) throw error;
    return told(own, error);
  }
}

/** Files one after the other, with what is set between them. */
async function read(call: ProgramCall, run: Run, operands: readonly string[]): Promise<number> {
  let code = 0;
  let isAny = false;
  let goesOn = true;
  const use = async (name: string) => {
    isAny = true;
    const failed = await eachInput(call, [name], async (source) => {
      beginFile(run, name);
      goesOn = await readOne(call, run, source);
      source.close();
    });
    if (failed !== 0) code = 2;
  };
  for (const operand of operands) if (goesOn && !assigns(run, operand)) await use(operand);
  if (!isAny) await use("-");
  return code;
}

/** False: the program is over. */
async function readOne(call: ProgramCall, run: Run, source: Reader): Promise<boolean> {
  if (readsAhead(run)) return runRecords(run, recordsOf(run, await readAll(source, call.signal)));
  let count = 0;
  for await (const line of linesOf(source, call.signal)) {
    if (!runRecords(run, [line])) return false;
    if (++count % 1000 === 0) await pause(call);
  }
  return true;
}
