// A server of a folder's files, with listings of folders. Busybox has one.
import type { Task } from "../../../../shared/shell/task.ts";
import { before, trimmedEnd } from "../../../../shared/base/trim.ts";
import { options } from "../../../../shared/shell/options.ts";
import { absolute, isFolder, namesIn } from "../files.ts";
import { begin, listenAs } from "../listen.ts";
import type { ProgramCall } from "../program.ts";
import type { Page, Server, Visit } from "../server.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  txt: "text/plain",
  json: "application/json",
  css: "text/css",
  js: "application/javascript",
};

export function typeOf(file: string): string {
  return types[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream";
}

/** Runs `httpd -f -p 8080 -h /www`. */
export function* folderProgram(call: ProgramCall): Task<number> {
  const { values, flags } = options(call.args, "pcuhrde");
  const port = Number((values.get("p") ?? "80").split(":").at(-1));
  const root = absolute(values.get("h") ?? ".", call.shell.folder);
  const server = folderServer(root === "/" ? "" : root);
  if (flags.has("f")) return yield* listenAs(call, server, [port]);
  begin(call, server, [port]);
  return 0;
}

function folderServer(root: string): Server {
  return { answer: (visit) => pageOf(visit, root) };
}

function pageOf({ path, files }: Visit, root: string): Page {
  const bare = root + trimmedEnd(before(path, "?#"), "/");
  const file = [bare, `${bare}/index.html`].find((candidate) => files.get(candidate)?.text !== undefined);
  if (file !== undefined) return { contentType: typeOf(file), body: files.get(file)?.text ?? "" };
  if (!isFolder(files, bare || "/")) {
    const body = "<h1>Error response</h1>\n<p>Error code: 404</p>\n";
    return { status: 404, contentType: "text/html;charset=utf-8", body };
  }
  const names = namesIn(files, bare || "/").map((name) => (isFolder(files, `${bare}/${name}`) ? `${name}/` : name));
  const items = names.map((name) => `<li><a href="${name}">${name}</a></li>\n`).join("");
  const title = `Directory listing for ${path}`;
  return {
    contentType: "text/html; charset=utf-8",
    body: `<!DOCTYPE HTML>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${title}</title>\n</head>\n<body>\n<h1>${title}</h1>\n<hr>\n<ul>\n${items}</ul>\n<hr>\n</body>\n</html>\n`,
  };
}
