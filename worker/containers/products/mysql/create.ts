// SHOW CREATE TABLE: formats SQLite's table as MySQL does.
import type { Cell } from "../../wasm/sql.ts";
import { mysqlType } from "./catalog.ts";
import type { Context } from "../../databases/dialect.ts";
import { literal } from "../../databases/quoting.ts";

/** Returns undefined if the table does not exist. */
export function createText({ read }: Context, table: string): string | undefined {
  const rows = (sql: string): readonly (readonly Cell[])[] => {
    const result = read(sql);
    return "error" in result ? [] : (result[0]?.rows ?? []);
  };
  const [[kind, createSql] = []] = rows(`select type, sql from sqlite_master where name = ${literal(table)}`);
  if (kind !== "table") return kind === undefined ? undefined : String(createSql);
  const isCounted = /autoincrement/i.test(String(createSql));
  const columns = rows(`select name, lower(type), "notnull", dflt_value, pk from pragma_table_info(${literal(table)})`);
  const keys = columns.filter(([, , , , key]) => key !== 0).map(([name]) => `\`${String(name)}\``);
  const lines = columns.map(([name, type, notNull, usual = null, key]) => {
    const isKey = key !== 0;
    const needed = notNull === 1 || isKey ? " NOT NULL" : "";
    const text = usual === null ? (needed === "" ? " DEFAULT NULL" : "") : ` DEFAULT ${String(usual)}`;
    return `\`${String(name)}\` ${mysqlType(String(type))}${needed}${isKey && isCounted ? " AUTO_INCREMENT" : text}`;
  });
  if (keys.length > 0) lines.push(`PRIMARY KEY (${keys.join(",")})`);
  const indexes = rows(
    `select l.name, l."unique", l.origin, group_concat('\`' || i.name || '\`') from pragma_index_list(${literal(table)}) l, pragma_index_info(l.name) i where l.origin <> 'pk' group by 1, 2, 3 order by 1`,
  );
  for (const [name, isUnique, origin, names] of indexes) {
    const indexName = origin === "u" ? String(names).split(",")[0] : `\`${String(name)}\``;
    lines.push(`${isUnique === 1 ? "UNIQUE " : ""}KEY ${indexName} (${String(names)})`);
  }
  const references = rows(`select "from", "table", "to" from pragma_foreign_key_list(${literal(table)}) order by id`);
  for (const [at, [from, parent, to]] of references.entries())
    lines.push(
      `CONSTRAINT \`${table}_ibfk_${at + 1}\` FOREIGN KEY (\`${String(from)}\`) REFERENCES \`${String(parent)}\` (\`${String(to ?? "id")}\`)`,
    );
  return `CREATE TABLE \`${table}\` (\n${lines.map((line) => `  ${line}`).join(",\n")}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`;
}
