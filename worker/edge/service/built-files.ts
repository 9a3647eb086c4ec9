// Reads the built files of the console and the documentation. The packed local service stores texts compressed, under names that end in .gz.

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

/** Returns the built file at a path, decompressed; a 404 if there is none. */
export async function builtFile(assets: Assets, path: string, { url, method, headers }: Request): Promise<Response> {
  const read = (name: string) => assets.fetch(new URL(name, url).href, { method, headers });
  const plain = await read(path);
  const contentType = contentTypes[/\.(\w+)$/.exec(path)?.[1] ?? ""];
  if (plain.status !== 404 || contentType === undefined) return plain;
  const packed = await read(`${path}.gz`);
  if (packed.status === 404) return plain;
  const answer = new Response(packed.body?.pipeThrough(new DecompressionStream("gzip")) ?? null, packed);
  answer.headers.set("content-type", contentType);
  answer.headers.delete("content-length");
  return answer;
}
