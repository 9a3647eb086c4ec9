// The data of a database server: users, databases and the statements that changed them, as lines of a file in its data folder.
// Each request replays them in memory.
import { linesOf } from "../../../shared/shell/lines.ts";

/** The maximum size of the file, in characters and lines. Writes beyond it fail as on a full disk. */
export const mostData = { characters: 262_144, lines: 2000 };

/** `id`: identifies the statement that wrote the line. A statement that is computed again writes the same line, which counts once. */
export type Line = Change & { readonly id?: string };

export type Change =
  | { readonly user: string; readonly password: string | null; readonly isAdmin?: boolean; readonly may?: Powers }
  | { readonly dropUser: string }
  | { readonly database: string; readonly owner?: string }
  | { readonly dropDatabase: string }
  | { readonly sql: string; readonly in: string; readonly atMs: number };

/** The privileges of a role. */
export interface Powers {
  readonly logIn?: boolean;
  readonly createDatabases?: boolean;
  readonly createRoles?: boolean;
}

export interface User {
  /** Null if no password is needed. */
  readonly password: string | null;
  readonly isAdmin: boolean;
  readonly may: Powers;
}

export interface Data {
  readonly users: ReadonlyMap<string, User>;
  readonly databases: ReadonlyMap<string, { readonly owner: string }>;
  /** Returns the statements that changed a database, the oldest first. */
  statements(database: string): readonly { readonly sql: string; readonly atMs: number }[];
  readonly isFull: boolean;
}

/** Parses the file. `except`: the id of the current statement, whose lines are ignored if it was computed before. */
export function dataOf(text: string, except?: string): Data {
  const countedLines = new Set<string>();
  const users = new Map<string, User>();
  const databases = new Map<string, { owner: string }>();
  let statements: { sql: string; in: string; atMs: number }[] = [];
  const lines = linesOf(text);
  for (const change of lines.flatMap(lineOf)) {
    // A statement may write several lines. Each counts once.
    const key = change.id === undefined ? undefined : JSON.stringify(change);
    if (change.id !== undefined && (change.id === except || countedLines.has(key ?? ""))) continue;
    if (key !== undefined) countedLines.add(key);
    if ("user" in change) {
      const before = users.get(change.user);
      const may = { ...before?.may, ...change.may };
      users.set(change.user, { password: change.password, isAdmin: change.isAdmin ?? before?.isAdmin ?? false, may });
    } else if ("dropUser" in change) users.delete(change.dropUser);
    else if ("database" in change) databases.set(change.database, { owner: change.owner ?? "" });
    else if ("dropDatabase" in change) {
      databases.delete(change.dropDatabase);
      statements = statements.filter((each) => each.in !== change.dropDatabase);
    } else if ("sql" in change) statements.push(change);
  }
  return {
    users,
    databases,
    statements: (database) => statements.filter((statement) => statement.in === database),
    isFull: text.length > mostData.characters || lines.length >= mostData.lines,
  };
}

export function lineText(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** Parses a line. Returns an empty list for text that is no JSON object, such as a user's edit of the file. */
function lineOf(text: string): Line[] {
  try {
    const line: unknown = JSON.parse(text);
    const isLine = typeof line === "object" && line !== null;
    // `lineText` wrote the line.
    return isLine ? [line as Line] : [];
  } catch {
    return [];
  }
}
