// `npm run conformance -- build <folder>`, `run <folder> [focus]`, `others <folder> [focus]` and `report <folder>`, each with
// `--version <release>`: see docs/conformance.md.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { newestVersion, supportedVersions } from "../../shared/k8s/settings/release.ts";
import { messageOfError, readWords, refuseWords } from "../command-words.ts";
import { buildSuite } from "./build.ts";
import { type Verdicts, readReport, writePage } from "./verdicts.ts";

const usage =
  "Usage: npm run conformance -- build <folder> | run <folder> [focus] | others <folder> [focus] | report <folder>, " +
  `with --version ${supportedVersions.join(" | ")}`;
const { positionals, values } = readWords(usage, {
  allowPositionals: true,
  options: { version: { type: "string", default: newestVersion } },
});
const [verb, folderArgument, focus = ""] = positionals;
const version = supportedVersions.find((supported) => supported === values.version);
if (!version) refuseWords(usage, `There is no version ${values.version}.`);
if (!["build", "run", "others", "report"].includes(verb ?? "") || folderArgument === undefined)
  refuseWords(usage, "Name a command and a folder.");
const folder = resolve(folderArgument);
const verdictsPath = join(folder, "verdicts.json");
const othersPath = join(folder, "others.json");
/** A running service, as `npm start` starts it. */
const service = process.env.SANDBAR_SERVER ?? "http://localhost:8787";
const data = process.env.SANDBAR_DATA ?? ".sandbar";
/** The number of parallel processes. Tests mostly wait. */
const processes = process.env.SANDBAR_CONFORMANCE_PROCESSES ?? "8";
const ttlSeconds = 4 * 3600;
/** Serial tests run one after the other, each of these groups in a sandbox of its own. */
const serialGroups = ["apps", "scheduling", "api-machinery", "node", "storage"];

try {
  if (verb === "build") buildSuite(folder, version);
  else if (verb === "report") writePage(version, readVerdicts(verdictsPath), readVerdicts(othersPath));
  else {
    requireSuite();
    await (verb === "run" ? runSuite() : runOthers());
  }
} catch (error) {
  console.error(messageOfError(error));
  process.exitCode = 1;
}

function requireSuite(): void {
  const missing = ["e2e.test", "ginkgo"].filter((program) => !existsSync(join(folder, program)));
  if (missing.length === 0) return;
  const command = `npm run conformance -- build ${folder} --version ${version}`;
  throw new Error(`${folder} has no ${missing.join(" and no ")}: run \`${command}\` first`);
}

async function runSuite(): Promise<void> {
  const some = focus === "" ? [] : ["--focus", focus];
  const serial = serialGroups.map((group) => {
    // Several `--focus` flags are alternatives, so one expression has to combine the group and the focus.
    const groupFocus = focus === "" ? `\\[sig-${group}\\]` : `\\[sig-${group}\\].*(${focus})`;
    return inSandbox(`serial-${group}`, [
      "--procs",
      "1",
      "--label-filter",
      "Conformance && Serial",
      "--focus",
      groupFocus,
    ]);
  });
  const parallel = ["--procs", processes, "--label-filter", "Conformance && !Serial", ...some];
  await Promise.all([inSandbox("parallel", parallel), ...serial]);
}

/** Runs tests beyond conformance that need nothing but an installed cluster of Linux nodes. */
async function runOthers(): Promise<void> {
  const labels = "!Conformance && !Slow && !Disruptive && !Flaky && !Alpha && !Serial";
  const skip =
    "\\[Slow\\]|\\[Disruptive\\]|\\[Flaky\\]|\\[Feature:|\\[FeatureGate:|\\[Alpha\\]|\\[Driver:|\\[Serial\\]|Windows|In-tree Volumes|CSI Volumes|CSI Mock";
  const options = ["--procs", processes, "--label-filter", labels, "--skip", skip, "--focus", focus || "\\[sig-"];
  await inSandbox("others", options, othersPath);
}

async function inSandbox(name: string, options: readonly string[], path = verdictsPath): Promise<void> {
  const keyPath = join(data, "api-key");
  if (!existsSync(keyPath))
    throw new Error(`${keyPath} does not exist: start a service, and name its folder in SANDBAR_DATA`);
  const key = readFileSync(keyPath, "utf8").trim();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/yaml" };
  const body = JSON.stringify({ nodes: 3, ttlSeconds, version });
  const response = await fetch(`${service}/v1/sandboxes`, { method: "POST", headers, body });
  if (response.status !== 201) throw new Error(`no sandbox: ${response.status} ${await response.text()}`);
  const kubeconfig = join(folder, `${name}.kubeconfig`);
  writeFileSync(kubeconfig, await response.text(), { mode: 0o600 });
  execFileSync("kubectl", ["wait", "nodes", "--all", "--for=condition=Ready", `--kubeconfig=${kubeconfig}`]);
  mkdirSync(join(folder, name), { recursive: true });
  const log = openSync(join(folder, name, "log"), "w");
  const report = ["--output-dir", join(folder, name), "--json-report", "report.json", "--timeout", "4h"];
  const suite = ["--", `--kubeconfig=${kubeconfig}`, "--provider=skeleton", "--report-complete-ginkgo=false"];
  const words = ["run", "--no-color", "--keep-going", ...report, ...options, join(folder, "e2e.test"), ...suite];
  const child = spawn(join(folder, "ginkgo"), words, { stdio: ["ignore", log, log] });
  await once(child, "exit");
  const verdicts = { ...readVerdicts(path), ...readReport(join(folder, name, "report.json"), focus !== "") };
  writeFileSync(path, JSON.stringify(verdicts, null, 1));
  console.log(`${name}: see ${join(folder, name, "log")}`);
}

function readVerdicts(path: string): Verdicts {
  // `inSandbox` wrote the file.
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Verdicts) : {};
}
