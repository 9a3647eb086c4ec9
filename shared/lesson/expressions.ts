// The expressions of checks: Kubernetes' CEL with functions over a cluster's objects, its history, and responses of its containers.
import { authorizerType, functionsOf, type Library } from "../cel/functions.ts";
import { dynValue } from "../cel/json-value.ts";
import { authorizerValue, type CheckAttributes, type Decide } from "../cel/libraries/authorizers.ts";
import type { WorkMeter } from "../k8s/bounds/work.ts";
import type { UserInfo } from "../k8s/authorizer.ts";
import { compile, type Environment, evaluate, type Program } from "../cel/program.ts";
import { type CelType, dynType, intType, boolType, mapType, stringType, structType } from "../cel/types.ts";
import { fail, itemsOf, type ListValue, type Value } from "../cel/values.ts";

/** A change since the step began, as expressions see it. */
export interface ChangeFact {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The verb of a request (`create`, `update`, `patch`, `apply`, `delete`, ...), or the reconcile of a controller. */
  readonly verb: string;
  /** The subresource, such as `status` or `scale`; "" for the object itself. */
  readonly subresource: string;
  readonly user: string;
  /** The impersonating user, or "". */
  readonly impersonator: string;
  /** True if the change came through the API, not from a controller of the cluster. */
  readonly byRequest: boolean;
  /** True if a request deleted a running pod on a node without a grace period. */
  readonly forced: boolean;
  readonly namespace: string;
  readonly name: string;
  /** The object before the change. Null for a creation. */
  readonly before: unknown;
  readonly after: unknown;
}

/** The result of a request to a server in the cluster. */
export interface HttpFact {
  /** The status; 0 without a response. */
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The reason of a missing response: `refused`, `timeout`, `unreachable`, `unknown host`; otherwise "". */
  readonly error: string;
}

/** The data that expressions read. Each method throws `NoEvidence` if it cannot answer. */
export interface Evidence {
  /** Lists objects; the namespace "" selects all. */
  objects(apiVersion: string, kind: string, namespace: string): readonly unknown[];
  object(apiVersion: string, kind: string, namespace: string, name: string): unknown;
  /** Lists the changes since the step began, the oldest first; "" matches any namespace or name. */
  changes(apiVersion: string, kind: string, namespace: string, name: string): readonly ChangeFact[];
  /** Sends a request. `from` is `namespace/pod`, or "" for a pod without labels in the namespace `default`. */
  http(from: string, url: string): HttpFact;
  /** Returns logs. `container` is "" if the pod has one container. */
  logs(pod: string, container: string): string;
  /** Returns the text of a file on a node; "" if there is none. */
  file(node: string, path: string): string;
  /** Decides the `authorizer` of Kubernetes' CEL, whose library counts its costs. */
  readonly decide: Decide;
  /** Reports whether a user has access, for the lessons' own function `may`. The implementation limits the number of calls, because CEL does not count their cost. */
  may(user: UserInfo, question: CheckAttributes): boolean;
}

/** The reason why a check cannot be evaluated, as a sentence for the learner. */
export class NoEvidence extends Error {
  override name = "NoEvidence";
}

