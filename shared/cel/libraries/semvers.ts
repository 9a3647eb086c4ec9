// Semantic versions: `semver("1.2.3-rc.1").isLessThan(semver("1.2.3"))`.
import { type Library, semverType } from "../functions.ts";
import { type OpaqueValue, type Value, fail } from "../values.ts";

interface Semver {
  readonly core: readonly [bigint, bigint, bigint];
  readonly pre: readonly (bigint | string)[];
}

export const semvers: Library = {
  "semver(string) Semver": (text: string) => read(text, false),
  "semver(string, bool) Semver": read,
  "isSemver(string) bool": (text: string) => !("error" in parse(text, false)),
  "isSemver(string, bool) bool": (text: string, isTolerant: boolean) => !("error" in parse(text, isTolerant)),
  ".major(Semver) int": (value: OpaqueValue) => of(value).core[0],
  ".minor(Semver) int": (value: OpaqueValue) => of(value).core[1],
  ".patch(Semver) int": (value: OpaqueValue) => of(value).core[2],
  ".isGreaterThan(Semver, Semver) bool": (a: OpaqueValue, b: OpaqueValue) => compareSemvers(of(a), of(b)) > 0,
  ".isLessThan(Semver, Semver) bool": (a: OpaqueValue, b: OpaqueValue) => compareSemvers(of(a), of(b)) < 0,
  ".compareTo(Semver, Semver) int": (a: OpaqueValue, b: OpaqueValue) => BigInt(compareSemvers(of(a), of(b))),
};

function read(text: string, isTolerant: boolean): Value {
  const version = parse(text, isTolerant);
  if ("error" in version) return fail(version.error);
  return {
    kind: "opaque",
    type: semverType,
    data: version,
    equal: (value) => compareSemvers(version, of(value)) === 0,
  };
}

/** Only these functions create values of this type. */
function of({ data }: OpaqueValue): Semver {
  return data as Semver;
}

type Problem = { readonly error: string };

function parse(versionText: string, isTolerant: boolean): Semver | Problem {
  const text = isTolerant ? normalized(versionText) : versionText;
  if (typeof text !== "string") return text;
  if (!text) return { error: "Version string empty" };
  const numbers = splitAt(text, ".", 3);
  if (numbers.length !== 3) return { error: "No Major.Minor.Patch elements found" };
  const [major = "", minor = "", last = ""] = numbers;
  const build = last.indexOf("+");
  const beforeBuild = build < 0 ? last : last.slice(0, build);
  const dash = beforeBuild.indexOf("-");
  const patch = dash < 0 ? beforeBuild : beforeBuild.slice(0, dash);
  const core: bigint[] = [];
  for (const [name, digits] of [
    ["Major", major],
    ["Minor", minor],
    ["Patch", patch],
  ] as const) {
    const quoted = JSON.stringify(digits);
    if (!/^[0-9]*$/.test(digits))
      return { error: `Invalid character(s) found in ${name.toLowerCase()} number ${quoted}` };
    if (/^0[0-9]/.test(digits)) return { error: `${name} number must not contain leading zeroes ${quoted}` };
    if (!digits) return { error: `strconv.ParseUint: parsing "": invalid syntax` };
    core.push(BigInt(digits));
  }
  const pre = dash < 0 ? [] : prereleaseOf(beforeBuild.slice(dash + 1));
  if ("error" in pre) return pre;
  const wrongBuild = build < 0 ? undefined : buildProblem(last.slice(build + 1));
  if (wrongBuild) return wrongBuild;
  const [first = 0n, second = 0n, third = 0n] = core;
  return { core: [first, second, third], pre };
}

function prereleaseOf(text: string): (bigint | string)[] | Problem {
  const all: (bigint | string)[] = [];
  for (const identifier of text.split(".")) {
    if (!identifier) return { error: "Prerelease is empty" };
    if (/^[0-9]+$/.test(identifier)) {
      if (/^0[0-9]/.test(identifier)) {
        return { error: `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(identifier)}` };
      }
      all.push(BigInt(identifier));
    } else if (/^[0-9A-Za-z-]+$/.test(identifier)) all.push(identifier);
    else return { error: `Invalid character(s) found in prerelease ${JSON.stringify(identifier)}` };
  }
  return all;
}

function buildProblem(text: string): Problem | undefined {
  for (const identifier of text.split(".")) {
    if (!identifier) return { error: "Build meta data is empty" };
    if (!/^[0-9A-Za-z-]+$/.test(identifier)) {
      return { error: `Invalid character(s) found in build meta data ${JSON.stringify(identifier)}` };
    }
  }
  return undefined;
}

/** Removes a leading `v` and leading zeros, and adds missing numbers. */
function normalized(versionText: string): string | Problem {
  const numbers = splitAt(versionText.replace(/^v/, ""), ".", 3).map((digits) => {
    if (digits.length < 2) return digits;
    const rest = digits.replace(/^0+/, "");
    return /^[0-9]/.test(rest) ? rest : `0${rest}`;
  });
  if (numbers.length < 3) {
    if (/[+-]/.test(numbers.at(-1) ?? "")) return { error: "short version cannot contain PreRelease/Build meta data" };
    while (numbers.length < 3) numbers.push("0");
  }
  return numbers.join(".");
}

function splitAt(text: string, by: string, most: number): string[] {
  const pieces = text.split(by);
  return pieces.length <= most ? pieces : [...pieces.slice(0, most - 1), pieces.slice(most - 1).join(by)];
}

function compareSemvers(a: Semver, b: Semver): number {
  for (const [index, number] of a.core.entries()) {
    const otherNumber = b.core[index] ?? 0n;
    if (number !== otherNumber) return number < otherNumber ? -1 : 1;
  }
  // A release comes after its prereleases.
  if (!a.pre.length || !b.pre.length) return Math.sign(Number(!a.pre.length) - Number(!b.pre.length));
  for (const [index, identifier] of a.pre.entries()) {
    const otherIdentifier = b.pre[index];
    if (otherIdentifier === undefined) return 1;
    if (identifier === otherIdentifier) continue;
    if (typeof identifier !== typeof otherIdentifier) return typeof identifier === "bigint" ? -1 : 1;
    return identifier < otherIdentifier ? -1 : 1;
  }
  return a.pre.length < b.pre.length ? -1 : 0;
}
