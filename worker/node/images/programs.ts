// The programs that the simulated images know: how long each runs and its exit code.
import { forever, type Outcome } from "./outcome.ts";
import { runScript } from "./shell.ts";

const success: Outcome = { runsMs: 0, exitCode: 0 };
const notFound: Outcome = { runsMs: 0, exitCode: 127 };

/** Print or look at something and end at once. */
const quick = new Set(
  `echo printf true : date env printenv hostname whoami id pwd ls cat touch mkdir rmdir cp mv rm ln chmod chown export set unset
   cd test [ grep egrep sed awk sort uniq wc head cut tr tee seq expr basename dirname uname free df du ps which kubectl wget curl
   nslookup dig host nc ping tar gzip gunzip unzip base64 md5sum sha256sum openssl git apk apt apt-get yum dnf pip pip3 npm chroot
   mount umount find xargs sync kill trap umask ulimit local read shift eval source . source`
    .split(/\s+/)
    .filter(Boolean),
);
const shells = new Set(["sh", "bash", "ash", "dash"]);

/** A program with its arguments. One that is not known is taken for a server that heeds SIGTERM. */
export function runProgram(words: readonly string[]): Outcome {
  const [path = "", ...args] = words;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (shells.has(name)) return runShell(args);
  if (name === "sleep") return { runsMs: sleepMs(args), exitCode: 0 };
  if (name === "exit") return { runsMs: 0, exitCode: Number.parseInt(args[0] ?? "0", 10) & 255 };
  if (name === "false") return { runsMs: 0, exitCode: 1 };
  if (name === "nc" && args.some((arg) => /^-\w*l/.test(arg))) return forever;
  if (name === "tail") return args.some((arg) => /^-\w*[fF]/.test(arg)) ? forever : success;
  if (name === "ping") return ping(args);
  if (name === "timeout") return timeout(args);
  if (["exec", "time", "nohup", "env", "tini", "dumb-init", "--"].includes(name)) return runWrapped(name, args);
  if (name === "perl") return { runsMs: 5_000, exitCode: 0 };
  if (quick.has(name)) return success;
  if (absent.test(name)) return notFound;
  return { ...forever, heedsTerm: true };
}

const absent = /does-?not-?exist|non-?existent|not-?found|no-?such/;

function runShell(args: readonly string[]): Outcome {
  const command = args.findIndex((arg) => /^-\w*c$/.test(arg));
  if (command >= 0) return runScript(args[command + 1] ?? "", runProgram);
  // A script file is a program that is not known; no file at all reads a terminal that is not there.
  return args.some((arg) => !arg.startsWith("-")) ? { ...forever, heedsTerm: true } : success;
}

function sleepMs(args: readonly string[]): number {
  const units: Record<string, number> = { "": 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const arg of args) {
    const parts = /^(\d+(?:\.\d+)?|\.\d+)([smhd]?)$/.exec(arg);
    // `infinity`, and what only a real shell could work out.
    if (!parts) return /^inf/i.test(arg) ? Number.POSITIVE_INFINITY : 1000;
    total += Number(parts[1]) * (units[parts[2] ?? ""] ?? 1000);
  }
  return total;
}

function ping(args: readonly string[]): Outcome {
  const at = args.indexOf("-c");
  return at < 0 ? forever : { runsMs: Number(args[at + 1]) * 1000 || 0, exitCode: 0 };
}

function timeout(args: readonly string[]): Outcome {
  const [limit = "0", ...rest] = args.filter((arg) => !arg.startsWith("-"));
  const inner = runProgram(rest);
  const limitMs = sleepMs([limit]);
  return inner.runsMs <= limitMs ? inner : { runsMs: limitMs, exitCode: 124 };
}

/** A program that starts another one. */
function runWrapped(name: string, args: readonly string[]): Outcome {
  const rest = args.slice(args.findIndex((arg) => !arg.startsWith("-") && !(name === "env" && arg.includes("="))));
  if (rest.length === 0 || !args.some((arg) => !arg.startsWith("-"))) return success;
  const inner = runProgram(rest);
  return name === "tini" || name === "dumb-init" ? { ...inner, heedsTerm: true } : inner;
}
