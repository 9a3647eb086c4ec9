// Issues certificates in place of cert-manager while its Deployment is available. Issuers are self-signed or use a Secret's key. Certificates
// get Secrets, and annotated Ingresses get Certificates. Issuers that depend on other services are ignored.
import type { Deployment } from "../../../../shared/k8s/api/apps-v1.ts";
import type { Secret } from "../../../../shared/k8s/api/core-v1.ts";
import type { Ingress } from "../../../../shared/k8s/api/networking-v1.ts";
import type { Draft, KubeObject } from "../../../../shared/k8s/meta.ts";
import { rfc3339 } from "../../../../shared/k8s/time.ts";
import { deployments } from "../../../kinds/apps/deployment.ts";
import { secrets } from "../../../kinds/core/secret.ts";
import type { Kind } from "../../../kinds/kind.ts";
import { ingresses } from "../../../kinds/networking/ingress.ts";
import type { Client } from "../../../registry/client.ts";
import {
  type Controller,
  defineController,
  type ReconcileContext,
  type Request,
  type Result,
  watch,
} from "../../../runtime/controller.ts";
import type { Keys } from "../../../controllers/common/keys.ts";
import { isAvailable, isRun, runsImage } from "../common/running-image.ts";
import { durationMs, issueCertificate, signerOf } from "../../../controllers/common/issue.ts";
import {
  type CertificateSpec,
  certificateSpecOf,
  type Condition,
  isReady,
  issuerSpecOf,
  type Managed,
  version,
} from "./objects.ts";

const image = /\/cert-manager-controller(:|@|$)/;
const plurals = ["clusterissuers", "issuers", "certificates"] as const;
type Plural = (typeof plurals)[number];
/** The namespace of the Secrets of ClusterIssuers. */
const clusterNamespace = "cert-manager";

export function certManager(keys: Keys): Controller {
  return defineController({
    name: "simulated-cert-manager",
    user: "system:serviceaccount:cert-manager:cert-manager",
    component: "cert-manager-certificates-issuing",
    watches: [
      watch<Deployment>(deployments, function* (next, previous, client): Generator<Request> {
        if (!runsImage(next, image) || isAvailable(next) === isAvailable(previous)) return;
        for (const plural of plurals) for (const object of all(client, plural)) yield requestFor(plural, object);
        for (const ingress of client.each(ingresses)) if (issuerOf(ingress)) yield requestFor("ingresses", ingress);
      }),
      watch<Secret>(secrets, function* (next, previous, client): Generator<Request> {
        const { namespace = "", name = "" } = (next ?? previous)?.metadata ?? {};
        for (const plural of ["issuers", "clusterissuers"] as const)
          for (const issuer of all(client, plural))
            if (
              issuerSpecOf(issuer)?.ca?.secretName === name &&
              (issuer.metadata.namespace ?? clusterNamespace) === namespace
            )
              yield requestFor(plural, issuer);
        if (next) return;
        for (const certificate of all(client, "certificates"))
          if (certificate.metadata.namespace === namespace && certificateSpecOf(certificate)?.secretName === name)
            yield requestFor("certificates", certificate);
      }),
      watch<Ingress>(ingresses, function* (next): Generator<Request> {
        if (next && issuerOf(next)) yield requestFor("ingresses", next);
      }),
    ],
    watchesOf(kind) {
      const plural = plurals.find((candidate) => candidate === kind.plural);
      if (!plural || `${kind.group}/${kind.version}` !== version) return [];
      return [
        watch<KubeObject>(kind, function* (next, _, client): Generator<Request> {
          if (!next) return;
          yield requestFor(plural, next);
          if (plural === "certificates") return;
          for (const certificate of all(client, "certificates"))
            if (certificateSpecOf(certificate)?.issuerRef.name === next.metadata.name)
              yield requestFor("certificates", certificate);
        }),
      ];
    },
    reconcile({ namespace, name }, context) {
      const { client } = context;
      const slash = name.indexOf("/");
      const [plural, objectName] = [name.slice(0, slash), name.slice(slash + 1)];
      if (!isRun(client, image)) return undefined;
      if (plural === "ingresses") return ask(context, namespace, objectName);
      const knownPlural = plurals.find((candidate) => candidate === plural);
      const kind = knownPlural && client.kindAt(version, knownPlural);
      const object = kind && client.get(kind, namespace, objectName);
      if (!object || object.metadata.deletionTimestamp) return undefined;
      if (knownPlural === "certificates") return certify(context, kind, object, keys);
      tellIssuer(context, kind, object, keys);
      return undefined;
    },
  });
}

