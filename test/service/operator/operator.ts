// A small operator in the test's own process: it makes a ConfigMap and a Deployment of each Site and reports on them.
import {
  makeInformer,
  V1MicroTime,
  type V1ConfigMap,
  type V1Deployment,
  type V1ObjectMeta,
} from "@kubernetes/client-node";
import { type Clients, type Dialect, clientsFor, codeOf, identity } from "./clients.ts";
import { type Site, finalizer, group, plural } from "./definition.ts";
import { startElector } from "./elector.ts";

const namespace = "default";
const place = { group, version: "v1", namespace, plural };

export interface Operator {
  readonly clients: Clients;
  leads(): boolean;
  /** The operator's actions in order. `conflict` is a write that was refused and then repeated. */
  readonly log: string[];
  stop(): Promise<void>;
}

/** Runs between reading a Site and each write of its status. */
export type Meanwhile = (name: string) => Promise<void>;

export async function startOperator(
  admin: Clients["config"],
  options: { name: string; token: string; dialect: Dialect; meanwhile?: Meanwhile },
): Promise<Operator> {
  const clients = clientsFor(identity(admin, options.token), options.dialect);
  const elector = startElector(clients, options.name);
  const log: string[] = [];
  const due = new Set<string>();
  const sites = makeInformer<Site>(clients.config, `/apis/${group}/v1/namespaces/${namespace}/${plural}`, () =>
    clients.custom.listNamespacedCustomObject(place),
  );
  sites.on("change", ({ metadata }) => void due.add(metadata.name ?? ""));
  const deployments = makeInformer<V1Deployment>(
    clients.config,
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
    () => clients.apps.listNamespacedDeployment({ namespace }),
  );
  deployments.on("change", ({ metadata }) => {
    const owner = metadata?.ownerReferences?.find(({ kind, controller }) => kind === "Site" && controller);
    if (owner) due.add(owner.name);
  });
  await Promise.all([sites.start(), deployments.start()]);
  const state = { stopped: false };
  const run = async () => {
    while (!state.stopped) {
      for (const name of elector.leads() ? [...due] : []) {
        due.delete(name);
        if (!(await reconcile(clients, name, options, log))) due.add(name);
      }
      await new Promise((done) => void setTimeout(done, 50));
    }
  };
  const ended = run();
  return {
    clients,
    leads: elector.leads,
    log,
    stop: async () => {
      state.stopped = true;
      await Promise.all([ended, elector.stop(), sites.stop(), deployments.stop()]);
    },
  };
}

/** Reconciles one Site. Returns false if the Site has to be reconciled again. */
async function reconcile(
  clients: Clients,
  name: string,
  controller: { name: string; meanwhile?: Meanwhile },
  log: string[],
): Promise<boolean> {
  if ((await codeOf(clients.custom.getNamespacedCustomObject({ ...place, name }))) === 404) return true;
  const site: Site = await clients.custom.getNamespacedCustomObject({ ...place, name });
  const held = site.metadata.finalizers?.includes(finalizer) ?? false;
  if (site.metadata.deletionTimestamp) {
    if (!held) return true;
    log.push(`cleaned ${name}`);
    return write(
      clients,
      withFinalizers(site, (all) => all.filter((finalizerName) => finalizerName !== finalizer)),
      log,
    );
  }
  if (!held) {
    log.push(`adopted ${name}`);
    return write(
      clients,
      withFinalizers(site, (all) => [...all, finalizer]),
      log,
    );
  }
  await ensureGreeting(clients, site);
  const deployment = await ensureDeployment(clients, site);
  if (!deployment) return conflicted(log, name);
  if (deployment.made) await report(clients, site, controller.name);
  await controller.meanwhile?.(name);
  return writeStatus(clients, site, deployment.object.status?.readyReplicas ?? 0, log);
}

