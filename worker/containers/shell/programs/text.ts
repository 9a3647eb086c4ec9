// Programs that print and change text.
import { driveInside } from "../drive.ts";
import { awk } from "../../../../shared/shell/awk/awk.ts";
import { chargeForBuilding } from "../../../../shared/shell/meter.ts";
import { textPrograms as sharedPrograms } from "../../../../shared/shell/text/catalogue.ts";
import { echoed } from "../../../../shared/shell/text/print.ts";
import { sleep } from "../system-call.ts";
import { hexdump } from "./copying/hexdump.ts";
import { printf } from "./text/printf.ts";
import type { Program, Programs } from "../program.ts";
import { scopedProgram, textCall, textProgram } from "../text-call.ts";
import { isDash, scoped } from "../shell.ts";

const runAwk: Program = (call) => {
  const { shell, out } = call;
  const run = (command: string, input: string | undefined) =>
    driveInside(
      shell.run({ ...shell, ...(input === undefined ? {} : { input: { rest: input } }), out }, ["sh", "-c", command]),
    );
  return scoped(shell, () => awk({ ...textCall(call), run }));
};

const linesOfYes = 1000;

export const textPrograms: Programs = {
  ...Object.fromEntries(
    Object.entries(sharedPrograms).map(([name, program]) => [
      name,
      name === "jq" ? scopedProgram(program) : textProgram(program),
    ]),
  ),
  echo: ({ args, out, shell, process }) => {
    chargeForBuilding(process, args.join(" ").length);
    out(echoed(args, isDash(shell)));
    return 0;
  },
  printf,
  hexdump,
  hd: (call) => hexdump({ ...call, args: ["-C", ...call.args] }),
  awk: runAwk,
  gawk: runAwk,
  mawk: runAwk,
  *yes({ process, args, out, shell }) {
    // The reader of the pipe ends at some time, and then this program ends.
    if (shell.captured) out(`${args.join(" ") || "y"}\n`.repeat(linesOfYes));
    else yield* sleep(process, Number.POSITIVE_INFINITY);
    return 0;
  },
};
