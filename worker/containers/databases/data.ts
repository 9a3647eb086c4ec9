// The data of a database server: users, databases and the statements that changed them, as lines of a file in its data folder.
// Whoever asks has them replayed in memory.
import { linesOf } from "../../../shared/shell/lines.ts";

/** Of the file, in characters and lines: what is more is refused, as on a disk that is full. */
export const mostData = { characters: 262_144, lines: 2000 };

/** `id`: of the statement that led to it. One that is worked out again writes the same line again, which then counts once. */
export type Line = Change & { readonly id?: string };

export type Change =
  | { readonly user: string; readonly password: string | null; readonly isAdmin?: boolean; readonly may?: Powers }
  | { readonly dropUser: string }
  | { readonly database: string; readonly owner?: string }
  | { readonly dropDatabase: string }
  | { readonly sql: string; readonly in: string; readonly atMs: number };

/** The powers of a role. */
export interface Powers {
  readonly logIn?: boolean;
  readonly createDatabases?: boolean;
  readonly createRoles?: boolean;
}

export interface User {
  /** Null if everybody is let in. */
  readonly password: string | null;
  readonly isAdmin: boolean;
  readonly may: Powers;
}

export interface Data {
  readonly users: ReadonlyMap<string, User>;
  readonly databases: ReadonlyMap<string, { readonly owner: string }>;
  /** Statements that changed a database, the oldest first. */
  statements(database: string): readonly { readonly sql: string; readonly atMs: number }[];
  readonly isFull: boolean;
}

/** `except`: the statement that is being worked out, which may have been before. */
export function dataOf(text: string, except?: string): Data {
  const seen = new Set<string>();
  const users = new Map<string, User>();
  const databases = new Map<string, { owner: string }>();
  let statements: { sql: string; in: string; atMs: number }[] = [];
  const lines = linesOf(text);
  for (const one of lines.flatMap(lineOf)) {
    // A statement may lead to several lines, of which each counts once.
    const key = one.id === undefined ? undefined : JSON.stringify(one);
    if (one.id !== undefined && (one.id === except || seen.has(key ?? ""))) continue;
    if (key !== undefined) seen.add(key);
    if ("user" in one) {
      const before = users.get(one.user);
      const may = { ...before?.may, ...one.may };
      users.set(one.user, { password: one.password, isAdmin: one.isAdmin ?? before?.isAdmin ?? false, may });
    } else if ("dropUser" in one) users.delete(one.dropUser);
    else if ("database" in one) databases.set(one.database, { owner: one.owner ?? "" });
    else if ("dropDatabase" in one) {
      databases.delete(one.dropDatabase);
      statements = statements.filter((each) => each.in !== one.dropDatabase);
    } else if ("sql" in one) statements.push(one);
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
