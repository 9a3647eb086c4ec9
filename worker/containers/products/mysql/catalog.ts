// MySQL's system tables: information_schema and mysql.
import { describedBy, type Relation, standard } from "../../databases/catalog.ts";
import type { Context } from "../../databases/dialect.ts";
import type { Cell } from "../../wasm/sql.ts";

/** Reports whether a statement reads the system tables. */
export function asksCatalog(sql: string): boolean {
  return /\binformation_schema\b|\bmysql ?\. ?(user|db)\b/i.test(sql);
}

export function mysqlCatalog(context: Context): readonly Relation[] {
  const { data, database } = context;
  const users = [...data.users].flatMap(([name, { isAdmin }]): (readonly Cell[])[] => {
    const row = (host: string): readonly Cell[] => [host, name, "caching_sha2_password", isAdmin ? "Y" : "N"];
    return name === "root" ? [row("%"), row("localhost")] : [row("%")];
  });
  return [
    ...standard(describedBy(context), {
      catalog: "def",
      schema: database,
      engine: "InnoDB",
      isUpper: true,
      typeOf: mysqlType,
    }),
    {
      schema: "information_schema",
      name: "schemata",
      columns: ["CATALOG_NAME", "SCHEMA_NAME", "DEFAULT_CHARACTER_SET_NAME", "DEFAULT_COLLATION_NAME"],
      rows: ["information_schema", "mysql", "performance_schema", "sys", ...data.databases.keys()].map((name) => [
        "def",
        name,
        "utf8mb4",
        "utf8mb4_0900_ai_ci",
      ]),
    },
    { schema: "mysql", name: "user", columns: ["Host", "User", "plugin", "Super_priv"], rows: users },
  ];
}

/** Returns MySQL's name of a type of SQLite. */
export function mysqlType(type: string): string {
  return type === "integer" ? "int" : type;
}
