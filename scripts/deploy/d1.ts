// Calls D1 by Cloudflare's API, because wrangler's commands take no parameters, and a row may be longer than a statement.
import * as z from "zod";
import type { Sql } from "./move-tenants.ts";

export interface D1Account {
  readonly account: string;
  readonly token: string;
  /** Default: Cloudflare's address. */
  readonly api?: string;
}

const answerShape = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })).default([]),
  result: z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())).default([]) })).nullish(),
});

const answerMs = 60_000;

/** Opens the database with an id. Throws D1's error. */
export function d1({ account, token, api = "https://api.cloudflare.com/client/v4" }: D1Account, id: string): Sql {
  return {
    query: async (sql, params = []) => {
      const answer = await fetch(`${api}/accounts/${account}/d1/database/${id}/query`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ sql, params }),
        signal: AbortSignal.timeout(answerMs),
      });
      const { success, data } = answerShape.safeParse(await answer.json().catch(() => undefined));
      if (!success || !data.success) {
        const why = data?.errors.map(({ message }) => message).join("; ");
        throw new Error(`D1 answered ${answer.status}: ${why || "nothing that can be read"}`);
      }
      return data.result?.[0]?.results ?? [];
    },
  };
}
