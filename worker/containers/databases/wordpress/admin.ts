// WordPress behind its login: who is let in, the dashboard with its counts, the list of posts, and a new one.
import { before } from "../../../../shared/base/trim.ts";
import { stableHex } from "../../../../shared/base/stable.ts";
import type { Page } from "../../shell/programs/page.ts";
import { escaped, failed, longestField, page, postsOf, redirect, type Site } from "./site.ts";
import { literal, timeText } from "../words.ts";

const cookieName = "wordpress_logged_in";
/** Of a post, in letters. */
const longestPost = 20_000;

/** As it stands in the table of users: nobody reads it but this. */
export function passwordHash(password: string): string {
  return `$wp$${stableHex(JSON.stringify(["wordpress", password]), 32)}`;
}

export function loginPage(site: Site, title: string): Page {
  const { visit } = site;
  if (/[?&]action=logout\b/.test(visit.path))
    return redirect(visit, "/wp-login.php?loggedout=true", [
      ["Set-Cookie", `${cookieName}=; expires=Thu, 01 Jan 1970 00:00:00 GMT; path=/`],
    ]);
  if (visit.method !== "POST") return form(title, "");
  const given = new URLSearchParams(visit.body);
  const [user, password] = [(given.get("log") ?? "").slice(0, longestField), given.get("pwd") ?? ""];
  if (user === "") return form(title, "<strong>Error:</strong> The username field is empty.");
  const hash = hashOf(site, user);
  if (hash === undefined)
    return form(
      title,
      `<strong>Error:</strong> The username <strong>${escaped(user)}</strong> is not registered on this site. If you are unsure of your username, try your email address instead.`,
    );
  if (hash !== passwordHash(password))
    return form(
      title,
      `<strong>Error:</strong> The password you entered for the username <strong>${escaped(user)}</strong> is incorrect.`,
    );
  const cookie = `${cookieName}=${encodeURIComponent(`${user}|${tokenOf(user, hash)}`)}; path=/; HttpOnly`;
  return redirect(visit, "/wp-admin/", [["Set-Cookie", cookie]]);
}

function form(title: string, problem: string): Page {
  const said = problem === "" ? "" : `<div id="login_error">${problem}</div>\n`;
  return page(
    `Log In &lsaquo; ${escaped(title)} &#8212; WordPress`,
    `<h1>Log In</h1>\n${said}<form name="loginform" method="post" action="/wp-login.php">\n<label>Username or Email Address <input name="log"></label>\n<label>Password <input name="pwd" type="password"></label>\n<button name="wp-submit">Log In</button>\n</form>`,
  );
}

function hashOf({ ask, prefix }: Site, user: string): string | undefined {
  const found = ask(
    `SELECT user_pass FROM ${prefix}users WHERE user_login = ${literal(user)} OR user_email = ${literal(user)}`,
  );
  const hash = found?.kind === "rows" ? found.rows[0]?.[0] : undefined;
  return hash === undefined ? undefined : String(hash);
}

function tokenOf(user: string, hash: string): string {
  return stableHex(JSON.stringify([user, hash]), 32);
}

/** Who has logged in, as the cookie says and the table of users confirms. */
function userOf(site: Site): string | undefined {
  const cookies = site.visit.headers.find(([name]) => name.toLowerCase() === "cookie")?.[1] ?? "";
  const own = cookies.split(/;\s*/).find((one) => one.startsWith(`${cookieName}=`));
  const [user = "", token = ""] = decoded(own?.slice(cookieName.length + 1) ?? "").split("|");
  const hash = user === "" ? undefined : hashOf(site, user.slice(0, longestField));
  return hash !== undefined && token === tokenOf(user, hash) ? user : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** Who has not logged in is led there. */
export function adminPage(site: Site, title: string, path: string): Page {
  const { visit } = site;
  const user = userOf(site);
  if (user === undefined) return redirect(visit, `/wp-login.php?redirect_to=${encodeURIComponent(before(path, "?"))}`);
  const framed = (name: string, body: string) =>
    page(
      `${name} &lsaquo; ${escaped(title)} &#8212; WordPress`,
      `<p>Howdy, ${escaped(user)} <a href="/wp-login.php?action=logout">Log Out</a></p>\n<ul><li><a href="/wp-admin/">Dashboard</a></li><li><a href="/wp-admin/edit.php">Posts</a></li><li><a href="/wp-admin/post-new.php">Add New</a></li></ul>\n<h1>${name}</h1>\n${body}`,
    );
  const posts = postsOf(site);
  if (path === "/wp-admin/post-new.php" && visit.method === "POST") return written(site);
  if (path === "/wp-admin/post-new.php")
    return framed(
      "Add New Post",
      '<form method="post" action="/wp-admin/post-new.php">\n<input name="post_title">\n<textarea name="content"></textarea>\n<button>Publish</button>\n</form>',
    );
  if (path === "/wp-admin/edit.php") {
    const rows = posts.map(
      (one) =>
        `<tr><td><a href="/?p=${one.id}">${escaped(one.title)}</a></td><td>Published<br>${escaped(one.date)}</td></tr>`,
    );
    return framed("Posts", `<table>\n<tr><th>Title</th><th>Date</th></tr>\n${rows.join("\n")}\n</table>`);
  }
  if (path !== "/wp-admin" && path !== "/wp-admin/" && path !== "/wp-admin/index.php")
    return framed("Not simulated", "<p>This page of the dashboard is not simulated in this sandbox.</p>");
  const count = `${posts.length} Post${posts.length === 1 ? "" : "s"}`;
  return framed("Dashboard", `<h2>At a Glance</h2>\n<ul><li>${count}</li></ul>\n<h2>Welcome to WordPress!</h2>`);
}

function written({ ask, prefix, visit }: Site): Page {
  const given = new URLSearchParams(visit.body);
  const title = (given.get("post_title") ?? "").slice(0, longestField);
  const content = (given.get("content") ?? "").slice(0, longestPost);
  const done = ask(
    `INSERT INTO ${prefix}posts (post_date, post_title, post_content) VALUES (${literal(timeText(visit.nowMs))}, ${literal(title)}, ${literal(content)})`,
  );
  return done?.kind === "done" ? redirect(visit, "/wp-admin/edit.php") : failed;
}
