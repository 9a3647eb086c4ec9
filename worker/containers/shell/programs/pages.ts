// What the servers of known images say over HTTP, beside the status of the answer.
import { must } from "../../../../shared/base/assert.ts";
import { before, trimmedEnd } from "../../../../shared/base/trim.ts";
import { statusText } from "../../../../shared/base/status-text.ts";
import { isFolder, namesIn } from "../files.ts";
import { agnhostAnswers } from "../agnhost/answers.ts";
import { applicationPage, isApplication } from "../applications/applications.ts";
import { echoes } from "./echoes.ts";
import { gatewayPage, gatewayServer } from "../applications/gateway.ts";
import { ingressPage, ingressServer } from "../applications/ingress-nginx.ts";
import { responsesProgram } from "../../../../shared/contract/cluster/image/responses.ts";
import { responsePage } from "./responses.ts";
import { type Page, serverParts, type Visit } from "./page.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { logPath, outPath } from "../from-outside.ts";
import { errorTime } from "./nginx/logs.ts";
import { accessLine } from "./nginx/access-line.ts";
import { nginxPage, productOf as nginxProduct } from "./nginx/answer.ts";

const roots: Readonly<Record<string, string>> = {
  "httpd-foreground": "/usr/local/apache2/htdocs",
};

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  txt: "text/plain",
  json: "application/json",
  css: "text/css",
  js: "application/javascript",
};

const says: Readonly<Record<string, (visit: Visit) => string>> = {
  "hello-app": ({ host, image }) => `Hello, world!\nVersion: ${release(image)}.0.0\nHostname: ${host}\n`,
  kubernetes_bootcamp: ({ host, image }) => `Hello Kubernetes bootcamp! | Running on: ${host} | v=${release(image)}\n`,
  kitten: ({ files }) => files.get("/data.json")?.text ?? "",
  nautilus: ({ files }) => files.get("/data.json")?.text ?? "",
  "hello-frontend": () => '{"message":"Hello"}\n',
  "hello-go-gke": () => '{"message":"Hello"}\n',
  "node-hello": () => "Hello Kubernetes!",
  "apache2-foreground": ({ image, path }) =>
    /(^|\/)hpa-example([:@]|$)/.test(image) ? "OK!" : `${image} answers ${path}\n`,
  liveness: ({ status }) => (status === 200 ? "ok" : "error"),
};

/** What asks for a file. */
const reads: Readonly<Record<string, readonly string[]>> = {
  "httpd-foreground": ["GET", "HEAD", "POST"],
};

export function pageOf(visit: Visit): Page {
  const product = productOf(visit);
  return { ...saidBy(visit), ...(product === undefined ? {} : { product }) };
}

function saidBy(visit: Visit): Page {
  const { server, method, path, image } = visit;
  const { name, words } = serverParts(server);
  if (Object.hasOwn(agnhostAnswers, name)) return must(agnhostAnswers[name], name)(visit, words);
  if (server === ingressServer) return ingressPage(visit);
  if (name === gatewayServer) return gatewayPage(visit);
  if (server === responsesProgram) return responsePage(visit);
  if (isApplication(server)) return applicationPage(visit);
  if (server.startsWith("nginx")) return nginxPage(visit);
  if (roots[server] !== undefined) {
    const isRead = (reads[server] ?? ["GET", "HEAD"]).includes(method);
    return noted(visit, isRead ? fileOf(visit) : { ...fileOf({ ...visit, status: 405 }), status: 405 });
  }
  if (server.startsWith("files/")) return listingOf(visit, server.slice("files/".length));
  const echo = echoes[server] ?? echoes[server.slice(0, server.indexOf("/"))];
  if (echo) return tells(visit, echo(visit));
  const text = { contentType: "text/plain; charset=utf-8" };
  const say = says[server];
  if (say) return tells(visit, { ...text, body: say(visit) });
  if (server.startsWith("status/")) return { ...text, body: "" };
  return { ...text, body: `${image} answers ${method === "GET" ? "" : `${method} `}${path}\n` };
}

