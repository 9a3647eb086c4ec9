// An authenticated request to a verb, and the write options that follow from it.
import { limits } from "../../shared/base/limits.ts";
import { managerOfAgent } from "../../shared/k8s/field-manager.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Evaluations } from "../../shared/k8s/bounds/evaluations.ts";
import type { Actor, WriteOptions } from "../registry/registry.ts";
import type { AnswerHeaders } from "./negotiation/answer-headers.ts";
import type { ApiServer, Credential, Identity } from "./api-server.ts";

/** An authenticated and authorized request. */
export interface ApiRequest {
  readonly server: ApiServer;
  readonly request: Request;
  readonly url: URL;
  readonly identity: Identity;
  /** The credential of the sender, also if the sender impersonates a user. */
  readonly credential?: Credential | undefined;
  /** The user who impersonates `identity`. */
  readonly impersonator?: string | undefined;
  readonly auditId: string;
  /** The headers that the filters add to the response. */
  readonly sent: AnswerHeaders;
  /** Texts of the response's `Warning` headers. */
  readonly warnings: string[];
  /** Annotations of plugins for the audit log. */
  readonly annotations: Map<string, string>;
  /** The name of a POSTed object, which is not in the path. For the audit log. */
  readonly posted: { name: string };
  /** Results of policies, which are reused across turns. */
  readonly evaluations: Evaluations;
}

/** Returns the actor of a write. `subresource` is "" for the object itself. */
export function actorOf(req: ApiRequest, verb: string, subresource = ""): Actor {
  const { identity, impersonator } = req;
  const auditId = req.auditId.slice(0, limits.auditIdCharacters);
  return { user: identity.user, origin: verb, manager: managerOf(req), auditId, impersonator, subresource };
}

/** Returns the write options of a request, which collect its annotations and warnings. */
export function writingOf(
  { annotations, warnings, evaluations }: ApiRequest,
  { dryRun, requestOptions }: Pick<WriteOptions, "dryRun" | "requestOptions">,
  requestKind?: Kind,
): WriteOptions {
  return {
    dryRun,
    requestOptions,
    requestKind,
    annotations,
    evaluations,
    warn: (message) => void warnings.push(message),
  };
}

/** Returns the field manager: the `fieldManager` of the query, or the user agent up to the first slash. */
function managerOf(req: ApiRequest): string {
  const named = req.url.searchParams.get("fieldManager");
  if (named) return named;
  return managerOfAgent(req.request.headers.get("user-agent") ?? "");
}
