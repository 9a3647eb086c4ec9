// The bare baseline: one Durable Object, one SQLite write of the bytes it is sent, and as many bytes back as are asked for.
import { DurableObject } from "cloudflare:workers";

interface Env {
  readonly BARE: DurableObjectNamespace<BareObject>;
}

const chunk = new TextEncoder().encode("x".repeat(64 * 1024));

export class BareObject extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS writes (id INTEGER PRIMARY KEY, value TEXT NOT NULL)");
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.method === "GET") return stream(Number(new URL(request.url).searchParams.get("bytes")));
    const value = await request.text();
    this.ctx.storage.sql.exec("INSERT INTO writes (value) VALUES (?)", value);
    return new Response(value, { status: 201, headers: { "content-type": "application/json" } });
  }
}

/** One chunk at each pull, as a list is streamed. */
function stream(bytes: number): Response {
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const part = chunk.subarray(0, Math.min(left, chunk.length));
      left -= part.length;
      if (part.length > 0) controller.enqueue(part.slice());
      if (left === 0) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

export default {
  fetch: (request, env) => env.BARE.getByName("bare").fetch(request),
} satisfies ExportedHandler<Env>;