async function write({ custom }: Clients, body: Site, log: string[]): Promise<boolean> {
  const name = body.metadata.name ?? "";
  const code = await codeOf(custom.replaceNamespacedCustomObject({ ...place, name, body }));
  return code === 409 ? conflicted(log, name) : code === 200;
}

function conflicted(log: string[], name: string): boolean {
  log.push(`conflict ${name}`);
  return false;
}

function withFinalizers(site: Site, change: (all: string[]) => string[]): Site {
  return { ...site, metadata: { ...site.metadata, finalizers: change(site.metadata.finalizers ?? []) } };
}

async function ensureGreeting({ core }: Clients, site: Site): Promise<void> {
  const body: V1ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: owned(site),
    data: { greeting: site.spec.greeting ?? "hello" },
  };
  const createStatus = await codeOf(core.createNamespacedConfigMap({ namespace, body }));
  if (createStatus === 409) await core.replaceNamespacedConfigMap({ namespace, name: site.metadata.name ?? "", body });
}

/** Creates or updates the Deployment, and reports whether it is new. Undefined after a conflict. */
async function ensureDeployment({ apps }: Clients, site: Site) {
  const name = site.metadata.name ?? "";
  const replicas = site.spec.replicas ?? 1;
  const labels = { site: name };
  const container = { name: "web", image: "nginx", env: [{ name: "GREETING", value: site.spec.greeting ?? "hello" }] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const body: V1Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: owned(site),
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
  if ((await codeOf(apps.createNamespacedDeployment({ namespace, body }))) === 200) {
    return { made: true, object: await apps.readNamespacedDeployment({ namespace, name }) };
  }
  const currentDeployment = await apps.readNamespacedDeployment({ namespace, name });
  if (currentDeployment.spec?.replicas === replicas) return { made: false, object: currentDeployment };
  const scaled: V1Deployment = { ...currentDeployment, ...body, metadata: currentDeployment.metadata };
  if ((await codeOf(apps.replaceNamespacedDeployment({ namespace, name, body: scaled }))) === 409) return undefined;
  return { made: false, object: await apps.readNamespacedDeployment({ namespace, name }) };
}

async function report({ events }: Clients, site: Site, controller: string): Promise<void> {
  const { apiVersion, kind, metadata } = site;
  const regarding = { apiVersion, kind, name: metadata.name, namespace, uid: metadata.uid };
  const header = { apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { generateName: `${metadata.name}-` } };
  const eventFields = { type: "Normal", reason: "Created", action: "Create", note: "Its Deployment was made" };
  const reporterFields = { reportingController: "sites", reportingInstance: controller, eventTime: new V1MicroTime() };
  await events.createNamespacedEvent({ namespace, body: { ...header, ...eventFields, ...reporterFields, regarding } });
}

async function writeStatus({ custom }: Clients, site: Site, ready: number, log: string[]): Promise<boolean> {
  const name = site.metadata.name ?? "";
  const status = ready === site.spec.replicas ? ("True" as const) : ("False" as const);
  const reason = status === "True" ? "Complete" : "Waiting";
  const old = site.status?.conditions?.find(({ type }) => type === "Ready");
  const observedGeneration = site.metadata.generation ?? 0;
  const unchanged = old?.status === status && site.status?.readyReplicas === ready;
  if (unchanged && site.status?.observedGeneration === observedGeneration) return true;
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : new Date().toISOString();
  const condition = { type: "Ready", status, reason, message: `${ready} are ready`, lastTransitionTime };
  const body = {
    ...site,
    status: { observedGeneration, readyReplicas: ready, selector: `site=${name}`, conditions: [condition] },
  };
  const code = await codeOf(custom.replaceNamespacedCustomObjectStatus({ ...place, name, body }));
  return code === 409 ? conflicted(log, name) : code === 200;
}

function owned({ apiVersion, kind, metadata }: Site): V1ObjectMeta {
  const { name = "", uid = "" } = metadata;
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { name, namespace, ownerReferences: [owner] };
}
