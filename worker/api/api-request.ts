// One request on its way to a verb, and how the registry is to write for it.
import { limits } from "../../shared/base/limits.ts";
import { managerOfAgent } from "../../shared/k8s/field-manager.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Evaluations } from "../../shared/k8s/bounds/evaluations.ts";
import type { Actor, WriteOptions } from "../registry/registry.ts";
import type { ApiServer, Credential, Identity } from "./api-server.ts";

/** Authenticated and authorized. */
export interface ApiRequest {
  readonly server: ApiServer;
  readonly request: Request;
  readonly url: URL;
  readonly identity: Identity;
  /** The sender's, whoever it acts as. */
  readonly credential?: Credential | undefined;
  /** Who acts as `identity`, if somebody does. */
  readonly impersonator?: string | undefined;
  readonly auditId: string;
  /** Texts of `Warning` headers that the answer will carry. */
  readonly warnings: string[];
  /** What plugins note for the audit log. */
  readonly annotations: Map<string, string>;
  /** The name of what is posted, which no path tells; for the audit log. */
  readonly posted: { name: string };
  /** Results of policies, which outlast a turn. */
  readonly evaluations: Evaluations;
}

/** `subresource`: "" where the object itself is asked for. */
export function actorOf(req: ApiRequest, verb: string, subresource = ""): Actor {
  const { identity, impersonator } = req;
  const auditId = req.auditId.slice(0, limits.auditIdCharacters);
  return { user: identity.user, origin: verb, manager: managerOf(req), auditId, impersonator, subresource };
}

/** How the registry is to write for a request: what is noted and warned of goes where the answer finds it. */
export function writingOf(
  { annotations, warnings, evaluations }: ApiRequest,
  { dryRun, requestOptions: given }: Pick<WriteOptions, "dryRun" | "requestOptions">,
  requestKind?: Kind,
): WriteOptions {
  return {
    dryRun,
    requestOptions: given,
    requestKind,
    annotations,
    evaluations,
    warn: (message) => void warnings.push(message),
  };
}

/** The `fieldManager` of the query, else what the client calls itself before the first slash of its user agent. */
function managerOf(req: ApiRequest): string {
  const named = req.url.searchParams.get("fieldManager");
  if (named) return named;
  return managerOfAgent(req.request.headers.get("user-agent") ?? "");
}
