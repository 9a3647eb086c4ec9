// `npm run parity -- build|record|compare <folder> …`: see docs/parity.md.
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { join, resolve } from "node:path";
import { writeAnswers } from "../../test/parity/answers.ts";
import { caseFiles, readCases } from "../../test/parity/cases.ts";
import { play, type Send } from "../../test/parity/play.ts";
import { type KubernetesVersion, newestVersion, supportedVersions } from "../../shared/k8s/settings/release.ts";
import { messageOfError, refuseWords } from "../command-words.ts";
import { compareRelease, type RealServer } from "./compare.ts";
import { buildControlPlane } from "./build.ts";
import { startControlPlane } from "./control-plane.ts";

const port = Number(process.env.SANDBAR_PARITY_PORT ?? "21443");
/** Requests whose effect a real server shows only later, because its caches follow the store. */
const takenInLater =
  /customresourcedefinitions|admissionpolic|webhookconfigurations|apiservices|roles|rolebindings|resourcequotas|limitranges|classes|namespaces(\/[^/]+)?(\?|$)|serviceaccounts(\?|$)/;
const takeInMs = 1500;

const usage =
  "Usage: npm run parity -- build <folder> [version] | record <folder> [file…] | compare <folder> <version> [file…]";

const verbs: Readonly<Record<string, (folder: string, words: readonly string[]) => Promise<void> | void>> = {
  build: (folder, [version = newestVersion]) => {
    buildControlPlane(folder, versionOf(version));
  },
  record: async (folder, files) => {
    for (const name of files.length > 0 ? files : caseFiles()) await record(folder, name);
  },
  compare: (folder, [version = "", ...files]) => compareRelease(folder, versionOf(version), files, () => real(folder)),
};

const [verb = "", folder, ...words] = process.argv.slice(2);
const run = verbs[verb];
const option = [verb, folder, ...words].find((word) => word?.startsWith("-"));
if (option) fail(`Unknown option '${option}'`);
if (!run || folder === undefined) fail("Name a command and a folder.");
try {
  await run(resolve(folder), words);
} catch (error) {
  console.error(messageOfError(error));
  process.exitCode = 1;
}

function fail(reason: string): never {
  return refuseWords(usage, reason);
}

function versionOf(text: string): KubernetesVersion {
  return (
    supportedVersions.find((version) => version === text) ??
    fail(`There is no version ${text}; there are ${supportedVersions.join(", ")}.`)
  );
}

/** Starts a real server whose caches have followed each answered write. */
async function real(programs: string): Promise<RealServer> {
  const missing = ["kube-apiserver", "etcd"].filter((program) => !existsSync(join(programs, program)));
  if (missing.length > 0)
    throw new Error(
      `${programs} has no ${missing.join(" and no ")}: run \`npm run parity -- build ${programs}\` first`,
    );
  const { send, stop } = await startControlPlane(programs, port);
  return { send: unhurried(send), stop };
}

/** Records the cases of a file. Each file has a server of its own, and the file describes its initial state. */
async function record(programs: string, name: string): Promise<void> {
  const file = readCases(name);
  const { send, stop } = await real(programs);
  try {
    const answers = await play(file, send);
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
