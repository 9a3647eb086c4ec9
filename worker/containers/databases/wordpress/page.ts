// WordPress: before it is installed it leads there; then its front page lists the posts that stand in its database.
import { before } from "../../../../shared/base/trim.ts";
import type { SqlRequest, Reply } from "../dialect.ts";
import { literal, timeText } from "../words.ts";
import type { Page, Visit } from "../../shell/programs/page.ts";
import { json, says, targetAt } from "../../shell/applications/asking.ts";
import { adminPage, loginPage, passwordHash } from "./admin.ts";
import { escaped, failed, longestField, optionOf, page, type Post, postsOf, redirect, type Site } from "./site.ts";

/** Variables that its configuration is made of, in the order in which `wordpressPage` gets them. */
export const wordpressVariables = [
  "WORDPRESS_DB_HOST",
  "WORDPRESS_DB_USER",
  "WORDPRESS_DB_PASSWORD",
  "WORDPRESS_DB_NAME",
  "WORDPRESS_TABLE_PREFIX",
];

export function wordpressPage(visit: Visit, settings: readonly string[]): Page {
  const site = siteOf(visit, settings);
  const bare = before(visit.path, "?#");
  if (bare === "/readme.html") return page("WordPress &rsaquo; ReadMe", "<h1>WordPress</h1>");
  const title = site && optionOf(site, "blogname");
  if (!site || title === undefined) return failed;
  const isInstall = bare === "/wp-admin/install.php";
  if (title === "") return isInstall ? install(site) : redirect(visit, "/wp-admin/install.php");
  if (isInstall)
    return page(
      "WordPress &rsaquo; Installation",
      "<h1>Already Installed</h1>\n<p>You appear to have already installed WordPress.</p>",
    );
  if (bare === "/wp-json/wp/v2/posts") return says(JSON.stringify(postsOf(site).map(asJson)), json);
  if (bare === "/wp-login.php") return loginPage(site, title);
  if (bare.startsWith("/wp-admin")) return adminPage(site, title, bare);
  const number = /[?&]p=(\d{1,9})/.exec(visit.path)?.[1];
  if (bare !== "/" && bare !== "/index.php")
    return { ...page(`Page not found &#8211; ${escaped(title)}`, "<h1>Page not found</h1>"), status: 404 };
  const posts = postsOf(site).filter(({ id }) => number === undefined || String(id) === number);
  const articles = posts.map(article).join("\n") || "<p>Sorry, but nothing was found.</p>";
  return page(escaped(title), `<h1 class="site-title"><a href="/">${escaped(title)}</a></h1>\n${articles}`);
}

/** Undefined where the database cannot be reached, or does not let it in. */
function siteOf(
  visit: Visit,
  [host = "", user = "", password = "", database = "", prefix = ""]: readonly string[],
): Site | undefined {
  const place = host === "" ? "mysql" : host;
  const target = targetAt(visit, place.includes(":") ? place : `${place}:3306`);
  if (!target) return undefined;
  // Before its fifth version the image asked as root, and made the database.
  const isOld = /:[34]\./.test(visit.image);
  const asks = {
    user: user || (isOld ? "root" : "example username"),
    password: password || (isOld ? "" : "example password"),
  };
  const name = database || "wordpress";
  const send = (sql: string, inside: string): Reply | undefined => {
    const asked: SqlRequest = { ...asks, database: inside, sql };
    const request = { method: "SQL", path: "/", headers: [], body: JSON.stringify(asked) };
    const { answer } = visit.reach?.({ ...target, atMs: visit.nowMs, request }) ?? {};
    // A database's answer: see `ask.ts`.
    return answer?.contentType === "application/json" ? (JSON.parse(answer.body) as Reply) : undefined;
  };
  let first = send("", name);
  if (first?.kind === "refused" && isOld) {
    send(`CREATE DATABASE IF NOT EXISTS ${name.replace(/\W/g, "")}`, "");
    first = send("", name);
  }
  const isLetIn = first !== undefined && first.kind !== "refused" && first.kind !== "error";
  return isLetIn ? { ask: (sql) => send(sql, name), prefix: (prefix || "wp_").replace(/\W/g, ""), visit } : undefined;
}

function install(site: Site): Page {
  const { visit, ask, prefix } = site;
  const form = new URLSearchParams(visit.body);
  const field = (name: string) => (form.get(name) ?? "").slice(0, longestField);
  const [title, user] = [field("weblog_title"), field("user_name")];
  if (visit.method !== "POST" || title === "" || user === "")
    return page(
      "WordPress &rsaquo; Installation",
      '<h1>Welcome</h1>\n<p>Please provide the following information.</p>\n<form method="post" action="/wp-admin/install.php?step=2">\n<label>Site Title <input name="weblog_title"></label>\n<label>Username <input name="user_name"></label>\n<label>Password <input name="admin_password" type="password"></label>\n<label>Your Email <input name="admin_email"></label>\n<button>Install WordPress</button>\n</form>',
    );
  const now = literal(timeText(visit.nowMs));
  const statements = [
    `CREATE TABLE ${prefix}options (option_id bigint unsigned NOT NULL auto_increment, option_name varchar(191) NOT NULL, option_value longtext NOT NULL, PRIMARY KEY (option_id))`,
    `CREATE TABLE ${prefix}users (ID bigint unsigned NOT NULL auto_increment, user_login varchar(60) NOT NULL, user_pass varchar(255) NOT NULL DEFAULT '', user_email varchar(100) NOT NULL, user_registered datetime NOT NULL, PRIMARY KEY (ID))`,
    `CREATE TABLE ${prefix}posts (ID bigint unsigned NOT NULL auto_increment, post_author bigint DEFAULT 1, post_date datetime DEFAULT CURRENT_TIMESTAMP, post_content longtext, post_title text, post_status varchar(20) DEFAULT 'publish', post_type varchar(20) DEFAULT 'post', PRIMARY KEY (ID))`,
    `CREATE TABLE ${prefix}comments (comment_ID bigint unsigned NOT NULL auto_increment, comment_post_ID bigint, comment_author varchar(255), comment_content text, PRIMARY KEY (comment_ID))`,
    `INSERT INTO ${prefix}options (option_name, option_value) VALUES ('blogname', ${literal(title)}), ('admin_email', ${literal(field("admin_email"))})`,
    `INSERT INTO ${prefix}users (user_login, user_pass, user_email, user_registered) VALUES (${literal(user)}, ${literal(passwordHash(field("admin_password")))}, ${literal(field("admin_email"))}, ${now})`,
    `INSERT INTO ${prefix}posts (post_date, post_title, post_content) VALUES (${now}, 'Hello world!', 'Welcome to WordPress. This is your first post. Edit or delete it, then start writing!')`,
  ];
  for (const sql of statements) if (ask(sql)?.kind !== "done") return failed;
  return page(
    "WordPress &rsaquo; Installation",
    `<h1>Success!</h1>\n<p>WordPress has been installed. Thank you, and enjoy!</p>\n<p>Username: ${escaped(user)}</p>\n<a href="/wp-login.php">Log In</a>`,
  );
}

function article({ id, date, title, content }: Post): string {
  return `<article class="post">\n<h2><a href="/?p=${id}">${escaped(title)}</a></h2>\n<time>${escaped(date)}</time>\n<div class="entry-content"><p>${escaped(content)}</p></div>\n</article>`;
}

function asJson({ id, date, title, content }: Post): object {
  return {
    id,
    date: date.replace(" ", "T"),
    status: "publish",
    title: { rendered: escaped(title) },
    content: { rendered: escaped(content) },
  };
}
