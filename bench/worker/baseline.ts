// The bare baseline: a Durable Object that writes the received bytes to SQLite, reads them, and streams as many bytes as requested. It
// receives the client's request unchanged.
import { DurableObject } from "cloudflare:workers";

interface Env {
  readonly BARE: DurableObjectNamespace<BareObject>;
}

const json = { "content-type": "application/json" };
/** The path of the value that was written last. */
const newestPath = "/newest";
const chunk = new TextEncoder().encode("x".repeat(64 * 1024));

export class BareObject extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS writes (id INTEGER PRIMARY KEY, value TEXT NOT NULL)");
  }

  override async fetch(request: Request): Promise<Response> {
    const { sql } = this.ctx.storage;
    if (request.method === "GET") {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== newestPath) return stream(Number(searchParams.get("bytes")));
      const { value } = sql.exec<{ value: string }>("SELECT value FROM writes ORDER BY id DESC LIMIT 1").one();
      return new Response(value, { headers: json });
    }
    const value = await request.text();
    sql.exec("INSERT INTO writes (value) VALUES (?)", value);
    return new Response(value, { status: 201, headers: json });
  }
}

/** Streams bytes, one chunk at each pull, like a list. */
function stream(bytes: number): Response {
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = chunk.subarray(0, Math.min(left, chunk.length));
      left -= piece.length;
      if (piece.length > 0) controller.enqueue(piece.slice());
      if (left === 0) controller.close();
    },
  });
  return new Response(body, { headers: json });
}

export default {
  fetch: (request, env) => env.BARE.getByName("bare").fetch(request),
} satisfies ExportedHandler<Env>;