function requestFor(plural: string, { metadata: { namespace = "", name = "" } }: KubeObject): Request {
  return { namespace, name: `${plural}/${name}` };
}

function all(client: Client, plural: Plural): Iterable<KubeObject> {
  const kind = client.kindAt(version, plural);
  return kind ? client.each(kind) : [];
}

function tellIssuer(context: ReconcileContext, kind: Kind, object: KubeObject, keys: Keys): void {
  const spec = issuerSpecOf(object);
  if (!spec || (!spec.selfSigned && !spec.ca)) return;
  const namespace = object.metadata.namespace ?? clusterNamespace;
  if (spec.selfSigned) return tell(context, kind, object, { status: "True", reason: "IsReady", message: "" });
  const secretName = spec.ca?.secretName ?? "";
  const secret = context.client.get(secrets, namespace, secretName);
  const problem = !secret
    ? `Error getting keypair for CA issuer: secrets "${secretName}" not found`
    : signerOf(secret, keys)
      ? undefined
      : `Error getting keypair for CA issuer: error decoding private key or certificate of Secret "${secretName}"`;
  tell(
    context,
    kind,
    object,
    problem === undefined
      ? { status: "True", reason: "KeyPairVerified", message: "Signing CA verified" }
      : { status: "False", reason: "ErrGetKeyPair", message: problem },
  );
}

/** Sets the condition `Ready` and other fields of the status. Writes nothing if the status is already the same. */
function tell(
  { client, nowMs }: ReconcileContext,
  kind: Kind,
  object: KubeObject,
  verdict: Omit<Condition, "type">,
  more: object = {},
): void {
  const { status = {} } = object as Managed;
  const before = status.conditions?.find(({ type }) => type === "Ready");
  const isSame =
    before?.status === verdict.status && before.reason === verdict.reason && before.message === verdict.message;
  if (isSame && Object.keys(more).length === 0) return;
  const lastTransitionTime =
    before?.status === verdict.status ? (before.lastTransitionTime ?? rfc3339(nowMs)) : rfc3339(nowMs);
  const ready = { type: "Ready", ...verdict, lastTransitionTime, observedGeneration: object.metadata.generation ?? 1 };
  const draft: Draft<KubeObject> & { status: object } = {
    ...object,
    status: { ...status, ...more, conditions: [ready] },
  };
  client.updateStatus(kind, draft);
}

/** Issues a certificate. While its issuer does not exist, the Certificate waits for a change of an issuer. */
function certify(context: ReconcileContext, kind: Kind, object: KubeObject, keys: Keys): Result | undefined {
  const { client, nowMs, event } = context;
  const spec = certificateSpecOf(object);
  const { namespace = "" } = object.metadata;
  if (!spec) return undefined;
  const secret = client.get(secrets, namespace, spec.secretName);
  const end = notAfterMs(object);
  const renewalMs = end === undefined ? undefined : end - durationMs(spec) / 3;
  if (
    secret &&
    isReady(object) &&
    secret.data?.["tls.crt"] &&
    renewalMs !== undefined &&
    renewalMs > nowMs &&
    isOf(object)
  )
    return { afterMs: renewalMs - nowMs };
  const issuer = issuerFor(client, namespace, spec);
  if (!issuer || !isReady(issuer)) {
    const message = "Issuing certificate as Secret does not exist";
    tell(context, kind, object, { status: "False", reason: "DoesNotExist", message });
    return undefined;
  }
  const issuerSpec = issuerSpecOf(issuer);
  const signing =
    issuerSpec?.ca && client.get(secrets, issuer.metadata.namespace ?? clusterNamespace, issuerSpec.ca.secretName);
  const certificate = issueCertificate(
    spec,
    issuerSpec?.selfSigned ? undefined : signing && signerOf(signing, keys),
    keys,
    context,
  );
  write(context, namespace, spec, object, certificate.data);
  event(object, "Normal", "Issuing", "The certificate has been successfully issued");
  const from = { notBefore: rfc3339(certificate.notBeforeMs), notAfter: rfc3339(certificate.notAfterMs) };
  const renewal = certificate.notAfterMs - durationMs(spec) / 3;
  const revision = ((object as Managed).status?.revision ?? 0) + 1;
  const message = "Certificate is up to date and has not expired";
  tell(
    context,
    kind,
    object,
    { status: "True", reason: "Ready", message },
    { ...from, renewalTime: rfc3339(renewal), revision },
  );
  return { afterMs: renewal - nowMs };
}

