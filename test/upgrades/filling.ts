// Fills a service of any version with sandboxes: by kubectl, and by the control API as far as the version has it.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { FixtureRecord, SandboxRecord } from "./archive.ts";

type Filled = Pick<FixtureRecord, "sandboxes" | "snapshots" | "unsupported">;
interface Made {
  readonly id: string;
  readonly token: string;
  readonly kubeconfig: string;
}

/** Resources whose objects no controller replaces. */
const lasting = [
  "namespaces configmaps secrets services serviceaccounts resourcequotas limitranges",
  "deployments.apps statefulsets.apps daemonsets.apps jobs.batch cronjobs.batch persistentvolumeclaims",
  "ingresses.networking.k8s.io networkpolicies.networking.k8s.io horizontalpodautoscalers.autoscaling",
  "poddisruptionbudgets.policy priorityclasses.scheduling.k8s.io roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io nodes",
  "customresourcedefinitions.apiextensions.k8s.io widgets.example.com certificatesigningrequests.certificates.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io",
].flatMap((line) => line.split(" "));

const readyMs = 60_000;

export class Filling {
  readonly #folder: string;
  readonly #http: string;
  readonly #apiKey: string;
  readonly #unsupported: string[] = [];
  readonly #made = new Map<string, Made>();
  readonly #snapshots: Record<string, string> = {};

  constructor(folder: string, http: string, apiKey: string) {
    this.#folder = folder;
    this.#http = http;
    this.#apiKey = apiKey;
  }

  /** If `isSmall`, the fixture has only what a tenant's object and D1 store, and one sandbox. */
  async fill(isSmall: boolean): Promise<Filled> {
    await this.#withoutPlayground();
    await this.#settings();
    if (!isSmall) {
      await this.#cluster();
      await this.#states();
    }
    await this.#tenant();
    await this.#lessons();
    const sandboxes: Record<string, SandboxRecord> = {};
    for (const [name, createdSandbox] of this.#made) {
      const { id, token } = createdSandbox;
      sandboxes[name] = { id, token, objectId: "", uids: this.#uids(createdSandbox) };
    }
    if (!isSmall) this.#underWay();
    return { sandboxes, snapshots: this.#snapshots, unsupported: this.#unsupported };
  }

  /** Deletes the sandbox with which each service begins. */
  async #withoutPlayground(): Promise<void> {
    const { sandboxes = [] } = (await this.#control("GET", "/v1/sandboxes")) ?? {};
    // The control API has answered with a list of sandboxes since its first version.
    for (const { id } of sandboxes as { id: string }[]) await this.#control("DELETE", `/v1/sandboxes/${id}`);
  }

  /** A sandbox with settings that differ from the defaults, with few nodes, and with manifests. */
  async #settings(): Promise<void> {
    const options = {
      name: "settings",
      nodes: 1,
      admissionPlugins: ["AlwaysPullImages"],
      anonymousAccess: true,
      manifests: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first, namespace: default}\ndata: {a: b}\n",
    };
    const newer = { ...options, kubeletSpeed: "zero", systemPods: false, labels: { team: "blue" } };
    await this.#sandbox("settings", newer, options);
  }

