// A client that delegates every call to another client. Subclasses override reads.
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { Release } from "../../shared/k8s/settings/release.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import type { Attributes, Decision, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { Draft, KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind } from "../kinds/kind.ts";
import type { ApiServerState } from "./registry.ts";
import type { Client, ListQuery, Moment } from "./client.ts";

export class DelegatingClient implements Client {
  protected readonly inner: Client;

  constructor(inner: Client) {
    this.inner = inner;
  }

  get network(): ClusterNetwork {
    return this.inner.network;
  }

  get features(): Features {
    return this.inner.features;
  }

  get release(): Release {
    return this.inner.release;
  }

  get apiServer(): ApiServerState | undefined {
    return this.inner.apiServer;
  }

  get meter(): WorkMeter {
    return this.inner.meter;
  }

  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined {
    return this.inner.get(kind, namespace, name);
  }

  list<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): readonly T[] {
    return this.inner.list(kind, query);
  }

  each<T extends KubeObject>(kind: Kind<T>, query?: ListQuery): Iterable<T> {
    return this.inner.each(kind, query);
  }

  count<T extends KubeObject>(kind: Kind<T>): number {
    return this.inner.count(kind);
  }

  controlledBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[] {
    return this.inner.controlledBy(kind, ownerUid);
  }
  controlledNames<T extends KubeObject>(kind: Kind<T>, ownerUid: string) {
    return this.inner.controlledNames(kind, ownerUid);
  }

  orphans<T extends KubeObject>(kind: Kind<T>, namespace: string): Iterable<T> {
    return this.inner.orphans(kind, namespace);
  }

  dependents(ownerUid: string): Iterable<{ kind: Kind; object: KubeObject }> {
    return this.inner.dependents(ownerUid);
  }

  named<T extends KubeObject>(kind: Kind<T>, name: string): readonly T[] {
    return this.inner.named(kind, name);
  }

  byIndexValue<T extends KubeObject>(kind: Kind<T>, indexValue: string): readonly T[] {
    return this.inner.byIndexValue(kind, indexValue);
  }

  indexValues<T extends KubeObject>(kind: Kind<T>): readonly { readonly name: string; readonly indexValue: string }[] {
    return this.inner.indexValues(kind);
  }

  beginningWith<T extends KubeObject>(kind: Kind<T>, namespace: string, prefix: string): readonly T[] {
    return this.inner.beginningWith(kind, namespace, prefix);
  }

  kindOf(apiVersion: string, kind: string): Kind | undefined {
    return this.inner.kindOf(apiVersion, kind);
  }

  kindAt(apiVersion: string, plural: string): Kind | undefined {
    return this.inner.kindAt(apiVersion, plural);
  }

  decide(user: UserInfo, attributes: Attributes): Decision {
    return this.inner.decide(user, attributes);
  }

  at(atMs: number, through?: Client): Moment {
    return this.inner.at(atMs, through);
  }

  writesOf(kind: Kind, namespace: string, name: string, afterMs: number): readonly number[] {
    return this.inner.writesOf(kind, namespace, name, afterMs);
  }

  kinds(): readonly Kind[] {
    return this.inner.kinds();
  }

  create<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
    return this.inner.create(kind, draft);
  }

  update<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
    return this.inner.update(kind, draft);
  }

  updateSubresource<T extends KubeObject>(kind: Kind<T>, subresource: string, draft: Draft<T>): T {
    return this.inner.updateSubresource(kind, subresource, draft);
  }

  updateStatus<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): T {
    return this.inner.updateStatus(kind, draft);
  }

  delete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): void {
    this.inner.delete(kind, namespace, name, query);
  }

  tryDelete<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string, query?: DeleteQuery): boolean {
    return this.inner.tryDelete(kind, namespace, name, query);
  }

  act<T extends KubeObject>(kind: Kind<T>, subresource: string, namespace: string, name: string, body: unknown): void {
    this.inner.act(kind, subresource, namespace, name, body);
  }

  bind(namespace: string, podName: string, podUid: string, nodeName: string): void {
    this.inner.bind(namespace, podName, podUid, nodeName);
  }
}
