// nginx's answers from files: a page, a folder's listing, or the reason why there is none.
import { before, trimmedEnd } from "../../../../shared/base/trim.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { isFolder, namesIn } from "../../shell/files.ts";
import type { Outcome } from "./outcome.ts";
import type { Location } from "./locations.ts";
import { absoluteUrl } from "./rewrite.ts";
import { type Blocks, inheritedDirective } from "./configuration.ts";
import { type Asking, fillVariables } from "./variables.ts";

/** The work of measuring one character of a file. */
const measuredWork = 1 / 2_500;

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  htm: "text/html",
  txt: "text/plain",
  json: "application/json",
  css: "text/css",
  js: "application/javascript",
  xml: "text/xml",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  ico: "image/x-icon",
  pdf: "application/pdf",
  wasm: "application/wasm",
};

export function typeOf(file: string, otherwise = "application/octet-stream"): string {
  return types[file.slice(file.lastIndexOf(".") + 1)] ?? otherwise;
}

/** Answers from files. `uri`: the path if it differs from the request's. `next`: the path of an index, whose location is searched anew. */
export function fileAnswer(
  asking: Asking,
  blocks: Blocks,
  location: Location | undefined,
  uri: string = asking.uri,
): Outcome & { readonly next?: string } {
  const { files } = asking.visit;
  const alias = inheritedDirective(blocks.slice(0, 1), "alias")?.args[0];
  const pathOf = (uri: string) =>
    alias === undefined
      ? asking.root + uri
      : fillVariables(asking, alias) + (location?.isExpression ? "" : uri.slice(location?.name.length ?? 0));
  const bare = pathOf(uri);
  const otherwise = inheritedDirective(blocks, "default_type")?.args[0] ?? "text/plain";
  const missing = (path: string): Outcome => ({
    status: 404,
    problems: [{ text: `open() "${path}" failed (2: No such file or directory)` }],
  });
  if (!bare.endsWith("/")) {
    const text = files.get(bare)?.text;
    if (text !== undefined) return { status: 200, contentType: typeOf(bare, otherwise), body: text };
    if (!isFolder(files, bare)) return missing(bare);
    return { status: 301, headers: [["Location", absoluteUrl(asking, `${uri}/`)]] };
  }
  const index = inheritedDirective(blocks, "index")?.args ?? ["index.html"];
  const folder = trimmedEnd(bare, "/");
  for (const name of index) {
    if (name.startsWith("/")) return { status: 404, next: name };
    const text = files.get(bare + name)?.text;
    if (text === undefined) continue;
    return { status: 200, contentType: typeOf(name, otherwise), body: text };
  }
  if (!isFolder(files, folder || "/")) return missing(`${bare}${index[0] ?? ""}`);
  if (inheritedDirective(blocks, "autoindex")?.args[0] === "on") {
    return { status: 200, contentType: "text/html", body: indexOf(asking, folder || "/") };
  }
  return { status: 403, problems: [{ text: `directory index of "${bare}" is forbidden` }] };
}

/** Lists the files of a folder with their time and size. */
function indexOf({ visit: { path, files } }: Asking, folder: string): string {
  const title = `Index of ${before(path, "?#")}`;
  const names = namesIn(files, folder).map((name) => (isFolder(files, `${folder}/${name}`) ? `${name}/` : name));
  const sorted = [...names.filter((name) => name.endsWith("/")), ...names.filter((name) => !name.endsWith("/"))];
  const rows = sorted.map((name) => {
    const entry = files.get(`${folder}/${name}`);
    const when = new Date(entry?.changedMs ?? 0).toUTCString();
    const text = entry?.text ?? "";
    files.pays?.(text.length * measuredWork);
    const size = name.endsWith("/") ? "-" : String(byteLength(text));
    return `<a href="${name}">${name}</a>${" ".repeat(Math.max(1, 51 - name.length))}${when.slice(5, 7)}-${when.slice(8, 11)}-${when.slice(12, 16)} ${when.slice(17, 22)}${size.padStart(20)}\r\n`;
  });
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<h1>${title}</h1><hr><pre><a href="../">../</a>\r\n${rows.join("")}</pre><hr></body>\r\n</html>\r\n`;
}
