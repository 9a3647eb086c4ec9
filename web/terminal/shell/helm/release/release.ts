// Releases in the form that Helm 3 stores.
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { base64Of, bytesOfBase64, textOfBase64, base64OfText } from "../../../../../shared/base/base64.ts";
import { bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { gunzip, gzip } from "../chart/archive.ts";
import type { Chart } from "../chart/chart.ts";
import type { Hook } from "../chart/manifests.ts";
import { plain } from "../template/values.ts";

export type Status =
  | "unknown"
  | "deployed"
  | "uninstalled"
  | "superseded"
  | "failed"
  | "uninstalling"
  | "pending-install"
  | "pending-upgrade"
  | "pending-rollback";

export interface Info {
  first_deployed: string;
  last_deployed: string;
  deleted: string;
  description?: string;
  status: Status;
  notes?: string;
}

interface StoredFile {
  readonly name: string;
  readonly data: string;
}

export interface StoredChart {
  readonly metadata: JsonObject;
  readonly lock: unknown;
  readonly templates: readonly StoredFile[];
  readonly values: JsonObject;
  readonly schema: string | null;
  readonly files: readonly StoredFile[];
}

export interface Release {
  readonly name: string;
  readonly info: Info;
  readonly chart: StoredChart;
  readonly config: JsonObject;
  manifest: string;
  hooks: Hook[];
  readonly version: number;
  readonly namespace: string;
  /** The labels of the Secret that users chose. They are no part of the stored data. */
  labels: Readonly<Record<string, string>>;
}

/** Encodes a release as the Secret's data has it: gzip, and base64 twice. */
export async function encodeRelease({ labels: _labels, ...release }: Release): Promise<string> {
  const compressed = await gzip(bytesOfText(JSON.stringify(release)));
  return base64OfText(base64Of(compressed));
}

/** Decodes the Secret's data. Data without gzip is read as plain JSON. Throws if it is malformed. */
export async function decodeRelease(data: string, labels: Readonly<Record<string, string>>): Promise<Release> {
  const bytes = bytesOfBase64(textOfBase64(data));
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
  const value: unknown = JSON.parse(textOfBytes(isCompressed ? await gunzip(bytes) : bytes));
  if (!isObject(value) || !isObject(value.info) || typeof value.name !== "string") throw new Error("it is no release");
  const chart = isObject(value.chart) ? value.chart : {};
  const list = (field: unknown): unknown[] => (Array.isArray(field) ? (field as unknown[]) : []);
  // Helm wrote the rest in this form.
  const stored = value as unknown as Omit<Release, "labels">;
  return {
    ...stored,
    config: isObject(value.config) ? value.config : {},
    manifest: typeof value.manifest === "string" ? value.manifest : "",
    hooks: list(value.hooks) as Hook[],
    chart: {
      metadata: isObject(chart.metadata) ? chart.metadata : {},
      lock: chart.lock ?? null,
      templates: list(chart.templates) as StoredFile[],
      values: isObject(chart.values) ? chart.values : {},
      schema: typeof chart.schema === "string" ? chart.schema : null,
      files: list(chart.files) as StoredFile[],
    },
    labels,
  };
}

export function storedChart(chart: Chart): StoredChart {
  const encode = ({ name, text }: { readonly name: string; readonly text: string }) => ({
    name,
    data: base64Of(bytesOfText(text)),
  });
  const { dependencies: _dependencies, ...metadata } = chart.metadata;
  const requirements = chart.requirements.map(({ source, name }) => ({ ...source, name, enabled: true }));
  return {
    metadata: { ...metadata, ...(requirements.length > 0 ? { dependencies: requirements } : {}) },
    lock: chart.lock,
    templates: chart.templates.map(encode),
    values: plainObject(chart.values),
    schema: chart.schema === undefined ? null : base64Of(bytesOfText(chart.schema)),
    files: chart.files.map(encode),
  };
}

/** Returns a stored chart with its values only, for merging. */
export function chartOfStored(stored: StoredChart): Chart {
  return {
    name: typeof stored.metadata.name === "string" ? stored.metadata.name : "",
    metadata: stored.metadata,
    templates: [],
    files: [],
    raw: [],
    schema: undefined,
    lock: stored.lock,
    values: stored.values,
    requirements: [],
    dependencies: [],
    parent: undefined,
  };
}

export function plainObject(values: JsonObject): JsonObject {
  const copy = plain(values);
  return isObject(copy) ? copy : {};
}

export function isPending(status: Status): boolean {
  return status === "pending-install" || status === "pending-upgrade" || status === "pending-rollback";
}

/** Formats a time like Go's RFC 3339 with nanoseconds. */
export function timestamp(ms: number): string {
  return `${trimmedEnd(trimmedEnd(new Date(ms).toISOString().slice(0, -1), "0"), ".")}Z`;
}

export function chartLabel({ chart }: Pick<Release, "chart">): string {
  return `${String(chart.metadata.name)}-${String(chart.metadata.version)}`;
}

export function appVersionOf({ chart }: Pick<Release, "chart">): string {
  const { appVersion } = chart.metadata;
  return typeof appVersion === "string" || typeof appVersion === "number" ? String(appVersion) : "";
}
