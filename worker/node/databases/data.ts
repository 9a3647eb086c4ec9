// What a database server keeps: users, databases and the statements that changed them, as lines of a file in its data folder. Whoever
// asks has them replayed in memory.
import { linesOf } from "../../../shared/shell/lines.ts";

/** Of the file, in characters and lines: what is more is refused, as on a disk that is full. */
export const mostData = { characters: 262_144, lines: 2000 };

/** `id`: of the statement that led to it. One that is worked out again writes the same line again, which then counts once. */
export type Line = Change & { readonly id?: string };

export type Change =
  | { readonly user: string; readonly password: string | null; readonly isAdmin?: boolean }
  | { readonly dropUser: string }
  | { readonly database: string; readonly owner?: string }
  | { readonly dropDatabase: string }
  | { readonly sql: string; readonly in: string; readonly atMs: number };

export interface Data {
  /** `password`: null if everybody is let in. */
  readonly users: ReadonlyMap<string, { readonly password: string | null; readonly isAdmin: boolean }>;
  readonly databases: ReadonlyMap<string, { readonly owner: string }>;
  /** Statements that changed a database, the oldest first. */
  statements(database: string): readonly { readonly sql: string; readonly atMs: number }[];
  readonly isFull: boolean;
}

/** `except`: the statement that is being worked out, which may have been before. */
export function dataOf(text: string, except?: string): Data {
  const seen = new Set(except === undefined ? [] : [except]);
  const isNew = ({ id }: Line) => id === undefined || (!seen.has(id) && seen.add(id));
  const users = new Map<string, { password: string | null; isAdmin: boolean }>();
  const databases = new Map<string, { owner: string }>();
  let statements: { sql: string; in: string; atMs: number }[] = [];
  const lines = linesOf(text);
  for (const one of lines.flatMap(lineOf).filter(isNew)) {
    if ("user" in one)
      users.set(one.user, { password: one.password, isAdmin: one.isAdmin ?? users.get(one.user)?.isAdmin ?? false });
    else if ("dropUser" in one) users.delete(one.dropUser);
    else if ("database" in one) databases.set(one.database, { owner: one.owner ?? "" });
    else if ("dropDatabase" in one) {
      databases.delete(one.dropDatabase);
      statements = statements.filter((each) => each.in !== one.dropDatabase);
    } else statements.push(one);
  }
  return {
    users,
    databases,
    statements: (database) => statements.filter((one) => one.in === database),
    isFull: text.length > mostData.characters || lines.length >= mostData.lines,
  };
}

export function lineText(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** None of a line that somebody else has written there. */
function lineOf(text: string): Line[] {
  try {
    const line: unknown = JSON.parse(text);
    const isLine = typeof line === "object" && line !== null;
    // `lineText` wrote it.
    return isLine ? [line as Line] : [];
  } catch {
    return [];
  }
}
