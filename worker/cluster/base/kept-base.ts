// Which base a sandbox was made with: one row, written as the sandbox is made. Sandboxes that have none store all that they have.
import { type Base, noBase } from "../../store/base.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";
import { type BaseParameters, freshBase } from "./fresh-base.ts";

const metaKey = "base";

/** Before the store is opened. */
export function keepBase(sql: Sql, parameters: BaseParameters): void {
  writeMeta(sql, metaKey, JSON.stringify(parameters));
}

export function keptBase(sql: Sql): Base {
  const text = readMeta(sql, metaKey);
  // Only `keepBase` writes it.
  return text === undefined ? noBase : freshBase(JSON.parse(text) as BaseParameters);
}
