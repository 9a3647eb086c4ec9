// The expressions of checks: Kubernetes' CEL with functions over a cluster's objects, its history and what its containers answer.
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
  /** `create`, `update`, `patch`, `apply`, `delete`, ... of a request; of a controller what it reconciled. */
  readonly verb: string;
  /** `status`, `scale`; "" where the object itself was asked for. */
  readonly subresource: string;
  readonly user: string;
  /** Who acted as the user; "" where nobody did. */
  readonly impersonator: string;
  /** It came through the API, whoever the user was: no controller of the cluster did it. */
  readonly byRequest: boolean;
  /** A request took away a pod at once that was on a node and had not ended. */
  readonly forced: boolean;
  readonly namespace: string;
  readonly name: string;
  /** Null before it was made, and after it was deleted. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What somebody got who asked a server in the cluster. */
export interface HttpFact {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Why there was no answer: `refused`, `timeout`, `unreachable`, `unknown host`; else "". */
  readonly error: string;
}

/** What expressions look at. Each throws `NoEvidence` where it cannot tell. */
export interface Evidence {
  /** "" for all namespaces. */
  objects(apiVersion: string, kind: string, namespace: string): readonly unknown[];
  object(apiVersion: string, kind: string, namespace: string, name: string): unknown;
  /** Since the step began, the oldest first; "" for any namespace or name. */
  changes(apiVersion: string, kind: string, namespace: string, name: string): readonly ChangeFact[];
  /** `from`: `namespace/pod`, or "" for a pod without labels in the namespace `default`. */
  http(from: string, url: string): HttpFact;
  /** `container`: "" where there is one alone. */
  logs(pod: string, container: string): string;
  readonly decide: Decide;
  /** The same, counted by the evidence in place of its cost: an expression may ask it more often. */
  may(user: UserInfo, question: CheckAttributes): boolean;
}

/** Why something cannot be told, as a sentence for the learner. */
export class NoEvidence extends Error {
  override name = "NoEvidence";
}

export interface ExpressionProblem {
  /** Both begin with 1. */
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
const answerType = structType(
  "lesson.Answer",
  fieldsOf({
    status: intType,
    body: stringType,
    headers: mapType(stringType, stringType),
    error: stringType,
  }),
);

const variables: Environment["variables"] = new Map([["answer", stringType]]);

export function compileCheck(
  source: string,
  evidence: Evidence = nothing,
): { readonly program: Program } | { readonly problems: readonly ExpressionProblem[] } {
  const functions = functionsOf([libraryOf(evidence)], {
    Change: changeType,
    Answer: answerType,
    Authorizer: authorizerType,
  });
  const compiled = compile(source, { variables, functions });
  if ("problems" in compiled) return { problems: placed(compiled.problems) };
  if ("planProblem" in compiled) return { problems: [{ line: 1, column: 1, message: compiled.planProblem }] };
  const { program } = compiled;
  const { kind } = program.result;
  if (kind === "bool" || kind === "dyn") return { program };
  return { problems: [{ line: 1, column: 1, message: "must be true or false" }] };
}

/** Work of compiling a character of an expression. */
const compileWork = 0.6;

/** What is neither true nor false is an error, and so is what costs more than one expression may. Other errors of the evidence are thrown. */
export function runCheck(source: string, evidence: Evidence, answer: string, meter: WorkMeter): Verdict {
  meter.account(source.length * compileWork);
  const compiled = compileCheck(source, evidence);
  if ("problems" in compiled) return { error: compiled.problems[0]?.message ?? "does not compile" };
  const outcome = evaluate(compiled.program, (name) => (name === "answer" ? answer : undefined), meter);
  if ("error" in outcome) return { error: outcome.error };
  if (typeof outcome.value !== "boolean") return { error: "the check came to neither true nor false" };
  return { passed: outcome.value };
}

function libraryOf(evidence: Evidence): Library {
  const { http, logs, objects, object, changes } = evidence;
  const listed = (items: readonly unknown[]) => dynValue(items);
  return {
    "objects(string, string, string) list(dyn)": (version: string, kind: string, namespace: string) =>
      told(() => listed(objects(version, kind, namespace))),
    "objects(string, string) list(dyn)": (version: string, kind: string) =>
      told(() => listed(objects(version, kind, ""))),
    "object(string, string, string, string) dyn": (version: string, kind: string, namespace: string, name: string) =>
      told(() => dynValue(needed(object(version, kind, namespace, name), kind, namespace, name))),
    "object(string, string, string) dyn": (version: string, kind: string, name: string) =>
      told(() => dynValue(needed(object(version, kind, "", name), kind, "", name))),
    "found(string, string, string, string) bool": (version: string, kind: string, namespace: string, name: string) =>
      told(() => object(version, kind, namespace, name) !== undefined),
    "found(string, string, string) bool": (version: string, kind: string, name: string) =>
      told(() => object(version, kind, "", name) !== undefined),
    "changes(string, string, string, string) list(Change)": (
      version: string,
      kind: string,
      namespace: string,
      name: string,
    ) => told(() => listed(changes(version, kind, namespace, name))),
    "changes(string, string, string) list(Change)": (version: string, kind: string, namespace: string) =>
      told(() => listed(changes(version, kind, namespace, ""))),
    "http(string) Answer": (url: string) => told(() => dynValue(http("", url))),
    "httpFrom(string, string) Answer": (pod: string, url: string) => told(() => dynValue(http(pod, url))),
    "logs(string) string": (pod: string) => told(() => logs(pod, "")),
    "logs(string, string) string": (pod: string, container: string) => told(() => logs(pod, container)),
    "may(string, string, string, string, string) bool": (
      name: string,
      verb: string,
      group: string,
      resource: string,
      namespace: string,
    ) => told(() => evidence.may(userNamed(name), { ...plainQuestion, verb, group, resource, namespace })),
    "user(string, list(string)) Authorizer": (name: string, groups: ListValue) =>
      authorizerValue({ name, groups: [...itemsOf(groups), "system:authenticated"].map(String) }, evidence.decide),
  };
}

const plainQuestion = { subresource: "", name: "", fieldSelector: "", labelSelector: "" };

/** With the groups that authentication gives a service account, by its name. */
function userNamed(name: string): UserInfo {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name) ?? [];
  const own = namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return { name, groups: [...own, "system:authenticated"] };
}

function told(body: () => Value): Value {
  try {
    return body();
  } catch (error) {
    if (error instanceof NoEvidence) return fail(error.message);
    throw error;
  }
}

function needed(object: unknown, kind: string, namespace: string, name: string): unknown {
  if (object !== undefined) return object;
  throw new NoEvidence(`there is no ${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`);
}

function fieldsOf(fields: Readonly<Record<string, CelType>>): (name: string) => CelType | undefined {
  return (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
}

/** As `problemsText` writes them: the line and the column of each in its head. */
function placed(text: string): ExpressionProblem[] {
  const heads = text.matchAll(/^ERROR: <input>:(-?\d+):(-?\d+): (.*)$/gm);
  return [...heads].map(([, line, column, message = ""]) => ({
    line: Math.max(1, Number(line)),
    column: Math.max(1, Number(column)),
    message,
  }));
}

/** For expressions that are compiled and not run. */
const nothing: Evidence = {
  objects: () => [],
  object: () => undefined,
  changes: () => [],
  http: () => ({ status: 0, body: "", headers: {}, error: "" }),
  logs: () => "",
  decide: () => ({ allowed: false, reason: "" }),
  may: () => false,
};
