// Creates the cluster of an object, opens it, and sets it to a state.
import { systemClock } from "../../../shared/base/clock.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { ImportedObjects, InitializeOptions } from "../../../shared/contract/cluster-object.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { StateCertificates } from "../../../shared/state/format.ts";
import type { Sql } from "../../store/sql.ts";
import { createTables, hasTables, upgradeTables } from "../../store/tables.ts";
import { nodesOfBase } from "../base/fresh-base.ts";
import { keepBase } from "../base/kept-base.ts";
import { baseSeed, certificatesOf, hasSystemPods, isOfBase, newBase, type Signers } from "../base/new-base.ts";
import { nodeUpgrade } from "../../kubelet/node-upgrade.ts";
import { addNodes, bootstrap } from "../bootstrap/bootstrap.ts";
import type { KubernetesVersion } from "../../../shared/k8s/settings/release.ts";
import { upgradeControlPlane } from "./upgrade.ts";
import type { CurrentCluster } from "./current-cluster.ts";
import { importInTurns } from "../manifests/import.ts";
import { applyManifests, someSteps } from "../manifests/manifests.ts";
import type { ReceivedImport } from "../manifests/received-import.ts";
import { type Host, type Open, openParts } from "../open.ts";
import { keepOrigin, keepOriginVersion } from "../settings/origin.ts";
import { writeSettings, writeVersion } from "../settings/settings.ts";
import { putState } from "../state/put.ts";
import { tokenKey } from "../token-key.ts";
import { adminToken, storeToken } from "../tokens.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";

export interface CreationOptions {
  readonly sql: Sql;
  readonly current: CurrentCluster;
  readonly turns: TurnRunner;
  readonly host: Host;
  readonly receivedImport: Pick<ReceivedImport, "begin">;
  /** Returns the issuers of the cluster's certificates. Their keys are read when they are first used. */
  signers(): Signers;
  /** Lets other sandboxes have their turns. */
  pause(): Promise<void>;
}

export class Creation {
  readonly #options: CreationOptions;

  constructor(options: CreationOptions) {
    this.#options = options;
  }

  /** Opens the stored cluster. Returns undefined if nothing is stored. */
  openStored(): Open | undefined {
    const { sql, host } = this.#options;
    if (!hasTables(sql)) return undefined;
    upgradeTables(sql);
    return this.#setCurrent(openParts(host));
  }

  /**
   * Creates the cluster. Returns the error if the manifests are invalid, and after an import the objects that could not be imported. The
   * caller deletes what was created if this fails. If the import was received before, `receivedImport` must be continued until it is done.
   */
  async create(options: InitializeOptions): Promise<ApiError | ImportedObjects | undefined> {
    const { sql, turns } = this.#options;
    const { settings, adminTokenHash } = options;
    createTables(sql);
    writeSettings(sql, settings);
    storeToken(sql, adminToken(adminTokenHash));
    keepOrigin(sql, options);
    const open = this.#begin(options);
    // Controllers create the accounts and root certificates that the manifests' pods need. One drain creates all, so that no request is saved.
    open.runtime.drain(limits.drainPerCreation);
    try {
      // No controller acts before the import is done.
      if (options.isImportReceived) {
        this.#options.receivedImport.begin(open.registry);
        return undefined;
      }
      const importedObjects = await this.#apply(open, options);
      turns.settle(open);
      return importedObjects;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  /**
   * Sets an open cluster to the state in a file, or throws and changes nothing. Watches end, because their revision is gone; other sockets
   * stay. Returns the new revision.
   */
  restore(open: Open, file: Uint8Array): number {
    const { sql, host, turns } = this.#options;
    open.watches.endAll();
    const next = sql.transaction(() => {
      this.#put(file, open.registry.store.revision);
      return openParts(host, { isMadeHere: true });
    });
    open.retire();
    this.#setCurrent(next).news.tellAll();
    const { revision } = next.registry.store;
    turns.run(next, () => undefined);
    return revision;
  }

  /** Upgrades an open cluster to a version and opens it anew, as an API server that is restarted. Watches end and can be resumed. */
  upgrade(open: Open, version: KubernetesVersion): void {
    const { sql, host, turns } = this.#options;
    keepOriginVersion(sql);
    open.watches.endAll();
    const next = sql.transaction(() => {
      writeVersion(sql, version);
      return openParts(host);
    });
    open.retire();
    this.#setCurrent(next).news.tellAll();
    turns.run(next, () => {
      upgradeControlPlane(next.system);
      next.runtime.request(nodeUpgrade, { namespace: "", name: "" });
    });
  }

  /** Returns the certificates by which clients know the cluster. */
  certificates(): StateCertificates {
    return certificatesOf(this.#options.signers());
  }

  /** Imports the objects of another cluster and applies the manifests. */
  async #apply(open: Open, options: InitializeOptions): Promise<ImportedObjects | undefined> {
    const { turns, pause } = this.#options;
    const importedObjects =
      options.import === undefined ? undefined : await importInTurns(open.registry, options.import, pause);
    const steps = applyManifests(open.registry, options.manifests);
    // The manifests' pods need objects that controllers create.
    while (!turns.run(open, () => someSteps(steps), "atOnce")) await pause();
    return importedObjects;
  }

  /** Stores the initial objects: those of a state, of the base of a new cluster, or each one. */
  #begin(options: InitializeOptions): Open {
    const { sql, host, signers } = this.#options;
    const { state, nodes, machines } = options;
    const beginning = { nowMs: systemClock.nowMs(), systemPods: hasSystemPods(options) };
    const hasBase = !state && isOfBase(options);
    if (state) this.#put(state);
    else if (hasBase) keepBase(sql, newBase({ seed: baseSeed(options.settings.seed), ...beginning, ...signers() }));
    const open = this.#setCurrent(openParts(host, { isMadeHere: true }));
    if (hasBase) addNodes(open.system, { from: nodesOfBase + 1, to: nodes, ...beginning });
    else if (!state) {
      const isApiServerAlone = options.settings.controllers === "off";
      bootstrap(open.system, { nodes, machines, isApiServerAlone, ...beginning });
    }
    return open;
  }

  #put(file: Uint8Array, revision?: number): void {
    const { sql } = this.#options;
    const { sign } = tokenKey(sql);
    const certificates = this.certificates();
    putState({ sql, clock: systemClock, file, certificates, sign, ...(revision === undefined ? {} : { revision }) });
  }

  #setCurrent(open: Open): Open {
    this.#options.current.set(open);
    return open;
  }
}
