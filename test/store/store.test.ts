// The store's contract on node:sqlite.
import { nodeSql } from "../sqlite.ts";
import { storeContract } from "./contract.ts";

storeContract("node:sqlite", (body) => {
  const sql = nodeSql();
  body(sql);
  sql.close();
});
