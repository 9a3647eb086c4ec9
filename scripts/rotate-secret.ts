// `npm run rotate-secret -- --server https://sandbar.example.org`: re-encrypts a service's data with the current value of its secret, and
// prints what is left. SANDBAR_OPERATOR_KEY must be set. After an interruption, run it again: it goes on.
import { Sandbar } from "../client/index.ts";
import { messageOfError, readWords } from "./command-words.ts";
import { moveAll } from "./deploy/rotate-secret.ts";

const usage = `Usage: SANDBAR_OPERATOR_KEY=sbo_... npm run rotate-secret -- [--server https://sandbar.example.org]

Moves what a service stores to the current value of its secret, and prints what is left. Without --server, of the local service.`;
const { values } = readWords(usage, {
  options: { server: { type: "string", default: "http://127.0.0.1:8787" }, help: { type: "boolean", short: "h" } },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const { SANDBAR_OPERATOR_KEY: key } = process.env;

try {
  if (!key) throw new Error("set SANDBAR_OPERATOR_KEY to the operator's key of the service");
  const { operator } = new Sandbar({ url: values.server, key });
  const isDone = await moveAll((cursor) => operator.moveSecret(cursor === undefined ? {} : { cursor }), console.log);
  process.exitCode = isDone ? 0 : 1;
} catch (error) {
  console.error(messageOfError(error));
  process.exitCode = 1;
}
