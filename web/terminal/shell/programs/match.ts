// `grep`: lines that an expression finds, as they come.
import { askedOf, exitCode, lookOf } from "../../../../shared/shell/text/grep.ts";
import { type ProgramCall, eachInput, optionsOf, pause, type Programs } from "../program.ts";
import { linesOf } from "../streams.ts";
import { textCall } from "../text-call.ts";

export const matchPrograms: Programs = { grep, egrep: grep, fgrep: grep };

const known =
  "0123456789ivncloLEFPGwxqhHsrRe:f:A:B:C:m: --ignore-case --invert-match --line-number --count --only-matching --extended-regexp --fixed-strings --word-regexp --line-regexp --quiet --silent --color --colour --color= --colour= --recursive --regexp= --after-context= --before-context= --context= --max-count= --files-with-matches --files-without-match --no-filename --with-filename --no-messages --perl-regexp --line-buffered --include= --exclude= --exclude-dir=";

async function grep(call: ProgramCall): Promise<number> {
  optionsOf(call.args, known);
  const asked = askedOf(textCall(call));
  if (typeof asked === "number") return asked;
  let found = 0;
  const code = await eachInput(call, asked.names, async (source, name) => {
    const look = lookOf(asked, name, (text) => call.out.write(text));
    let count = 0;
    for await (const line of linesOf(source, call.signal)) {
      if (!look.line(line)) break;
      if (++count % 1000 === 0) await pause(call);
    }
    source.close();
    found += look.end();
  });
  return exitCode(asked, found, code === 0 ? 0 : 2);
}
