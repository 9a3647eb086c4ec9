// What the checks of a lesson look at in a cluster: its objects, its history, and the answers of its containers as far as they are known.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Attributes } from "../../../shared/k8s/authorizer.ts";
import type { Decide } from "../../../shared/cel/libraries/authorizers.ts";
import { limits } from "../../../shared/base/limits.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { type ChangeFact, type Evidence, type HttpFact, NoEvidence } from "../../../shared/lesson/expressions.ts";
import { inVersion, storedKind } from "../../api/present/present.ts";
import type { Kind } from "../../kinds/kind.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { readsOf, type Registry } from "../../registry/registry.ts";
import type { PastChange } from "../../store/cause.ts";

/** A question to containers: what they answer is worked out in a turn of its own. */
export type ContainerQuestion =
  | { readonly what: "http"; readonly from: string; readonly url: string }
  | { readonly what: "logs"; readonly pod: string; readonly container: string };

export interface ContainerAnswers {
  readonly http: ReadonlyMap<string, HttpFact>;
  /** A log, or why there is none. */
  readonly logs: ReadonlyMap<string, string | NoEvidence>;
}

/** The check waits for this answer: it is asked for, and the check begins again. */
export class Unanswered extends Error {
  override name = "Unanswered";
  readonly question: ContainerQuestion;

  constructor(question: ContainerQuestion) {
    super("the check waits for an answer");
    this.question = question;
  }
}

const changesAtOnce = 500;

/** For one evaluation of one check: it counts what it reads. `since`: the revision at which the step began. */
export function evidenceOf(
  registry: Registry,
  since: number,
  answers: ContainerAnswers,
  readFile: Evidence["file"],
): Evidence {
  const readObject = countUpTo(limits.checkObjects, "objects");
  const readChange = countUpTo(limits.checkChanges, "changes");
  const decided = countUpTo(limits.checkDecisions, "rights");
  const reads = readsOf(registry);
  const decide = decideIn(registry);
  return {
    objects: (apiVersion, kindName, namespace) => {
      const kind = kindOf(registry, apiVersion, kindName);
      const facts: unknown[] = [];
      for (const object of reads.list(storedKind(kind), namespace === "" ? undefined : namespace)) {
        readObject();
        facts.push(inVersion(kind, object));
      }
      return facts;
    },
    object: (apiVersion, kindName, namespace, name) => {
      const kind = kindOf(registry, apiVersion, kindName);
      readObject();
      const object = reads.get(storedKind(kind), namespace, name);
      return object && inVersion(kind, object);
    },
    changes: (apiVersion, kindName, namespace, name) => {
      const kind = kindOf(registry, apiVersion, kindName);
      const isWanted = (change: PastChange) =>
        (namespace === "" || change.namespace === namespace) && (name === "" || change.name === name);
      return [...changesOf(registry, kind, since, readChange)].filter(isWanted).map((change) => factOf(kind, change));
    },
    http: (from, url) => {
      const answer = answers.http.get(`${from} ${url}`);
      if (!answer) throw new Unanswered({ what: "http", from, url });
      return answer;
    },
    logs: (pod, container) => {
      const answer = answers.logs.get(`${pod} ${container}`);
      if (answer === undefined) throw new Unanswered({ what: "logs", pod, container });
      if (answer instanceof NoEvidence) throw answer;
      return answer;
    },
    file: (node, path) => {
      readObject();
      return readFile(node, path);
    },
    decide,
    may: (user, question) => {
      decided();
      return decide(user, question).allowed;
    },
  };
}

function decideIn({ authorizer }: Registry): Decide {
  return (user, { verb, path, group, resource: plural, subresource, namespace, name }) => {
    const nothing = { group: "", plural: "", subresource: "", namespace: "", name: "" };
    const attributes: Attributes =
      path === undefined
        ? { isResource: true, verb, path: "", group, plural, subresource, namespace, name }
        : { ...nothing, isResource: false, verb, path };
    return authorizer.decide(user, attributes);
  };
}

function kindOf({ catalogue }: Registry, apiVersion: string, name: string): Kind {
  const kind = catalogue.byKind(apiVersion, name);
  if (!kind) throw new NoEvidence(`the cluster knows no kind ${name} of ${apiVersion}`);
  return kind;
}

function countUpTo(max: number, what: string): () => void {
  let read = 0;
  return () => {
    read += 1;
    if (read > max) throw new NoEvidence(`the check would look at more than ${max} ${what}`);
  };
}

/** Yields the changes of a kind. Throws if the history does not hold all of them, because a part is no evidence. */
function* changesOf({ store }: Registry, kind: Kind, since: number, read: () => void): Generator<PastChange> {
  for (let after = since; ; ) {
    const portion = portionAfter(store, after, kind);
    for (const change of portion) {
      read();
      yield change;
    }
    const last = portion.at(-1);
    if (!last) return;
    after = last.revision;
  }
}

function portionAfter(store: Registry["store"], after: number, kind: Kind): readonly PastChange[] {
  try {
    return store.history(after, changesAtOnce, kind.resource);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new NoEvidence("the history does not go back to the beginning of this step: start the step again");
  }
}

function factOf(kind: Kind, change: PastChange): ChangeFact {
  const { revision, type, namespace, name, cause, object, previous } = change;
  const present = (state: typeof object | undefined) => (state ? inVersion(kind, state) : null);
  const byRequest = cause.auditId !== undefined;
  return {
    revision,
    type,
    verb: cause.origin,
    subresource: cause.subresource ?? "",
    user: cause.user,
    impersonator: cause.impersonator ?? "",
    byRequest,
    forced:
      byRequest && type === "DELETED" && kind.resource === pods.resource && wasAtWork(previous as Pod | undefined),
    namespace,
    name,
    before: present(previous),
    after: type === "DELETED" ? null : present(object),
  };
}

/** A pod that is on a node and has not ended goes when its kubelet says so, unless it is deleted with a grace of zero. */
function wasAtWork(pod: Pod | undefined): boolean {
  if (!pod?.spec.nodeName) return false;
  return pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed";
}
