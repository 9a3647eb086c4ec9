// nginx's access control: `allow` and `deny`, `auth_basic`, and rate limits with `limit_req`.
import { textOfBytes } from "../../../../shared/base/byte-text.ts";
import { tryBytesOfBase64 } from "../../../../shared/base/base64.ts";
import { parseIpv4, parseIpv4Range } from "../../../../shared/k8s/ip.ts";
import { isPassword } from "../../shell/programs/copying/crypt.ts";
import type { Outcome } from "./outcome.ts";
import type { Problem } from "./logs.ts";
import { allInherited, type Blocks, inheritedDirective } from "./configuration.ts";
import { type Asking, fillVariables, headerOf } from "./variables.ts";

/** Returns why a request is refused; undefined if it may continue. */
export function denialOf(asking: Asking, blocks: Blocks): Outcome | undefined {
  return limitRequests(asking, blocks) ?? (satisfies(asking, blocks) ? undefined : refusalOf(asking, blocks));
}

function satisfies(asking: Asking, blocks: Blocks): boolean {
  const isAny = inheritedDirective(blocks, "satisfy")?.args[0] === "any";
  const checks = [isAllowed(asking, blocks), checkCredentials(asking, blocks) === undefined];
  return isAny ? checks.includes(true) : !checks.includes(false);
}

function refusalOf(asking: Asking, blocks: Blocks): Outcome {
  if (!isAllowed(asking, blocks) && inheritedDirective(blocks, "satisfy")?.args[0] !== "any")
    return { status: 403, problems: [{ text: "access forbidden by rule" }] };
  return checkCredentials(asking, blocks) ?? { status: 403, problems: [{ text: "access forbidden by rule" }] };
}

/** Applies the first rule that matches the client's address. Without a matching rule the request is allowed. */
function isAllowed({ visit }: Asking, blocks: Blocks): boolean {
  const rules = blocks
    .map((block) => block.filter(({ name }) => name === "allow" || name === "deny"))
    .find(({ length }) => length > 0);
  const from = parseIpv4(visit.from ?? "");
  for (const { name, args } of rules ?? []) {
    const [where = ""] = args;
    const range = parseIpv4Range(where.includes("/") ? where : `${where}/32`);
    const isIn =
      where === "all" ||
      (range !== undefined && from !== undefined && from >= range.first && from < range.first + range.size);
    if (isIn) return name === "allow";
  }
  return true;
}

/** Checks the client's credentials. Returns undefined if they are accepted. */
function checkCredentials(asking: Asking, blocks: Blocks): Outcome | undefined {
  const realm = inheritedDirective(blocks, "auth_basic")?.args[0];
  if (realm === undefined || realm === "off") return undefined;
  const refusal = (status: number, text: string, level: Problem["level"] = "error"): Outcome => ({
    status,
    ...(status === 401
      ? { headers: [["WWW-Authenticate", `Basic realm="${fillVariables(asking, realm)}"`] as const] }
      : {}),
    problems: [{ text, level }],
  });
  const encodedCredentials = /^basic\s+(\S+)$/i.exec(headerOf(asking.visit, "authorization") ?? "")?.[1];
  const bytes = encodedCredentials === undefined ? undefined : tryBytesOfBase64(encodedCredentials);
  if (!bytes) return refusal(401, "no user/password was provided for basic authentication", "info");
  const [user = "", password = ""] = textOfBytes(bytes).split(/:(.*)/s);
  const path = inheritedDirective(blocks, "auth_basic_user_file")?.args[0] ?? "";
  const full = path.startsWith("/") ? path : `/etc/nginx/${path}`;
  const text = asking.visit.files.get(full)?.text;
  if (text === undefined)
    return { status: 403, problems: [{ text: `open() "${full}" failed (2: No such file or directory)` }] };
  const line = text.split("\n").find((userLine) => userLine.startsWith(`${user}:`));
  if (line === undefined) return refusal(401, `user "${user}" was not found in "${full}"`);
  if (!isPassword(password, line.split(":")[1] ?? "")) return refusal(401, `user "${user}": password mismatch`);
  asking.user = user;
  return undefined;
}

/** Applies `limit_req zone=one burst=5 nodelay`: requests above the zone's rate wait or are refused. */
function limitRequests(asking: Asking, blocks: Blocks): Outcome | undefined {
  const { http } = asking;
  for (const { args } of allInherited(blocks, "limit_req")) {
    const name = valueIn(args, "zone");
    const zone = http.find(
      (candidate) => candidate.name === "limit_req_zone" && valueIn(candidate.args, "zone").split(":")[0] === name,
    );
    const [, count = "1", unit = "s"] = /^(\d+)r\/([sm])$/.exec(valueIn(zone?.args ?? [], "rate")) ?? [];
    const perSecond = Number(count) / (unit === "m" ? 60 : 1);
    const burst = Number(valueIn(args, "burst") || 0);
    const excess = excessOf(asking, zone?.args[0] ?? "", perSecond, burst);
    if (excess === undefined) continue;
    if (excess <= burst) {
      if (!args.includes("nodelay")) asking.waitedMs += Math.round((excess * 1000) / perSecond);
      continue;
    }
    const status = Number(inheritedDirective(blocks, "limit_req_status")?.args[0] ?? 503);
    return { status, problems: [{ text: `limiting requests, excess: ${excess.toFixed(3)} by zone "${name}"` }] };
  }
  return undefined;
}

function valueIn(args: readonly string[], name: string): string {
  return args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** Returns by how many requests the client exceeds the rate; undefined if the client has no key. */
function excessOf(asking: Asking, key: string, perSecond: number, burst: number): number | undefined {
  const { visit } = asking;
  if (fillVariables(asking, key) === "") return undefined;
  const isByAddress = /remote_addr/.test(key);
  const addressPrefix = `${visit.from ?? ""} `;
  let [excess, lastMs] = [0, Number.NaN];
  for (const { atMs, text = "" } of visit.recent?.() ?? []) {
    if (atMs > visit.nowMs || (isByAddress && !text.startsWith(addressPrefix)) || /" (503|429) \d+ /.test(text))
      continue;
    const next = Number.isNaN(lastMs) ? 0 : Math.max(0, excess - ((atMs - lastMs) * perSecond) / 1000 + 1);
    if (next > burst && !Number.isNaN(lastMs)) continue;
    [excess, lastMs] = [next, atMs];
  }
  return Number.isNaN(lastMs) ? 0 : Math.max(0, excess - ((visit.nowMs - lastMs) * perSecond) / 1000 + 1);
}