/** With the line that the server writes of it. */
function noted(visit: Visit, page: Page): Page {
  const textAt = accessLine(visit, page.status ?? visit.status, page.body);
  return { ...page, edits: [{ path: outPath, text: textAt(visit.nowMs), appends: true, textAt }] };
}

/** The lines of servers that write of each visitor with Go's log. */
function tells(visit: Visit, page: Page): Page {
  const { server, method, path, headers, from = "10.128.0.1" } = visit;
  const agent = headers.find(([name]) => name.toLowerCase() === "user-agent")?.[1] ?? "";
  const line = server.startsWith("http-echo/")
    ? `${visit.host}:${visit.port ?? 5678} ${from}:43210 "${method} ${path} HTTP/1.1" 200 ${byteLength(page.body)} "${agent}" 25.481µs\n`
    : server === "hello-app"
      ? `Serving request: ${before(path, "?#")}\n`
      : undefined;
  if (line === undefined) return page;
  const textAt = (atMs: number) => `${errorTime(atMs)} ${line}`;
  const stream = server === "hello-app" ? logPath : outPath;
  return { ...page, edits: [{ path: stream, text: textAt(visit.nowMs), appends: true, textAt }] };
}

/** What follows the last colon of a reference, unless it is a registry's port. */
function tagOf(image: string): string {
  const name = image.slice(image.lastIndexOf("/") + 1);
  return name.slice(name.indexOf(":") + 1 || name.length);
}

/** What servers of files call themselves in their heads. */
function productOf({ server, image }: Visit): string | undefined {
  if (server === ingressServer) return undefined;
  if (server.startsWith("nginx")) return nginxProduct({ image });
  const version = /^v?(\d+\.\d+(?:\.\d+)?)/.exec(tagOf(image))?.[1];
  return server === "httpd-foreground" ? `Apache/${version ?? "2.4.65"} (Unix)` : undefined;
}

function fileOf(visit: Visit): Page {
  const { path, status, files, server } = visit;
  const bare = before(path, "?#");
  const file = (roots[server] ?? "") + (bare.endsWith("/") ? `${bare}index.html` : bare);
  const text = status === 200 ? files.get(file)?.text : undefined;
  return text === undefined ? failureOf(visit) : { contentType: typeOf(file), body: text };
}

function typeOf(file: string): string {
  return types[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream";
}

function failureOf({ status }: Visit): Page {
  const reason = `${status} ${statusText(status)}`.trim();
  const bare = reason.replace(/^\d+ /, "");
  return {
    contentType: "text/html; charset=iso-8859-1",
    body: `<!DOCTYPE HTML>\n<html><head>\n<title>${reason}</title>\n</head><body>\n<h1>${bare}</h1>\n</body></html>\n`,
  };
}

/** A folder's files: its page, or the list of them. */
function listingOf({ path, files, status }: Visit, root: string): Page {
  const bare = root + trimmedEnd(before(path, "?#"), "/");
  const file = [bare, `${bare}/index.html`].find((one) => files.get(one)?.text !== undefined);
  if (file !== undefined) return { contentType: typeOf(file), body: files.get(file)?.text ?? "" };
  if (status !== 200)
    return { contentType: "text/html;charset=utf-8", body: "<h1>Error response</h1>\n<p>Error code: 404</p>\n" };
  const names = namesIn(files, bare || "/").map((one) => (isFolder(files, `${bare}/${one}`) ? `${one}/` : one));
  const items = names.map((one) => `<li><a href="${one}">${one}</a></li>\n`).join("");
  const title = `Directory listing for ${path}`;
  return {
    contentType: "text/html; charset=utf-8",
    body: `<!DOCTYPE HTML>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${title}</title>\n</head>\n<body>\n<h1>${title}</h1>\n<hr>\n<ul>\n${items}</ul>\n<hr>\n</body>\n</html>\n`,
  };
}

/** The major version that an image's tag names, as those of tutorials tell theirs. */
function release(image: string): string {
  return /^v?(\d+)/.exec(tagOf(image))?.[1] ?? "1";
}
