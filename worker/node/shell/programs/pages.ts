// What the servers of known images say over HTTP, beside the status of the answer.
import type { Headers as Pairs } from "../../../../shared/k8s/question.ts";
import type { Files } from "../files.ts";
import { echoes } from "./echoes.ts";

export interface Page {
  readonly contentType: string;
  readonly body: string;
  /** Where it is another than the visit's. */
  readonly status?: number;
  readonly headers?: Pairs;
}

export interface Visit {
  readonly server: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Pairs;
  readonly body: string;
  readonly status: number;
  readonly files: Files;
  readonly host: string;
  /** The pod's. */
  readonly address: string;
  readonly nowMs: number;
  /** The container's image, for servers of which nothing is known. */
  readonly image: string;
}

const roots: Readonly<Record<string, string>> = {
  nginx: "/usr/share/nginx/html",
  "nginx-debug": "/usr/share/nginx/html",
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
  "agnhost/serve-hostname": ({ host }) => host,
  liveness: ({ status }) => (status === 200 ? "ok" : "error"),
};

const reasons: Readonly<Record<number, string>> = {
  403: "403 Forbidden",
  404: "404 Not Found",
  405: "405 Not Allowed",
};
/** What asks for a file. */
const reads: Readonly<Record<string, readonly string[]>> = {
  "httpd-foreground": ["GET", "HEAD", "POST"],
};

export function pageOf(visit: Visit): Page {
  const { server, method, path, image } = visit;
  const root = roots[server];
  if (root !== undefined) {
    const isRead = (reads[server] ?? ["GET", "HEAD"]).includes(method);
    return isRead ? fileOf(visit, root) : { ...fileOf({ ...visit, status: 405 }, root), status: 405 };
  }
  const echo = echoes[server] ?? echoes[server.slice(0, server.indexOf("/"))];
  if (echo) return echo(visit);
  const text = { contentType: "text/plain; charset=utf-8" };
  const say = says[server];
  if (say) return { ...text, body: say(visit) };
  if (server.startsWith("status/")) return { ...text, body: "" };
  return { ...text, body: `${image} answers ${method === "GET" ? "" : `${method} `}${path}\n` };
}

function fileOf({ path, status, files, server }: Visit, root: string): Page {
  const bare = path.replace(/[?#].*$/, "");
  const file = root + (bare.endsWith("/") ? `${bare}index.html` : bare);
  const text = status === 200 ? files.get(file)?.text : undefined;
  if (text !== undefined) {
    const ending = file.slice(file.lastIndexOf(".") + 1);
    return { contentType: types[ending] ?? "application/octet-stream", body: text };
  }
  const reason = reasons[status] ?? String(status);
  const end = server.startsWith("nginx") ? "<hr><center>nginx</center>\r\n" : "";
  const body = `<html>\r\n<head><title>${reason}</title></head>\r\n<body>\r\n<center><h1>${reason}</h1></center>\r\n${end}</body>\r\n</html>\r\n`;
  return { contentType: "text/html", body };
}

/** The major version that an image's tag names, as those of tutorials tell theirs. */
function release(image: string): string {
  return /:v?(\d+)[^/]*$/.exec(image)?.[1] ?? "1";
}
