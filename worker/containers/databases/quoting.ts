// Splits statements so that text in quotes and comments stays unchanged.

/** Matches the sections of a statement in quotes or comments. */
const quotedSections =
  /'(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$\$[\s\S]*?\$\$/g;

/** Changes the text of a statement outside quotes. */
export function outsideQuotes(
  sql: string,
  change: (text: string) => string,
  quoted: (text: string) => string = (section) => section,
): string {
  let out = "";
  let at = 0;
  for (const section of sql.matchAll(quotedSections)) {
    out += change(sql.slice(at, section.index));
    const text = section[0];
    out += text.startsWith("--") || text.startsWith("/*") ? " " : quoted(text);
    at = section.index + text.length;
  }
  return out + change(sql.slice(at));
}

/** Splits a text into statements without their semicolons, and the unfinished rest. */
export function statementsOf(text: string): { readonly statements: readonly string[]; readonly rest: string } {
  const statements: string[] = [];
  let statement = "";
  let at = 0;
  const plain = (piece: string) => {
    const pieces = piece.split(";");
    statement += pieces[0] ?? "";
    for (const next of pieces.slice(1)) {
      statements.push(statement.trim());
      statement = next;
    }
  };
  for (const section of text.matchAll(quotedSections)) {
    plain(text.slice(at, section.index));
    statement += section[0];
    at = section.index + section[0].length;
  }
  plain(text.slice(at));
  return { statements: statements.map(begun).filter((candidate) => candidate !== ""), rest: statement };
}

/** Removes the comments before a statement, except those that MySQL executes. */
export function begun(sql: string): string {
  return sql.replace(/^(?:\s+|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*(?!!)[\s\S]*?\*\/)+/, "").trimEnd();
}

/** Returns a name without its quotes. */
export function bare(name: string): string {
  return name.replace(/^[`"'[]|[`"'\]]$/g, "");
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Formats a time as `2026-01-01 00:00:00`. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}
