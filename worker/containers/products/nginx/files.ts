// What nginx gives of its files: a page, a folder's list, or why there is none.
import { before, trimmedEnd } from "../../../../shared/base/trim.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { isFolder, namesIn } from "../../shell/files.ts";
import type { Found } from "./found.ts";
import type { Location } from "./locations.ts";
import { whole } from "./rewrite.ts";
import { type Blocks, inherited } from "./tree.ts";
import { type Asking, filled } from "./variables.ts";

/** Work of measuring a character of a file. */
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

/** `asked`: the path, where it is another than the request's. `next`: the path of an index, which is looked for anew. */
export function fileAnswer(
  asking: Asking,
  blocks: Blocks,
  location: Location | undefined,
  asked: string = asking.uri,
): Found & { readonly next?: string } {
  const { files } = asking.visit;
  const alias = inherited(blocks.slice(0, 1), "alias")?.args[0];
  const pathOf = (uri: string) =>
    alias === undefined
      ? asking.root + uri
      : filled(asking, alias) + (location?.isExpression ? "" : uri.slice(location?.name.length ?? 0));
  const bare = pathOf(asked);
  const otherwise = inherited(blocks, "default_type")?.args[0] ?? "text/plain";
  const missing = (path: string): Found => ({
    status: 404,
    problems: [{ text: `open() "${path}" failed (2: No such file or directory)` }],
  });
  if (!bare.endsWith("/")) {
    const text = files.get(bare)?.text;
    if (text !== undefined) return { status: 200, contentType: typeOf(bare, otherwise), body: text };
    if (!isFolder(files, bare)) return missing(bare);
    return { status: 301, headers: [["Location", whole(asking, `${asked}/`)]] };
  }
  const index = inherited(blocks, "index")?.args ?? ["index.html"];
  const folder = trimmedEnd(bare, "/");
  for (const name of index) {
    if (name.startsWith("/")) return { status: 404, next: name };
    const text = files.get(bare + name)?.text;
    if (text === undefined) continue;
    return { status: 200, contentType: typeOf(name, otherwise), body: text };
  }
  if (!isFolder(files, folder || "/")) return missing(`${bare}${index[0] ?? ""}`);
  if (inherited(blocks, "autoindex")?.args[0] === "on") {
    return { status: 200, contentType: "text/html", body: indexOf(asking, folder || "/") };
  }
  return { status: 403, problems: [{ text: `directory index of "${bare}" is forbidden` }] };
}

/** The files of a folder, with when they were changed and how large they are. */
function indexOf({ visit: { path, files } }: Asking, folder: string): string {
  const title = `Index of ${before(path, "?#")}`;
  const names = namesIn(files, folder).map((one) => (isFolder(files, `${folder}/${one}`) ? `${one}/` : one));
  const sorted = [...names.filter((one) => one.endsWith("/")), ...names.filter((one) => !one.endsWith("/"))];
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
