// `npm run parity -- build <folder>` and `npm run parity -- record <folder> [file…]`: see docs/parity.md.
import { setTimeout as sleep } from "node:timers/promises";
import { resolve } from "node:path";
import { writeAnswers } from "../../test/parity/answers.ts";
import { caseFiles, readCases } from "../../test/parity/cases.ts";
import { play, type Send } from "../../test/parity/play.ts";
import { buildControlPlane } from "./build.ts";
import { startControlPlane } from "./control-plane.ts";

const port = Number(process.env.SANDBAR_PARITY_PORT ?? "21443");
/** Requests whose effect a real server shows only later, because its caches follow the store. */
const takenInLater =
  /customresourcedefinitions|admissionpolic|webhookconfigurations|apiservices|roles|rolebindings|resourcequotas|limitranges|classes|namespaces(\/[^/]+)?(\?|$)|serviceaccounts(\?|$)/;
const takeInMs = 1500;

const [verb, folder, ...files] = process.argv.slice(2);
if ((verb !== "build" && verb !== "record") || folder === undefined) {
  console.error("npm run parity -- build <folder> | record <folder> [file…]");
  process.exit(1);
}
if (verb === "build") buildControlPlane(resolve(folder));
else for (const name of files.length > 0 ? files : caseFiles()) await record(resolve(folder), name);

/** Records the cases of a file. Each file has a server of its own, and the file describes its initial state. */
async function record(programs: string, name: string): Promise<void> {
  const file = readCases(name);
  const { send, stop } = await startControlPlane(programs, port);
  try {
    const answers = await play(file, unhurried(send));
    writeAnswers(name, answers);
    console.log(`${name}: ${answers.size} answers`);
  } finally {
    await stop();
  }
}

function unhurried(send: Send): Send {
  return async (request) => {
    const answer = await send(request);
    const isWrite = request.method !== "GET" && request.method !== "HEAD" && answer.code < 300;
    if (isWrite && !request.path.includes("dryRun") && takenInLater.test(request.path)) await sleep(takeInMs);
    return answer;
  };
}
