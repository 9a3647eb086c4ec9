// Programs that read all of their input before they print, as containers have them.
import { base64 } from "../../../../shared/shell/text/base64.ts";
import { expr } from "../../../../shared/shell/text/expr.ts";
import { jq } from "../../../../shared/shell/jq/jq.ts";
import { linePrograms } from "../../../../shared/shell/text/lines.ts";
import { sed } from "../../../../shared/shell/text/sed.ts";
import type { Programs } from "../program.ts";
import { textProgram } from "../text-call.ts";

/** Of the programs over lines, the options that each takes. */
const known = {
  sort: "nrufhVbiszcSk:t:o: --numeric-sort --reverse --unique --ignore-case --human-numeric-sort --version-sort --key= --field-separator=",
  wc: "lwcmL --lines --words --bytes --chars",
  tac: "",
  paste: "sd:",
  fold: "sw:",
  shuf: "n:",
  comm: "123",
  cmp: "s",
  diff: "uNrqiwbBU:L: --unified --brief --color --color=",
};

export const textPrograms: Programs = {
  ...Object.fromEntries(
    Object.entries(known).flatMap(([name, options]) => {
      const program = linePrograms[name];
      return program ? [[name, textProgram(program, options)]] : [];
    }),
  ),
  sed: textProgram(
    sed,
    "nEre:f:i::suz --quiet --silent --expression= --regexp-extended --in-place --in-place= --null-data --separate --unbuffered",
  ),
  base64: textProgram(base64, "dw:i --decode --wrap="),
  jq: textProgram(jq),
  expr: textProgram(expr),
};
