// The store's contract on the SQLite of a Durable Object.
import { runInDurableObject } from "cloudflare:test";
import { durableSql } from "../../../worker/cluster/do-sql.ts";
import { storeContract } from "../../store/contract.ts";
import { bound } from "./sandbox.ts";

storeContract("the SQLite of a Durable Object", (body) =>
  runInDurableObject(bound.CLUSTERS.get(bound.CLUSTERS.newUniqueId()), (_object, state) => {
    body(durableSql(state.storage, () => false));
  }),
);
