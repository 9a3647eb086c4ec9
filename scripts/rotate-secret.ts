// `npm run rotate-secret -- --server https://sandbar.example.org`: re-encrypts a service's data with the current value of its secret, and
// prints what is left. SANDBAR_OPERATOR_KEY must be set. After an interruption, run it again: it goes on.
import { parseArgs } from "node:util";
import { Sandbar } from "../client/index.ts";
import { moveAll } from "./deploy/rotate-secret.ts";

const { values } = parseArgs({ options: { server: { type: "string", default: "http://127.0.0.1:8787" } } });
const { SANDBAR_OPERATOR_KEY: key } = process.env;

try {
  if (!key) throw new Error("set SANDBAR_OPERATOR_KEY to the operator's key of the service");
  const { operator } = new Sandbar({ url: values.server, key });
  const isDone = await moveAll((cursor) => operator.moveSecret(cursor === undefined ? {} : { cursor }), console.log);
  process.exitCode = isDone ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
