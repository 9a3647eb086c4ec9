// WordPress up to its installation: it checks its database, and redirects to the installation page.
import { sqlLanguage } from "../databases/connection.ts";
import type { Reply, SqlRequest } from "../databases/dialect.ts";
import { image } from "../images/known-image.ts";
import type { ProgramCall } from "../shell/program.ts";
import type { Page, Visit } from "../shell/server.ts";
import { html, textPage, targetAt } from "./common/service-client.ts";
import { barePath, serving } from "./common/serving.ts";
import { debianPorts, listenPorts } from "./httpd.ts";
import type { Product } from "./module.ts";

const installPath = "/wp-admin/install.php";
const setupPath = "/wp-admin/setup-config.php";

interface Settings {
  /** Whether the image's entry point wrote `wp-config.php`: only if a variable is set. */
  readonly isConfigured: boolean;
  readonly host: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

function settingsOf({ shell: { variables } }: ProgramCall): Settings {
  const value = (name: string) => variables.get(`WORDPRESS_DB_${name}`) ?? "";
  const isConfigured = [...variables].some(([name]) => name.startsWith("WORDPRESS_"));
  return {
    isConfigured,
    host: value("HOST"),
    user: value("USER"),
    password: value("PASSWORD"),
    database: value("NAME"),
  };
}

function answer(visit: Visit, settings: Settings): Page {
  const path = barePath(visit);
  if (!settings.isConfigured) {
    return path === setupPath
      ? page("Setup Configuration File", setupForm)
      : { ...textPage("", html, 302), headers: [["Location", `http://${hostOf(visit)}${setupPath}`]] };
  }
  if (path === "/readme.html") return page("ReadMe", "<h1>WordPress</h1>");
  if (!reaches(visit, settings)) return failed;
  if (path === installPath) return page("Installation", form);
  return { ...textPage("", html, 302), headers: [["Location", `http://${hostOf(visit)}${installPath}`]] };
}

function hostOf({ headers }: Visit): string {
  return headers.find(([name]) => name.toLowerCase() === "host")?.[1] ?? "localhost";
}

/** Reports whether the database can be reached and accepts WordPress. */
function reaches(visit: Visit, { host, user, password, database }: Settings): boolean {
  const place = host === "" ? "mysql" : host;
  const target = targetAt(visit, place.includes(":") ? place : `${place}:3306`);
  if (!target) return false;
  // Before its fifth version the image connected as root and created the database.
  const isOld = /:[34]\./.test(visit.image);
  const asks = {
    user: user || (isOld ? "root" : "example username"),
    password: password || (isOld ? "" : "example password"),
  };
  const name = database || "wordpress";
  const send = (sql: string, inside: string): Reply["kind"] | undefined => {
    const statement: SqlRequest = { ...asks, database: inside, sql };
    const request = { method: sqlLanguage, path: "/", headers: [], body: JSON.stringify(statement) };
    const { answer: response } = visit.reach?.({ ...target, atMs: visit.nowMs, request }) ?? {};
    // `SqlServer` wrote it.
    return response?.language === sqlLanguage ? (JSON.parse(response.body) as Reply).kind : undefined;
  };
  let first = send("", name);
  if (first === "refused" && isOld) {
    send(`CREATE DATABASE IF NOT EXISTS ${name.replace(/\W/g, "")}`, "");
    first = send("", name);
  }
  return first !== undefined && first !== "refused" && first !== "error";
}

const failed: Page = textPage(
  "<!DOCTYPE html>\n<html>\n<head>\n\t<title>Database Error</title>\n</head>\n<body>\n\t<h1>Error establishing a database connection</h1>\n</body>\n</html>\n",
  html,
  500,
);

const setupForm =
  '<p>Welcome to WordPress. Before getting started, you will need to know the following items.</p>\n<ol>\n<li>Database name</li>\n<li>Database username</li>\n<li>Database password</li>\n<li>Database host</li>\n</ol>\n<p><a href="setup-config.php?step=1">Let&#8217;s go!</a></p>';

const form =
  '<h1>Welcome</h1>\n<p>Please provide the following information.</p>\n<form method="post" action="/wp-admin/install.php?step=2">\n<label>Site Title <input name="weblog_title"></label>\n<label>Username <input name="user_name"></label>\n<label>Password <input name="admin_password" type="password"></label>\n<label>Your Email <input name="admin_email"></label>\n<button>Install WordPress</button>\n</form>';

function page(title: string, body: string): Page {
  return textPage(
    `<!DOCTYPE html>\n<html lang="en-US">\n<head>\n\t<title>WordPress &rsaquo; ${title}</title>\n</head>\n<body>\n${body}\n</body>\n</html>\n`,
  );
}

export const wordpress: Product = {
  names: ["wordpress"],
  images: { wordpress: image(243_118_420, "wordpress", { family: "debian" }) },
  configurations: "wordpress - 80 /var/www/html docker-entrypoint.sh | apache2-foreground",
  official: "wordpress 240 3.9 4.9 5.9 6.9 7.1",
  programs: {
    wordpress: serving((call) => {
      const settings = settingsOf(call);
      return { ports: listenPorts(call, debianPorts), server: { answer: (visit) => answer(visit, settings) } };
    }),
  },
};
