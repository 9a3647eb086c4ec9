// The policy of a namespace: a level and a version for each of enforce, audit and warn (upstream: PolicyToEvaluate).
import { newestRelease } from "../../../shared/k8s/settings/release.ts";
import type { WriteContext } from "../../kinds/kind.ts";
import { type FieldError, invalid, path } from "../../../shared/k8s/field.ts";

export type Level = "privileged" | "baseline" | "restricted";

export interface LevelVersion {
  readonly level: Level;
  /** Infinity: the latest version. */
  readonly minor: number;
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

const prefix = "pod-security.kubernetes.io/";
const levels: readonly Level[] = ["privileged", "baseline", "restricted"];
const latest = Number.POSITIVE_INFINITY;

/** Returns the level at the version that the API server knows: the latest one is that of its release. */
export function servedLevel({ context: { release = newestRelease } }: ServedBy, { level, minor }: LevelVersion) {
  return { level, minor: Math.min(minor, release.minor) };
}

type ServedBy = { readonly context: Pick<WriteContext, "release"> };

/** Returns the text of a level: `baseline:latest`, `restricted:v1.30`. */
export function levelText({ level, minor }: LevelVersion): string {
  return `${level}:${minor === latest ? "latest" : `v1.${minor}`}`;
}

/** Compares levels. Negative if `a` is less strict than `b`. */
export function compareLevels(a: Level, b: Level): number {
  return Math.sign(levels.indexOf(a) - levels.indexOf(b));
}

export function policyOf(labels: Readonly<Record<string, string>> = {}): { policy: Policy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const read = (mode: keyof Policy): LevelVersion => {
    const level = readLevel(labels, mode, errors);
    return { level, minor: readVersion(labels, mode, errors) };
  };
  const [enforce, audit, requestedWarn] = [read("enforce"), read("audit"), read("warn")];
  const isEnforced = levels.includes(labels[`${prefix}enforce`] as Level);
  const hasWarn = labels[`${prefix}warn`] !== undefined;
  // If no warn level is set, the enforced level also applies to warnings, so that workloads with rejected pods get warnings.
  const follows = !hasWarn && isEnforced && compareLevels(enforce.level, requestedWarn.level) > 0;
  const hasVersion = labels[`${prefix}warn-version`] !== undefined;
  const warn = follows
    ? { level: enforce.level, minor: hasVersion ? requestedWarn.minor : enforce.minor }
    : requestedWarn;
  return { policy: { enforce, audit, warn }, errors };
}

/** Reports whether no mode restricts pods. */
export function isFree({ enforce, audit, warn }: Policy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === "privileged");
}

function readLevel(labels: Readonly<Record<string, string>>, mode: keyof Policy, errors: FieldError[]): Level {
  const key = prefix + mode;
  const value = labels[key];
  if (value === undefined) return "privileged";
  const level = levels.find((candidate) => candidate === value);
  if (level) return level;
  errors.push(invalid(path("metadata", "labels").key(key), value, `must be one of ${levels.join(", ")}`));
  // An invalid enforce level falls back to the strictest level, an invalid audit or warn level to none.
  return mode === "enforce" ? "restricted" : "privileged";
}

function readVersion(labels: Readonly<Record<string, string>>, mode: keyof Policy, errors: FieldError[]): number {
  const key = `${prefix}${mode}-version`;
  const value = labels[key];
  if (value === undefined || value === "latest") return latest;
  const minor = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(value)?.[1];
  if (minor !== undefined) return Number(minor);
  errors.push(invalid(path("metadata", "labels").key(key), value, 'must be "latest" or "v1.x"'));
  return latest;
}
