// The bootstrap token of a machine that joins a sandbox, and its Secret, as `kubeadm token create` makes them.
import { randomInt } from "node:crypto";

const characters = "0123456789abcdefghijklmnopqrstuvwxyz";
const lifetimeMs = 24 * 3_600_000;

export interface BootstrapToken {
  /** The token as it is sent: the id, a dot and the secret. */
  readonly text: string;
  /** The Secret in `kube-system`. */
  readonly secret: object;
}

export function newBootstrapToken(node: string, nowMs: number): BootstrapToken {
  const [id, secret] = [randomText(6), randomText(16)];
  return {
    text: `${id}.${secret}`,
    secret: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        description: `Joins the node ${node}.`,
        "token-id": id,
        "token-secret": secret,
        expiration: new Date(nowMs + lifetimeMs).toISOString().replace(/\.\d+Z$/, "Z"),
        "usage-bootstrap-authentication": "true",
        "usage-bootstrap-signing": "true",
        "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
      },
    },
  };
}

function randomText(length: number): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}
