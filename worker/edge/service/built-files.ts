// Reads the built files of the console and the documentation. The build stores each text compressed beside it, under a name that ends in .br.
// The packed local service stores texts only under names that end in .gz.

/** The part of the assets binding that is used. */
export interface Assets {
  fetch(url: string, init: { method: string; headers: Headers }): Promise<Response>;
}

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
};

const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Returns the built file at a path, compressed if the client accepts that; a 404 if there is none. */
export async function builtFile(assets: Assets, path: string, request: Request): Promise<Response> {
  const { url, method, headers } = request;
  const read = (name: string) => assets.fetch(new URL(name, url).href, { method, headers });
  const contentType = contentTypes[/\.(\w+)$/.exec(path)?.[1] ?? ""];
  if (contentType === undefined) return read(path);
  const accepted = acceptedBy(request);
  for (const [encoding, ending] of encodings) {
    const packed = accepted.has(encoding) ? await read(path + ending) : undefined;
    if (packed && packed.status !== 404) return encoded(packed, encoding, contentType);
  }
  const plain = await read(path);
  return plain.status === 404 ? unpacked(await read(`${path}.gz`), contentType) : plain;
}

/** Returns the encodings that the client accepts. The platform replaces the header by its own, and keeps the client's in `cf`. */
function acceptedBy(request: Request): ReadonlySet<string> {
  // Only the platform's own type of a request declares `cf`.
  const { headers, cf } = request as Request & { readonly cf?: { readonly clientAcceptEncoding?: unknown } };
  const clientEncodings = cf?.clientAcceptEncoding;
  const text = typeof clientEncodings === "string" ? clientEncodings : (headers.get("accept-encoding") ?? "");
  const names = text.split(",").map((entry) => entry.trim().toLowerCase());
  return new Set(names.filter((name) => !/;\s*q=0(\.0*)?$/.test(name)).map((name) => name.split(";")[0] ?? ""));
}

function encoded(packed: Response, encoding: string, contentType: string): Response {
  const headers = new Headers(packed.headers);
  headers.set("content-type", contentType);
  headers.set("content-encoding", encoding);
  headers.append("vary", "accept-encoding");
  const init: ResponseInit & { readonly encodeBody: "manual" } = {
    status: packed.status,
    headers,
    encodeBody: "manual",
  };
  return new Response(packed.body, init);
}

function unpacked(packed: Response, contentType: string): Response {
  if (packed.status === 404) return packed;
  const answer = new Response(packed.body?.pipeThrough(new DecompressionStream("gzip")) ?? null, packed);
  answer.headers.set("content-type", contentType);
  answer.headers.delete("content-length");
  return answer;
}
