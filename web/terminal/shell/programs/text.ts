// Programs over texts, as containers have them.
import { textPrograms as sharedPrograms } from "../../../../shared/shell/text/catalogue.ts";
import type { Programs } from "../program.ts";
import { textProgram } from "../text-call.ts";

export const textPrograms: Programs = Object.fromEntries(
  Object.entries(sharedPrograms).map(([name, program]) => [name, textProgram(program)]),
);