export interface ExpressionProblem {
  /** The line and column, both from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type Verdict = { readonly passed: boolean } | { readonly error: string };

const changeType = structType(
  "lesson.Change",
  fieldsOf({
    revision: intType,
    type: stringType,
    verb: stringType,
    subresource: stringType,
    user: stringType,
    impersonator: stringType,
    byRequest: boolType,
    forced: boolType,
    namespace: stringType,
    name: stringType,
    before: dynType,
    after: dynType,
  }),
);
/** The response of an HTTP request; the variable `answer` is the learner's answer to a question. */
const httpAnswerType = structType(
  "lesson.Answer",
  fieldsOf({
    status: intType,
    body: stringType,
    headers: mapType(stringType, stringType),
    error: stringType,
  }),
);

const variables: Environment["variables"] = new Map([["answer", stringType]]);

type Compiled = { readonly program: Program } | { readonly problems: readonly ExpressionProblem[] };

export function compileCheck(source: string, evidence: Evidence = nothing): Compiled {
  return compileAs(source, evidence, "bool", "must be true or false");
}

function compileAs(source: string, evidence: Evidence, resultKind: "bool" | "string", refusal: string): Compiled {
  const functions = functionsOf([libraryOf(evidence)], {
    Change: changeType,
    Answer: httpAnswerType,
    Authorizer: authorizerType,
  });
  const compiled = compile(source, { variables, functions });
  if ("problems" in compiled) return { problems: problemsOf(compiled.problems) };
  if ("planProblem" in compiled) return { problems: [{ line: 1, column: 1, message: compiled.planProblem }] };
  const { program } = compiled;
  const { kind } = program.result;
  if (kind === resultKind || kind === "dyn") return { program };
  return { problems: [{ line: 1, column: 1, message: refusal }] };
}

/** Compiles the expression of a failing check's message. */
export function compileMessage(source: string, evidence: Evidence = nothing): Compiled {
  return compileAs(source, evidence, "string", "must be a text");
}

/** Microseconds of compiling one character of an expression. */
const compileWork = 0.6;

/** Evaluates a check. A result that is not a boolean, or a cost above the limit, is an error. Other errors of the evidence are thrown. */
export function runCheck(source: string, evidence: Evidence, answer: string, meter: WorkMeter): Verdict {
  meter.account(source.length * compileWork);
  const compiled = compileCheck(source, evidence);
  if ("problems" in compiled) return { error: compiled.problems[0]?.message ?? "does not compile" };
  const outcome = evaluate(compiled.program, (name) => (name === "answer" ? answer : undefined), meter);
  if ("error" in outcome) return { error: outcome.error };
  if (typeof outcome.value !== "boolean") return { error: "the check came to neither true nor false" };
  return { passed: outcome.value };
}

/** Evaluates the message of a failing check. Returns "" if it cannot be evaluated, so that the verdict stays readable. */
export function runMessage(source: string, evidence: Evidence, answer: string, meter: WorkMeter): string {
  meter.account(source.length * compileWork);
  const compiled = compileMessage(source, evidence);
  if ("problems" in compiled) return "";
  const outcome = evaluate(compiled.program, (name) => (name === "answer" ? answer : undefined), meter);
  return "value" in outcome && typeof outcome.value === "string" ? outcome.value : "";
}

function libraryOf(evidence: Evidence): Library {
  const { http, logs, objects, object, changes, file } = evidence;
  const listed = (items: readonly unknown[]) => dynValue(items);
  return {
    "objects(string, string, string) list(dyn)": (version: string, kind: string, namespace: string) =>
      withEvidence(() => listed(objects(version, kind, namespace))),
    "objects(string, string) list(dyn)": (version: string, kind: string) =>
      withEvidence(() => listed(objects(version, kind, ""))),
    "object(string, string, string, string) dyn": (version: string, kind: string, namespace: string, name: string) =>
      withEvidence(() => dynValue(requireObject(object(version, kind, namespace, name), kind, namespace, name))),
    "object(string, string, string) dyn": (version: string, kind: string, name: string) =>
      withEvidence(() => dynValue(requireObject(object(version, kind, "", name), kind, "", name))),
    "found(string, string, string, string) bool": (version: string, kind: string, namespace: string, name: string) =>
      withEvidence(() => object(version, kind, namespace, name) !== undefined),
    "found(string, string, string) bool": (version: string, kind: string, name: string) =>
      withEvidence(() => object(version, kind, "", name) !== undefined),
    "changes(string, string, string, string) list(Change)": (
      version: string,
      kind: string,
      namespace: string,
      name: string,
    ) => withEvidence(() => listed(changes(version, kind, namespace, name))),
    "changes(string, string, string) list(Change)": (version: string, kind: string, namespace: string) =>
      withEvidence(() => listed(changes(version, kind, namespace, ""))),
    "http(string) Answer": (url: string) => withEvidence(() => dynValue(http("", url))),
    "httpFrom(string, string) Answer": (pod: string, url: string) => withEvidence(() => dynValue(http(pod, url))),
    "logs(string) string": (pod: string) => withEvidence(() => logs(pod, "")),
    "logs(string, string) string": (pod: string, container: string) => withEvidence(() => logs(pod, container)),
    "file(string, string) string": (node: string, path: string) => withEvidence(() => file(node, path)),
    "may(string, string, string, string, string) bool": (
      name: string,
      verb: string,
      group: string,
      resource: string,
      namespace: string,
    ) => withEvidence(() => evidence.may(userNamed(name), { ...plainQuestion, verb, group, resource, namespace })),
    "user(string, list(string)) Authorizer": (name: string, groups: ListValue) =>
      authorizerValue({ name, groups: [...itemsOf(groups), "system:authenticated"].map(String) }, evidence.decide),
  };
}

const plainQuestion = { subresource: "", name: "", fieldSelector: "", labelSelector: "" };

/** Returns a user; a service account receives the groups of upstream's authentication. */
function userNamed(name: string): UserInfo {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name) ?? [];
  const accountGroups =
    namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return { name, groups: [...accountGroups, "system:authenticated"] };
}

function withEvidence(body: () => Value): Value {
  try {
    return body();
  } catch (error) {
    if (error instanceof NoEvidence) return fail(error.message);
    throw error;
  }
}

function requireObject(object: unknown, kind: string, namespace: string, name: string): unknown {
  if (object !== undefined) return object;
  throw new NoEvidence(`there is no ${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`);
}

function fieldsOf(fields: Readonly<Record<string, CelType>>): (name: string) => CelType | undefined {
  return (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
}

/** Parses the output of `problemsText`, the compiler's only form of its problems: each starts with its line and column. */
function problemsOf(text: string): ExpressionProblem[] {
  const heads = text.matchAll(/^ERROR: <input>:(-?\d+):(-?\d+): (.*)$/gm);
  return [...heads].map(([, line, column, message = ""]) => ({
    line: Math.max(1, Number(line)),
    column: Math.max(1, Number(column)),
    message,
  }));
}

/** Evidence for expressions that are only compiled. */
const nothing: Evidence = {
  objects: () => [],
  object: () => undefined,
  changes: () => [],
  http: () => ({ status: 0, body: "", headers: {}, error: "" }),
  logs: () => "",
  file: () => "",
  decide: () => ({ allowed: false, reason: "" }),
  may: () => false,
};
