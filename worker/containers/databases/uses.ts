// What a statement does to which tables: what has to be allowed before it is run.
import { bare, outsideQuotes } from "./words.ts";

export interface Use {
  readonly privilege: "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "CREATE" | "ALTER" | "DROP" | "TRUNCATE" | "INDEX";
  readonly table: string;
  /** Of `schema.table`, which MySQL calls a database. */
  readonly schema?: string;
}

/** On a statement of one line, with one space between its words. */
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
  // Quoted names stay, quoted texts do not.
  const plain = outsideQuotes(
    sql,
    (text) => text,
    (quoted) => (quoted.startsWith("'") ? "''" : quoted),
  )
    .replace(/\s+/g, " ")
    .trim();
  const found: Use[] = [];
  for (const [privilege, form] of forms) {
    const one = form.exec(plain)?.[1];
    if (one !== undefined) found.push(used(privilege, one));
  }
  const own = new Set([...plain.matchAll(common)].map(([, one = ""]) => one.toLowerCase()));
  const isDeleted = found.some(({ privilege }) => privilege === "DELETE");
  for (const [at, [, one = ""]] of [...plain.matchAll(read)].entries()) {
    if (own.has(one.toLowerCase()) || (isDeleted && at === 0)) continue;
    found.push(used("SELECT", one));
  }
  return found;
}

function used(privilege: Use["privilege"], words: string): Use {
  const [first = "", second] = words.split(".").map(bare);
  return second === undefined ? { privilege, table: first } : { privilege, table: second, schema: first };
}