/** Reports whether the certificate is that of the present spec. */
function isOf(object: KubeObject): boolean {
  const ready = (object as Managed).status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.observedGeneration === object.metadata.generation;
}

function notAfterMs(object: KubeObject): number | undefined {
  const { notAfter } = ((object as Managed).status ?? {}) as { readonly notAfter?: string };
  const ms = notAfter === undefined ? Number.NaN : Date.parse(notAfter);
  return Number.isNaN(ms) ? undefined : ms;
}

function issuerFor(client: Client, namespace: string, { issuerRef }: CertificateSpec): KubeObject | undefined {
  const isCluster = issuerRef.kind === "ClusterIssuer";
  const kind = client.kindAt(version, isCluster ? "clusterissuers" : "issuers");
  return kind && client.get(kind, isCluster ? "" : namespace, issuerRef.name);
}

function write(
  { client }: ReconcileContext,
  namespace: string,
  spec: CertificateSpec,
  { metadata }: KubeObject,
  data: Readonly<Record<string, string>>,
): void {
  const annotations = {
    "cert-manager.io/certificate-name": metadata.name ?? "",
    "cert-manager.io/common-name": spec.commonName ?? "",
    "cert-manager.io/alt-names": spec.dnsNames.join(","),
    "cert-manager.io/ip-sans": "",
    "cert-manager.io/uri-sans": "",
    "cert-manager.io/issuer-name": spec.issuerRef.name,
    "cert-manager.io/issuer-kind": spec.issuerRef.kind,
    "cert-manager.io/issuer-group": spec.issuerRef.group ?? "cert-manager.io",
  };
  const labels = { "controller.cert-manager.io/fao": "true" };
  const secret = client.get(secrets, namespace, spec.secretName);
  if (secret) client.update(secrets, { ...secret, data: { ...secret.data, ...data } });
  else
    client.create(secrets, {
      metadata: { namespace, name: spec.secretName, annotations, labels },
      type: "kubernetes.io/tls",
      data,
    });
}

const annotation = "cert-manager.io/";

function issuerOf({
  metadata: { annotations = {} },
}: Ingress): { readonly name: string; readonly kind: string } | undefined {
  const cluster = annotations?.[`${annotation}cluster-issuer`];
  if (cluster !== undefined) return { name: cluster, kind: "ClusterIssuer" };
  const issuerName = annotations?.[`${annotation}issuer`];
  return issuerName === undefined
    ? undefined
    : { name: issuerName, kind: annotations?.[`${annotation}issuer-kind`] ?? "Issuer" };
}

/** Creates a Certificate for each Secret of an Ingress that names an issuer. */
function ask({ client, event }: ReconcileContext, namespace: string, name: string): undefined {
  const ingress = client.get(ingresses, namespace, name);
  const issuerRef = ingress && issuerOf(ingress);
  const kind = client.kindAt(version, "certificates");
  if (!ingress || !issuerRef || !kind || ingress.metadata.deletionTimestamp) return undefined;
  const owner = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name, uid: ingress.metadata.uid ?? "" };
  for (const { hosts = [], secretName = "" } of ingress.spec.tls ?? []) {
    if (secretName === "" || (hosts ?? []).length === 0 || client.get(kind, namespace, secretName)) continue;
    const draft: Draft<KubeObject> & { spec: object } = {
      metadata: {
        namespace,
        name: secretName,
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
      },
      spec: {
        secretName,
        dnsNames: hosts,
        issuerRef: { ...issuerRef, group: "cert-manager.io" },
        usages: ["digital signature", "key encipherment"],
      },
    };
    client.create(kind, draft);
    event(ingress, "Normal", "CreateCertificate", `Successfully created Certificate "${secretName}"`);
  }
  return undefined;
}
