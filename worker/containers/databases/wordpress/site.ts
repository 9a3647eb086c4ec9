// A site of WordPress: how its database is asked, what stands in it, and what its pages are made of.
import { html, says } from "../../shell/applications/asking.ts";
import type { Page, Visit } from "../../shell/programs/page.ts";
import type { Reply } from "../dialect.ts";
import { literal } from "../words.ts";

/** Of a page, and of what a form may bring, in letters. */
const mostPosts = 20;
export const longestField = 200;

export interface Site {
  readonly ask: (sql: string) => Reply | undefined;
  readonly prefix: string;
  readonly visit: Visit;
}

export const failed: Page = says(
  "<!DOCTYPE html>\n<html>\n<head>\n\t<title>Database Error</title>\n</head>\n<body>\n\t<h1>Error establishing a database connection</h1>\n</body>\n</html>\n",
  html,
  500,
);

export function page(title: string, body: string): Page {
  return says(
    `<!DOCTYPE html>\n<html lang="en-US">\n<head>\n\t<title>${title}</title>\n</head>\n<body>\n${body}\n</body>\n</html>\n`,
  );
}

export function redirect({ headers }: Visit, path: string, more: Page["headers"] = []): Page {
  const host = headers.find(([name]) => name.toLowerCase() === "host")?.[1] ?? "localhost";
  return { ...says("", html, 302), headers: [["Location", `http://${host}${path}`], ...more] };
}

export function escaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (letter) => letters[letter] ?? letter);
}

/** "" before it is installed; undefined where the database fails. */
export function optionOf({ ask, prefix }: Site, name: string): string | undefined {
  const found = ask(`SELECT option_value FROM ${prefix}options WHERE option_name = ${literal(name)}`);
  if (!found) return undefined;
  return found.kind === "rows" ? String(found.rows[0]?.[0] ?? "") : "";
}

export interface Post {
  readonly id: number;
  readonly date: string;
  readonly title: string;
  readonly content: string;
}

export function postsOf({ ask, prefix }: Site): Post[] {
  const found = ask(
    `SELECT ID, post_date, post_title, post_content FROM ${prefix}posts WHERE post_status = 'publish' AND post_type = 'post' ORDER BY post_date DESC, ID DESC LIMIT ${mostPosts}`,
  );
  if (found?.kind !== "rows") return [];
  return found.rows.map(([id, date, title, content]) => ({
    id: Number(id),
    date: String(date ?? ""),
    title: String(title ?? ""),
    content: String(content ?? ""),
  }));
}
