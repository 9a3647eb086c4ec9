// Semantic versions and constraints, as Helm's library reads them.
import { define, type Functions } from "../template/builtins.ts";
import { CallError } from "../template/errors.ts";
import { Struct, textOf } from "../template/values.ts";

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

const versionPattern =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** Parses a version; minor and patch may be missing. Undefined if it is none. */
export function versionOf(text: string): Version | undefined {
  const match = versionPattern.exec(text);
  if (!match) return undefined;
  const [original, major, minor = "0", patch = "0", prerelease = "", metadata = ""] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), prerelease, metadata, original };
}

function versionText({ major, minor, patch, prerelease, metadata }: Version): string {
  return `${major}.${minor}.${patch}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;
}

function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? 1 : -1;
  const [left, right] = [a.split("."), b.split(".")];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [x, y] = [left[at], right[at]];
    if (x === y) continue;
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isNumber && isOtherNumber) return Number(x) - Number(y);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePrereleases(a.prerelease, b.prerelease);
}

interface Constraint {
  readonly operator: string;
  readonly version: Version;
  /** Reports whether a part of the version is a wildcard or missing. */
  readonly minorIsOpen: boolean;
  readonly patchIsOpen: boolean;
  readonly isOpen: boolean;
}

const component = "[0-9xX*]+";
const numberText = `v?(?:${component})(?:\\.${component})?(?:\\.${component})?(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?`;
const operators = "!=|>=|=>|<=|=<|~>|=|>|<|~|\\^|";
const single = new RegExp(`^(${operators})(${numberText})$`);
const operatorAlone = new RegExp(`^(?:${operators})$`);
const maxConstraintLength = 2000;

function constraintOf(operator: string, text: string): Constraint {
  const [, major = "*", minor, patch, prerelease = ""] =
    /^v?([0-9xX*]+)(?:\.([0-9xX*]+))?(?:\.([0-9xX*]+))?(?:-([^+]*))?/.exec(text) ?? [];
  const isWild = (digits: string | undefined) => digits === undefined || /^[xX*]$/.test(digits);
  const majorIsWild = isWild(major);
  const minorIsOpen = majorIsWild || isWild(minor);
  const patchIsOpen = minorIsOpen || isWild(patch);
  const version = {
    major: majorIsWild ? 0 : Number(major),
    minor: minorIsOpen ? 0 : Number(minor),
    patch: patchIsOpen ? 0 : Number(patch),
    prerelease: majorIsWild || patchIsOpen ? (prerelease ?? "") : prerelease,
    metadata: "",
    original: text,
  };
  // `*` matches everything: `>=0.0.0`.
  if (majorIsWild) return { operator: ">=", version, minorIsOpen: false, patchIsOpen: false, isOpen: false };
  return { operator, version, minorIsOpen, patchIsOpen, isOpen: patchIsOpen };
}

function isAbove(version: Version, constraint: Constraint): boolean {
  const limit = constraint.version;
  if (!constraint.isOpen) return compareVersions(version, limit) > 0;
  if (version.major !== limit.major) return version.major > limit.major;
  return !constraint.minorIsOpen && version.minor > limit.minor;
}

function isWithinTilde(version: Version, { version: limit, minorIsOpen, patchIsOpen }: Constraint): boolean {
  if (compareVersions(version, limit) < 0) return false;
  if (limit.major === 0 && limit.minor === 0 && limit.patch === 0 && !minorIsOpen && !patchIsOpen) return true;
  return version.major === limit.major && (minorIsOpen || version.minor === limit.minor);
}

function isWithinCaret(version: Version, { version: limit, minorIsOpen, patchIsOpen }: Constraint): boolean {
  if (compareVersions(version, limit) < 0 || version.major !== limit.major) return false;
  if (limit.major > 0 || minorIsOpen) return true;
  if (limit.minor > 0 || patchIsOpen) return version.minor === limit.minor;
  return version.minor === 0 && version.patch === limit.patch;
}

function differs(version: Version, { version: limit, minorIsOpen, isOpen }: Constraint): boolean {
  if (!isOpen) return compareVersions(version, limit) !== 0;
  return version.major !== limit.major || (!minorIsOpen && version.minor !== limit.minor);
}

function isAtMost(version: Version, constraint: Constraint): boolean {
  const { version: limit, minorIsOpen, isOpen } = constraint;
  if (!isOpen) return compareVersions(version, limit) <= 0;
  return (
    version.major < limit.major || (version.major === limit.major && (minorIsOpen || version.minor <= limit.minor))
  );
}

function satisfies(version: Version, constraint: Constraint): boolean {
  switch (constraint.operator) {
    case "!=":
      return differs(version, constraint);
    case ">":
      return isAbove(version, constraint);
    case "<":
      return compareVersions(version, constraint.version) < 0;
    case ">=":
    case "=>":
      return compareVersions(version, constraint.version) >= 0;
    case "<=":
    case "=<":
      return isAtMost(version, constraint);
    case "~":
    case "~>":
      return isWithinTilde(version, constraint);
    case "^":
      return isWithinCaret(version, constraint);
    default:
      return constraint.isOpen
        ? isWithinTilde(version, constraint)
        : compareVersions(version, constraint.version) === 0;
  }
}

/** Splits constraints that hold together into comparisons such as `>=1.2`. */
function comparisonsOf(text: string): string[] {
  const words = text
    .replaceAll(/\s+/g, " ")
    .trim()
    .split(/ ?, ?| /);
  const comparisons: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const [word = "", next = "", end = ""] = words.slice(at, at + 3);
    if (next === "-") {
      comparisons.push(`>=${word}`, `<=${end}`);
      at += 2;
    } else if (word !== "" && operatorAlone.test(word)) {
      comparisons.push(word + next);
      at += 1;
    } else comparisons.push(word);
  }
  return comparisons;
}

/** Reports whether a version satisfies a constraint such as `>=1.19-0 <2 || ^3`. Throws CallError for a bad constraint. */
function isWithin(constraint: string, version: Version): boolean {
  const improper = () => new CallError(`improper constraint: ${constraint}`);
  if (constraint.length > maxConstraintLength) throw improper();
  return constraint
    .split("||")
    .map((text) =>
      comparisonsOf(text).map((comparison) => {
        const [, operator, number] = single.exec(comparison) ?? [];
        if (operator === undefined || number === undefined) throw improper();
        return constraintOf(operator, number);
      }),
    )
    .some((constraints) => {
      const allowsPrerelease = constraints.some((item) => item.version.prerelease !== "");
      if (version.prerelease !== "" && !allowsPrerelease) return false;
      return constraints.every((item) => satisfies(version, item));
    });
}

/** Reports whether both are valid and the version is in the range. */
export function isCompatible(range: string, version: string): boolean {
  const parsed = versionOf(version);
  try {
    return parsed !== undefined && isWithin(range, parsed);
  } catch {
    return false;
  }
}

function requireVersion(text: string): Version {
  const version = versionOf(text);
  if (!version) throw new CallError(text === "" ? "version string empty" : "invalid semantic version");
  return version;
}

function structOf(version: Version): Struct {
  return new Struct(
    "*semver.Version",
    {},
    {
      text: versionText(version),
      json: versionText(version),
      methods: {
        Major: () => BigInt(version.major),
        Minor: () => BigInt(version.minor),
        Patch: () => BigInt(version.patch),
        Prerelease: () => version.prerelease,
        Metadata: () => version.metadata,
        Original: () => version.original,
        String: () => versionText(version),
        Compare: (against) => BigInt(Math.sign(compareVersions(version, requireVersion(textOf(against))))),
        LessThan: (against) => compareVersions(version, requireVersion(textOf(against))) < 0,
        GreaterThan: (against) => compareVersions(version, requireVersion(textOf(against))) > 0,
        Equal: (against) => compareVersions(version, requireVersion(textOf(against))) === 0,
      },
    },
  );
}

export const versionFunctions: Functions = {
  semver: define("s", (text: string) => structOf(requireVersion(text))),
  semverCompare: define("ss", (constraint: string, text: string) => isWithin(constraint, requireVersion(text))),
};
