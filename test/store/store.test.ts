// The store's contract on node:sqlite, with bases and without.
import type { Sql } from "../../worker/store/sql.ts";
import { nodeSql } from "../sqlite.ts";
import { baseOf } from "./base-of.ts";
import { storeContract } from "./contract.ts";
import { fileBaseOf } from "./file-base-of.ts";

storeContract("node:sqlite", onNode);

const otherRows = ["b", "a"].map((name) => ({
  resource: "secrets",
  namespace: "ns",
  name,
  owners: ["!u9"],
  indexValue: "",
}));
storeContract("node:sqlite, over a base", onNode, baseOf(otherRows));
storeContract("node:sqlite, over a base in a file", onNode, fileBaseOf(otherRows));

function onNode(body: (sql: Sql) => void): void {
  const sql = nodeSql();
  body(sql);
  sql.close();
}
