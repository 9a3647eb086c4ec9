// Transactions of a session. What it has changed since it began is carried by its client and written when it commits, so that a client
// that goes away has taken everything back. There are no locks: others see what is committed, and a commit that no longer fits fails.

export interface Transaction {
  /** Those that changed something, as SQLite runs them. */
  readonly statements: readonly string[];
  /** How many statements there were when each was set. */
  readonly savepoints: readonly (readonly [name: string, count: number])[];
  /** Only its end is heard. */
  readonly hasFailed?: boolean;
  /** The session commits nothing by itself: the next transaction begins where this one ends. */
  readonly isManual?: boolean;
}

export type Step =
  | { readonly kind: "begin" | "commit" | "rollback" }
  | { readonly kind: "save" | "back" | "release"; readonly name: string }
  | { readonly kind: "manual"; readonly isManual: boolean };

/** Of what one transaction carries, in characters and statements. */
const most = { characters: 65_536, statements: 500 };

/** Undefined for a statement that is no step of a transaction. */
export function stepOf(sql: string): Step | undefined {
  const words = sql.trim().replace(/\s+/g, " ").toLowerCase();
  if (/^(begin|start transaction)\b/.test(words)) return { kind: "begin" };
  const [, how, to] =
    /^(commit|end|rollback|abort)(?: work| transaction)?(?: to (?:savepoint )?["`]?(\w+)["`]?)?$/.exec(words) ?? [];
  if (to !== undefined) return { kind: "back", name: to };
  if (how !== undefined) return { kind: how === "commit" || how === "end" ? "commit" : "rollback" };
  const [, mark, name = ""] = /^(savepoint|release)(?: savepoint)? ["`]?(\w+)["`]?$/.exec(words) ?? [];
  if (mark !== undefined) return { kind: mark === "savepoint" ? "save" : "release", name };
  const [, value] = /^set (?:session |@@)?autocommit ?:?= ?(0|1|on|off)$/.exec(words) ?? [];
  return value === undefined ? undefined : { kind: "manual", isManual: value === "0" || value === "off" };
}

/** What follows a transaction that has ended: none, or the next of a session that commits nothing by itself. */
export function after(transaction: Transaction | undefined): Transaction | undefined {
  return transaction?.isManual ? { statements: [], savepoints: [], isManual: true } : undefined;
}

/** Undefined where it would carry more than it may. */
export function withStatement(transaction: Transaction, sql: string): Transaction | undefined {
  const statements = [...transaction.statements, sql];
  const characters = statements.reduce((sum, one) => sum + one.length, 0);
  if (characters > most.characters || statements.length > most.statements) return undefined;
  return { ...transaction, statements };
}

/** Back at a savepoint, which stays; undefined where there is none of the name. */
export function takenBack(transaction: Transaction, name: string): Transaction | undefined {
  const at = lastOf(transaction, name);
  const count = transaction.savepoints[at]?.[1];
  if (count === undefined) return undefined;
  const { hasFailed: _, ...rest } = transaction;
  return {
    ...rest,
    statements: rest.statements.slice(0, count),
    savepoints: rest.savepoints.slice(0, at + 1),
  };
}

export function released(transaction: Transaction, name: string): Transaction | undefined {
  const at = lastOf(transaction, name);
  return at < 0 ? undefined : { ...transaction, savepoints: transaction.savepoints.slice(0, at) };
}

function lastOf({ savepoints }: Transaction, name: string): number {
  return savepoints.map(([one]) => one).lastIndexOf(name);
}
