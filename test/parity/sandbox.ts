// The sandbox that answers the cases: a whole API server in this process, with the controllers that run inside of a kube-apiserver.
import { crdApiApprovalController } from "../../worker/controllers/custom-resource-definitions/api-approval.ts";
import { crdEstablishingController } from "../../worker/controllers/custom-resource-definitions/establishing.ts";
import { crdFinalizer } from "../../worker/controllers/custom-resource-definitions/finalizer.ts";
import { crdNamingController } from "../../worker/controllers/custom-resource-definitions/naming.ts";
import { crdNonStructuralSchemaController } from "../../worker/controllers/custom-resource-definitions/non-structural-schema.ts";
import { crdRegistration } from "../../worker/controllers/custom-resource-definitions/registration.ts";
import { availabilityController } from "../../worker/controllers/api-service-availability.ts";
import { flowSchemaController } from "../../worker/controllers/flow-schema.ts";
import { type KubernetesVersion, newestVersion } from "../../shared/k8s/settings/release.ts";
import { newServer } from "../api/server.ts";
import type { Send } from "./play.ts";

const insideTheServer = [
  crdApiApprovalController,
  crdNamingController,
  crdEstablishingController,
  crdNonStructuralSchemaController,
  crdFinalizer,
  crdRegistration,
  availabilityController,
  flowSchemaController,
];

export interface AskedSandbox {
  readonly send: Send;
  /** Whatever broke an assertion. */
  readonly bugs: readonly unknown[];
}

export function newSandbox(version: KubernetesVersion = newestVersion): AskedSandbox {
  const server = newServer({ version, controllers: insideTheServer, service: () => ({ letsAnonymous: true }) });
  const send: Send = async ({ method, path, headers, token, body }) => {
    const answer = await server.ask(method, path, {
      headers,
      token: token ?? null,
      ...(body === undefined ? {} : { body }),
    });
    // What answers HEAD over a network sends no body.
    const text = method === "HEAD" ? "" : answer.text;
    return { code: answer.code, headers: Object.fromEntries(answer.headers), text };
  };
  return { send, bugs: server.bugs };
}
