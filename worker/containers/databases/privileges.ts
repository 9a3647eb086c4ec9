// Determines the privileges on tables that a statement requires.
import { bare, outsideQuotes } from "./quoting.ts";

export interface Use {
  readonly privilege: "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "CREATE" | "ALTER" | "DROP" | "TRUNCATE" | "INDEX";
  readonly table: string;
  /** The schema of `schema.table`, which MySQL calls a database. */
  readonly schema?: string;
}

/** Patterns for a statement of one line, with one space between its words. */
const read = /\b(?:from|join) (?:only )?([\w"`$.]+)(?![\w"`$.]| ?\()/gi;
const common = /(?:\bwith(?: recursive)?|,) (\w+) (?:\([^()]*\) )?as \(/gi;
const forms: readonly (readonly [privilege: Use["privilege"], form: RegExp])[] = [
  ["INSERT", /\b(?:insert|replace) (?:ignore )?into ([\w"`$.]+)/i],
  ["UPDATE", /^update (?:only )?([\w"`$.]+)/i],
  ["UPDATE", /^with\b.*\) update (?:only )?([\w"`$.]+)/i],
  ["DELETE", /\bdelete from (?:only )?([\w"`$.]+)/i],
  ["TRUNCATE", /^truncate (?:table )?([\w"`$.]+)/i],
  ["CREATE", /^create (?:or replace )?(?:table|view) (?:if not exists )?([\w"`$.]+)/i],
  ["DROP", /^drop (?:table|view) (?:if exists )?([\w"`$.]+)/i],
  ["ALTER", /^alter table (?:if exists )?(?:only )?([\w"`$.]+)/i],
  ["INDEX", /^create (?:unique )?index\b.*? on ([\w"`$.]+)/i],
];

export function usesOf(sql: string): Use[] {
  // Quoted names are kept; quoted texts are removed.
  const plain = outsideQuotes(
    sql,
    (text) => text,
    (quoted) => (quoted.startsWith("'") ? "''" : quoted),
  )
    .replace(/\s+/g, " ")
    .trim();
  const uses: Use[] = [];
  for (const [privilege, form] of forms) {
    const tableName = form.exec(plain)?.[1];
    if (tableName !== undefined) uses.push(privilegeOf(privilege, tableName));
  }
  const commonNames = new Set([...plain.matchAll(common)].map(([, commonName = ""]) => commonName.toLowerCase()));
  const isDeleted = uses.some(({ privilege }) => privilege === "DELETE");
  for (const [at, [, tableName = ""]] of [...plain.matchAll(read)].entries()) {
    if (commonNames.has(tableName.toLowerCase()) || (isDeleted && at === 0)) continue;
    uses.push(privilegeOf("SELECT", tableName));
  }
  return uses;
}

function privilegeOf(privilege: Use["privilege"], words: string): Use {
  const [first = "", second] = words.split(".").map(bare);
  return second === undefined ? { privilege, table: first } : { privilege, table: second, schema: first };
}
