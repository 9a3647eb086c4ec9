// The end of a reconcile that has done as much as one turn may: it is stopped before a write, and run again at once. What it has
// written stays: every controller bears to be stopped between two writes, as it bears that its process dies there. One that reads on
// and on is stopped with an error, as it would read the same again.
import type { Client } from "../registry/client.ts";

export class TurnOver extends Error {}

/** A client whose reads begin with `check`, which throws when they have been too many. */
export function untilTooMuchIsRead(client: Client, check: () => void): Client {
  return {
    ...client,
    get: (kind, namespace, name) => {
      check();
      return client.get(kind, namespace, name);
    },
    list: (kind, query) => {
      check();
      return client.list(kind, query);
    },
    each: (kind, query) => {
      check();
      return client.each(kind, query);
    },
    controlledBy: (kind, uid) => {
      check();
      return client.controlledBy(kind, uid);
    },
    byIndexValue: (kind, value) => {
      check();
      return client.byIndexValue(kind, value);
    },
    named: (kind, name) => {
      check();
      return client.named(kind, name);
    },
  };
}

/** A client whose writes begin with `check`, which throws `TurnOver` when it is time. */
export function untilTurnIsOver(client: Client, check: () => void): Client {
  return {
    ...client,
    create: (kind, draft) => {
      check();
      return client.create(kind, draft);
    },
    update: (kind, draft) => {
      check();
      return client.update(kind, draft);
    },
    updateStatus: (kind, draft) => {
      check();
      return client.updateStatus(kind, draft);
    },
    updateSubresource: (kind, subresource, draft) => {
      check();
      return client.updateSubresource(kind, subresource, draft);
    },
    delete: (kind, namespace, name, query) => {
      check();
      client.delete(kind, namespace, name, query);
    },
    tryDelete: (kind, namespace, name, query) => {
      check();
      return client.tryDelete(kind, namespace, name, query);
    },
    act: (kind, subresource, namespace, name, body) => {
      check();
      client.act(kind, subresource, namespace, name, body);
    },
    bind: (namespace, podName, podUid, nodeName) => {
      check();
      client.bind(namespace, podName, podUid, nodeName);
    },
  };
}
