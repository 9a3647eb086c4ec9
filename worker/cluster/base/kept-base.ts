// Which base a sandbox has: one row, and the file where it is one. Sandboxes that have none store all that they have.
import { type Base, noBase } from "../../store/base.ts";
import { readFile } from "../../store/file-rows.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";
import { fileBase, type FileParameters } from "./file-base.ts";
import { type BaseParameters, freshBase } from "./fresh-base.ts";

const metaKey = "base";

/** Before the store is opened. Of a file, `writeFile` stores what is in it. */
export function keepBase(sql: Sql, parameters: BaseParameters | FileParameters): void {
  writeMeta(sql, metaKey, JSON.stringify(parameters));
}

export function keptBase(sql: Sql): Base {
  const text = readMeta(sql, metaKey);
  if (text === undefined) return noBase;
  // Only `keepBase` writes it.
  const parameters = JSON.parse(text) as BaseParameters | FileParameters;
  if (!("file" in parameters)) return freshBase(parameters);
  return fileBase(parameters, (from, to) => readFile(sql, from, to));
}
