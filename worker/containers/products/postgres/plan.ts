// What EXPLAIN answers in PostgreSQL: one scan for each table, as of tables that nobody has analyzed.
import type { Context, Dialect, Meant } from "../../databases/dialect.ts";
import { usesOf } from "../../databases/uses.ts";

export function plan(context: Context, words: string, dialect: Pick<Dialect, "meaning" | "failure">): Meant {
  const body = words.replace(/^explain( \([^)]*\))?( analyze)?( verbose)? /i, "");
  const meant = dialect.meaning({ ...context, sql: body });
  if (!("sql" in meant)) return meant;
  const found = context.read(`explain ${meant.sql}`);
  if ("error" in found) return { reply: dialect.failure(found.error, context) };
  const isMeasured = /^explain( analyze|[^)]*\banalyze)/i.test(words);
  const [, condition] = /\bwhere (.*?)(?: group by| order by| limit|$)/i.exec(body) ?? [];
  const isKeyed = /^(?:\w+\.)?id ?= ?\S+$/i.test(condition ?? "");
  const tables = [...new Set(usesOf(body).map(({ table }) => table))];
  const took = isMeasured ? " (actual time=0.008..0.010 rows=1.00 loops=1)" : "";
  const lines = tables.flatMap((table) => {
    if (isKeyed)
      return [
        `Index Scan using ${table}_pkey on ${table}  (cost=0.15..8.17 rows=1 width=36)${took}`,
        `  Index Cond: (${condition ?? ""})`,
      ];
    const scan = `Seq Scan on ${table}  (cost=0.00..22.70 rows=1270 width=36)${took}`;
    return condition === undefined ? [scan] : [scan, `  Filter: (${condition})`];
  });
  if (tables.length === 0) lines.push(`Result  (cost=0.00..0.01 rows=1 width=4)${took}`);
  if (isMeasured) lines.push("Planning Time: 0.050 ms", "Execution Time: 0.030 ms");
  return { reply: { kind: "rows", columns: ["QUERY PLAN"], rows: lines.map((one) => [one]) } };
}
