// Simulates kube-webhook-certgen in Jobs of published manifests: `create` creates a Secret with a certificate, `patch` sets its authority
// in webhook configurations.
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { validatingWebhookConfigurations } from "../kinds/admissionregistration/validating-webhook-configuration.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { secrets } from "../kinds/core/secret.ts";
import {
  type Controller,
  defineController,
  type ReconcileContext,
  type Request,
  watch,
} from "../runtime/controller.ts";
import { issueCertificate, signerOf } from "./common/issue.ts";
import type { Keys } from "./common/keys.ts";

const image = /\/kube-webhook-certgen(:|@|$)/;

export function webhookCertificates(keys: Keys): Controller {
  return defineController({
    name: "simulated-webhook-certgen",
    user: "system:serviceaccount:kube-system:webhook-certgen",
    component: "kube-webhook-certgen",
    watches: [
      watch<Pod>(pods, function* (next): Generator<Request> {
        if (!next || !next.spec.containers.some(isOne) || next.status.phase === "Pending") return;
        yield { namespace: next.metadata.namespace ?? "", name: next.metadata.name ?? "" };
      }),
    ],
    reconcile({ namespace, name }, context) {
      const container = context.client.get(pods, namespace, name)?.spec.containers.find(isOne);
      if (!container) return undefined;
      const [verb] = container.args ?? [];
      if (verb === "create") create(context, namespace, container, keys);
      if (verb === "patch") patch(context, namespace, container);
      return undefined;
    },
  });
}

function isOne(container: Container): boolean {
  return image.test(container.image ?? "");
}

function option({ args = [] }: Container, name: string): string {
  return args?.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
}

function create(context: ReconcileContext, namespace: string, container: Container, keys: Keys): void {
  const { client } = context;
  const name = option(container, "secret-name");
  const where = option(container, "namespace").replace("$(POD_NAMESPACE)", namespace) || namespace;
  if (name === "" || client.get(secrets, where, name)) return;
  const reference = { duration: "876000h", secretName: name };
  const authority = issueCertificate(
    { ...reference, commonName: "nil1", dnsNames: [], isCA: true },
    undefined,
    keys,
    context,
  );
  const signer = signerOf({ data: authority.data }, keys);
  const dnsNames = option(container, "host")
    .split(",")
    .filter((host) => host !== "");
  const { data } = issueCertificate({ ...reference, commonName: "nil2", dnsNames, isCA: false }, signer, keys, context);
  const { "ca.crt": ca = "", "tls.crt": cert = "", "tls.key": key = "" } = data;
  client.create(secrets, { metadata: { namespace: where, name }, type: "Opaque", data: { ca, cert, key } });
}

function patch({ client }: ReconcileContext, namespace: string, container: Container): void {
  const ca = client.get(secrets, namespace, option(container, "secret-name"))?.data?.["ca"];
  const configuration = client.get(validatingWebhookConfigurations, "", option(container, "webhook-name"));
  if (ca === undefined || !configuration || option(container, "patch-validating") === "false") return;
  if (configuration.webhooks?.every(({ clientConfig }) => clientConfig.caBundle === ca)) return;
  const policy = option(container, "patch-failure-policy");
  const failurePolicy: "Fail" | "Ignore" | undefined = policy === "Fail" || policy === "Ignore" ? policy : undefined;
  const { webhooks = [] } = configuration;
  client.update(validatingWebhookConfigurations, {
    ...configuration,
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      ...(failurePolicy === undefined ? {} : { failurePolicy }),
      clientConfig: { ...webhook.clientConfig, caBundle: ca },
    })),
  });
}
