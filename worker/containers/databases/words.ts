// A statement's words: what stands in quotes and comments is left alone by whoever changes the rest.

/** Parts of a statement, in order: those in quotes or comments, and those between them. */
const parts = /'(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$\$[\s\S]*?\$\$/g;

/** The statement with what stands outside of quotes changed. */
export function outsideQuotes(
  sql: string,
  change: (text: string) => string,
  quoted: (text: string) => string = (one) => one,
): string {
  let out = "";
  let at = 0;
  for (const found of sql.matchAll(parts)) {
    out += change(sql.slice(at, found.index));
    const text = found[0];
    out += text.startsWith("--") || text.startsWith("/*") ? " " : quoted(text);
    at = found.index + text.length;
  }
  return out + change(sql.slice(at));
}

/** Statements of a text, each without its semicolon, and what is left that none ends. */
export function statementsOf(text: string): { readonly statements: readonly string[]; readonly rest: string } {
  const statements: string[] = [];
  let own = "";
  let at = 0;
  const plain = (piece: string) => {
    const pieces = piece.split(";");
    own += pieces[0] ?? "";
    for (const next of pieces.slice(1)) {
      statements.push(own.trim());
      own = next;
    }
  };
  for (const found of text.matchAll(parts)) {
    plain(text.slice(at, found.index));
    own += found[0];
    at = found.index + found[0].length;
  }
  plain(text.slice(at));
  return { statements: statements.map(begun).filter((one) => one !== ""), rest: own };
}

/** A statement without the comments before it, except those that MySQL reads. */
export function begun(sql: string): string {
  return sql.replace(/^(?:\s+|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*(?!!)[\s\S]*?\*\/)+/, "").trimEnd();
}

/** A name without its quotes. */
export function bare(name: string): string {
  return name.replace(/^[`"'[]|[`"'\]]$/g, "");
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `2026-01-01 00:00:00` */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}
