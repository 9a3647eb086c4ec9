// The limits of the sandbox: what it was told when it was made, kept with it.
import { type GivenLimits, givenLimits, limitsWith, type SandboxLimits } from "../../shared/contract/sandbox-limits.ts";
import type { Sql } from "../store/sql.ts";
import { readMeta, writeMeta } from "../store/tables.ts";

const key = "limits";

/** Absent: the service's own, whatever they come to be. */
export function keepLimits(sql: Sql, given: GivenLimits | undefined): void {
  if (given) writeMeta(sql, key, JSON.stringify(given));
}

export function limitsOf(sql: Sql): SandboxLimits {
  return limitsWith(givenLimits.parse(JSON.parse(readMeta(sql, key) ?? "{}")));
}
