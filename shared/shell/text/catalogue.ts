// The text programs that containers and the console's terminal share.
import { awk } from "../awk/awk.ts";
import { jq } from "../jq/jq.ts";
import { base64 } from "./base64.ts";
import type { TextProgram } from "./call.ts";
import { expr } from "./expr.ts";
import { filters } from "./filters.ts";
import { refusing } from "./gnu-options.ts";
import { grep } from "./grep.ts";
import { linePrograms } from "./lines.ts";
import { baseNames, folderNames } from "./print.ts";
import { sed } from "./sed.ts";

const programs: Readonly<Record<string, TextProgram>> = {
  ...filters,
  ...linePrograms,
  grep,
  egrep: grep,
  fgrep: grep,
  sed,
  awk,
  gawk: awk,
  mawk: awk,
  jq,
  expr,
  base64,
  basename: baseNames,
  dirname: folderNames,
};

export const textPrograms: Readonly<Record<string, TextProgram>> = Object.fromEntries(
  Object.entries(programs).map(([name, program]) => [name, refusing(name, program)]),
);
