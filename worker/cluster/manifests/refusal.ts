// Refusals of manifests: which document, line and field is wrong, for programs and in a sentence.
import { limits } from "../../../shared/base/limits.ts";
import type { ManifestProblem } from "../../../shared/contract/error.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { MismatchError } from "../../../shared/schema/decode-context.ts";
import type { DuplicateKey } from "../../../shared/schema/yaml/construct.ts";
import type { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { fieldPlaces } from "../../../shared/schema/yaml/fields.ts";
import { lineAt } from "../../../shared/schema/yaml/read.ts";

/** The place of an object in manifests. */
export interface ObjectPlace {
  /** From one. */
  readonly document: number;
  /** The document's, and where that begins in the manifests. */
  readonly text: string;
  readonly start: number;
  /** The object in its document: `items[3]`; "" where it is all of it. */
  readonly within: string;
}

/** `problems` are at least one and at most `limits.manifestProblems`; the message names the place of the first. */
export class ManifestError extends ApiError {
  readonly problems: readonly ManifestProblem[];

  /** `words`: of all that is wrong. */
  constructor(
    { code, reason, details }: ApiError,
    words: string,
    first: ManifestProblem,
    more: ManifestProblem[] = [],
  ) {
    const { document, line, field } = first;
    const named = field === undefined || words.includes(field) ? "" : `, ${field}`;
    super(code, reason, `document ${document}, line ${line}${named}: ${words}`, details);
    this.problems = [first, ...more.slice(0, limits.manifestProblems - 1)];
  }
}

/** An error of fields of an object. */
export class FieldRefusal extends ApiError {
  readonly fields: readonly string[];
  readonly messageOf: (field: string) => string;

  constructor(message: string, fields: readonly string[], messageOf = (_field: string) => message) {
    super(400, "BadRequest", message);
    this.fields = fields;
    this.messageOf = messageOf;
  }
}

/** Returns the refusal of a creation. `field` is the field of the request. */
export function refusalOfManifests(error: ApiError, field: "manifests" | "import") {
  return { ok: false, code: "invalid_manifests", message: error.message, ...problemsOf(error), field } as const;
}

/** For an answer: nothing where it is no refusal of manifests. */
export function problemsOf(error: unknown): { readonly problems?: readonly ManifestProblem[] } {
  return error instanceof ManifestError ? { problems: error.problems } : {};
}

/** A document that cannot be read. */
export function refusedText(document: number, error: YamlError): ManifestError {
  const words = `error converting YAML to JSON: ${error.reason}`;
  return new ManifestError(ApiError.badRequest(words), words, problem(document, error.line ?? 1, "", words));
}

/** Returns the error of a document with duplicate keys. `linesBefore`: the lines of the text before the document. */
export function refusedKeys(document: number, linesBefore: number, keys: readonly DuplicateKey[]): ManifestError {
  const problems = keys.map(({ line, field, message }) => problem(document, linesBefore + line, field, message));
  const words = `error converting YAML to JSON: yaml: unmarshal errors: ${keys[0]?.message ?? ""}`;
  return ofProblems(ApiError.badRequest(words), problems);
}

/** An object that the cluster refuses. */
export function refusedObject(manifests: string, place: ObjectPlace, error: ApiError): ManifestError {
  const { document, text, start, within } = place;
  const causes = wrongFields(error).slice(0, limits.manifestProblems);
  const paths = causes.map(({ field }) => [within, field].filter(Boolean).join("."));
  const before = lineAt(manifests, start) - 1;
  const lines = fieldPlaces(text, paths).map((at) => before + lineAt(text, at));
  return ofProblems(
    error,
    causes.map(({ message }, at) => problem(document, lines[at] ?? before + 1, paths[at] ?? "", message)),
  );
}

function ofProblems(error: ApiError, [first, ...more]: readonly ManifestProblem[]): ManifestError {
  return new ManifestError(error, error.message, first ?? problem(1, 1, "", error.message), more);
}

function problem(document: number, line: number, field: string, message: string): ManifestProblem {
  return { document, line, ...(field === "" ? {} : { field: cut(field) }), message: cut(message) };
}

function cut(text: string): string {
  const most = limits.manifestProblemCharacters;
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** At least one; its field is "" where it is the object as a whole. */
function wrongFields(error: ApiError): readonly { readonly field: string; readonly message: string }[] {
  const { message } = error;
  if (error instanceof FieldRefusal) return error.fields.map((field) => ({ field, message: error.messageOf(field) }));
  if (error instanceof MismatchError) return [{ field: error.field, message }];
  const causes = (error.details?.causes ?? []).map((cause) => ({
    field: cause.field ?? "",
    message: cause.message ?? "",
  }));
  return causes.some(({ field }) => field !== "") ? causes : [{ field: "", message }];
}
