// Transactions of a session. The client carries their changes, which are written at the commit, so the changes of a client that disappears are
// lost. There are no locks: other sessions see what is committed, and a commit that conflicts fails.

export interface Transaction {
  /** The statements that changed something, as SQLite runs them. */
  readonly statements: readonly string[];
  /** The number of statements when each savepoint was set. */
  readonly savepoints: readonly (readonly [name: string, count: number])[];
  /** Whether only the end of the transaction is accepted. */
  readonly hasFailed?: boolean;
  /** Whether the session has no autocommit: the next transaction begins where this one ends. */
  readonly isManual?: boolean;
}

export type Step =
  | { readonly kind: "begin" | "commit" | "rollback" }
  | { readonly kind: "save" | "back" | "release"; readonly name: string }
  | { readonly kind: "manual"; readonly isManual: boolean };

/** The maximum size of one transaction, in characters and statements. */
const most = { characters: 65_536, statements: 500 };

/** Parses a step of a transaction; undefined for other statements. */
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

/** Returns the transaction after one has ended: none, or the next one of a session without autocommit. */
export function after(transaction: Transaction | undefined): Transaction | undefined {
  return transaction?.isManual ? { statements: [], savepoints: [], isManual: true } : undefined;
}

/** Adds a statement. Returns undefined if the transaction would become too large. */
export function withStatement(transaction: Transaction, sql: string): Transaction | undefined {
  const statements = [...transaction.statements, sql];
  const characters = statements.reduce((sum, statement) => sum + statement.length, 0);
  if (characters > most.characters || statements.length > most.statements) return undefined;
  return { ...transaction, statements };
}

/** Rolls back to a savepoint, which remains. Returns undefined if there is none of this name. */
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

export function releaseSavepoint(transaction: Transaction, name: string): Transaction | undefined {
  const at = lastOf(transaction, name);
  return at < 0 ? undefined : { ...transaction, savepoints: transaction.savepoints.slice(0, at) };
}

function lastOf({ savepoints }: Transaction, name: string): number {
  return savepoints.map(([savepoint]) => savepoint).lastIndexOf(name);
}