  async #cluster(): Promise<void> {
    const createdSandbox = await this.#sandbox("rich", { name: "rich", nodes: 2 });
    const kubectl = (...args: string[]) => this.#kubectl(createdSandbox, ...args);
    const manifests = readFileSync(join(import.meta.dirname, "manifests.yaml"), "utf8").split("#--- custom resources");
    for (const [at, text] of manifests.entries()) {
      const path = join(this.#folder, `manifests-${at}.yaml`);
      writeFileSync(path, text);
      await this.#eventually(() => kubectl("apply", "-f", path));
    }
    kubectl("-n", "shop", "rollout", "status", "deployment/web", "--timeout=60s");
    kubectl("-n", "shop", "rollout", "status", "statefulset/db", "--timeout=60s");
    kubectl("-n", "shop", "wait", "--for=condition=complete", "job/once", "--timeout=60s");
    kubectl("-n", "shop", "set", "image", "deployment/web", "web=nginx:1.27");
    kubectl("-n", "shop", "annotate", "widget", "blue", "note=changed");
    kubectl(
      "-n",
      "shop",
      "apply",
      "--server-side",
      "--field-manager=other",
      "-f",
      join(this.#folder, "manifests-1.yaml"),
      "--force-conflicts",
    );
    kubectl("-n", "shop", "create", "configmap", "gone", "--from-literal=a=b");
    kubectl("-n", "shop", "delete", "configmap", "gone");
    kubectl("-n", "shop", "delete", "widget", "held", "--wait=false");
    kubectl("-n", "shop", "rollout", "status", "deployment/web", "--timeout=60s");
    const write = ["sh", "-c", "echo kept > /data/kept; echo also > /tmp/also"];
    kubectl("-n", "shop", "exec", "db-0", "--", ...write);
    kubectl("-n", "shop", "create", "token", "robot");
    await this.#control("POST", `/v1/sandboxes/${createdSandbox.id}/tokens`, { user: "ada", groups: ["people"] });
    await this.#control("POST", `/v1/sandboxes/${createdSandbox.id}/tokens`, {});
  }

  /** Snapshots, forks, an undo and a restore. */
  async #states(): Promise<void> {
    const rich = this.#sandboxNamed("rich");
    const path = `/v1/sandboxes/${rich.id}`;
    const snapshot = await this.#control("POST", `${path}/snapshots`, { name: "rich" });
    if (!snapshot) return;
    this.#snapshots.rich = String(snapshot.id);
    const fork = await this.#control("POST", `${path}/fork`, { name: "fork" });
    if (fork) {
      const createdSandbox = await this.#take("fork", fork);
      this.#kubectl(createdSandbox, "-n", "shop", "scale", "deployment/web", "--replicas=2");
      this.#kubectl(createdSandbox, "-n", "shop", "rollout", "status", "deployment/web", "--timeout=60s");
    }
    const restored = await this.#sandbox("restored", { name: "restored", nodes: 1 });
    if (!(await this.#control("POST", `/v1/sandboxes/${restored.id}/restore`, { snapshot: snapshot.id }))) return;
    await wait(300);
    this.#kubectl(restored, "-n", "shop", "create", "configmap", "undone", "--from-literal=a=b");
    this.#kubectl(restored, "-n", "shop", "create", "configmap", "after", "--from-literal=a=b");
    await this.#control("POST", `/v1/sandboxes/${restored.id}/undo`, {});
  }

  async #tenant(): Promise<void> {
    await this.#control("POST", "/v1/webhooks", {
      url: "https://127.0.0.1:1/hook",
      events: ["sandbox.created", "sandbox.ready"],
    });
    const { rich: snapshot } = this.#snapshots;
    const origin = snapshot ? { snapshot } : { manifests: "", nodes: 1 };
    await this.#control("POST", "/v1/templates", { name: "shop", ...origin });
    await this.#control("POST", "/v1/keys", { name: "robot", scopes: ["sandboxes:read"] });
    const origins = ["https://example.com"];
    await this.#control("POST", "/v1/publishable-keys", { name: "page", origins, templates: ["shop"] });
  }

  async #lessons(): Promise<void> {
    const expression = 'found("v1", "ConfigMap", "default", "first")';
    const steps = [{ title: "First", text: "Create it.", checks: [{ name: "It is there", expression }] }];
    const published = await this.#control("POST", "/v1/lessons", { name: "first", title: "First", nodes: 0, steps });
    if (!published) return;
    const run = await this.#control("POST", "/v1/lessons/first/runs", { learner: "ada" });
    if (run) await this.#control("POST", `/v1/lessons/first/runs/${String(run.run ?? run.id)}/check`, {});
    await this.#control("POST", "/v1/lessons/first/classes", { title: "Monday", seats: 3 });
  }

  /** Leaves something for controllers to do when the service ends. */
  #underWay(): void {
    const rich = this.#sandboxNamed("rich");
    this.#kubectl(rich, "-n", "shop", "scale", "deployment/web", "--replicas=5");
    this.#kubectl(rich, "-n", "shop", "create", "deployment", "late", "--image=nginx", "--replicas=2");
  }

  async #sandbox(name: string, options: object, older: object = options): Promise<Made> {
    const ttl = { ttlSeconds: 86_400 };
    const answer =
      (await this.#control("POST", "/v1/sandboxes", { ...options, ...ttl }, { ...older, ...ttl })) ??
      (await this.#control("POST", "/v1/sandboxes", { ...older, ...ttl }));
    if (!answer) throw new Error(`no sandbox ${name} was made`);
    return this.#take(name, answer);
  }

  async #take(name: string, { id, token, server }: Record<string, unknown>): Promise<Made> {
    const kubeconfig = join(this.#folder, `${name}.kubeconfig`);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: { token } }],
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    const createdRecord = { id: String(id), token: String(token), kubeconfig };
    this.#made.set(name, createdRecord);
    await this.#eventually(() => this.#kubectl(createdRecord, "-n", "default", "get", "serviceaccount", "default"));
    return createdRecord;
  }

  #sandboxNamed(name: string): Made {
    const createdSandbox = this.#made.get(name);
    if (!createdSandbox) throw new Error(`there is no sandbox ${name}`);
    return createdSandbox;
  }

  #uids(createdSandbox: Made): Record<string, string> {
    const uids: Record<string, string> = {};
    for (const resource of lasting) {
      const format = "jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {.metadata.uid}{'\\n'}{end}";
      let text = "";
      try {
        text = this.#kubectl(createdSandbox, "get", resource, "-A", "-o", format);
      } catch {
        // The sandbox has no such resource.
        continue;
      }
      for (const line of text.split("\n").filter(Boolean)) {
        const [name = "", uid = ""] = line.split(" ");
        uids[`${resource}/${name}`] = uid;
      }
    }
    return uids;
  }

  #kubectl({ kubeconfig }: Made, ...args: string[]): string {
    return execFileSync("kubectl", ["--kubeconfig", kubeconfig, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Tries the bodies in order. Undefined if the version accepts none, which is recorded. */
  async #control(method: string, path: string, ...bodies: object[]): Promise<Record<string, unknown> | undefined> {
    const answers: string[] = [];
    for (const body of bodies.length > 0 ? bodies : [undefined]) {
      const headers = { authorization: `Bearer ${this.#apiKey}`, "content-type": "application/json" };
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const send = () => fetch(this.#http + path, { method, headers, ...init });
      // kubectl blocks this process, so a kept connection may have ended unnoticed.
      const answer = await send().catch(send);
      const text = await answer.text();
      if (answer.ok) return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
      answers.push(`${answer.status} ${text.slice(0, 300)}`);
    }
    console.error(`${method} ${path}: ${answers.join(" | ")}`);
    this.#unsupported.push(`${method} ${path.replace(/\/(?:sb_|run_)?[\w-]{20,}/, "/{id}")}`);
    return undefined;
  }

  async #eventually<T>(body: () => T): Promise<T> {
    for (const endMs = Date.now() + readyMs; ; await wait(250)) {
      try {
        return body();
      } catch (error) {
        if (Date.now() > endMs) throw error;
      }
    }
  }
}
