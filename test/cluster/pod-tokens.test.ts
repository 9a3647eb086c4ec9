// Service account tokens in containers' files: subject, binding and renewal.
import { expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { accountClaims } from "../../worker/api/authentication/claims.ts";
import { podTokens } from "../../worker/cluster/pod-tokens.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { newCluster } from "../cluster.ts";

test("a pod's token is bound to its service account, pod and node, and renewed after four fifths of its lifetime", () => {
  const cluster = newCluster({ nodes: 1 });
  cluster.runUntilQuiet();
  const spec = { containers: [{ name: "main", image: "nginx", resources: {} }] };
  cluster.apply(pods, { metadata: { name: "web", namespace: "default" }, spec });
  cluster.step(5000);
  const pod = cluster.get(pods, "default", "web");
  const token = podTokens(cluster.client, cluster.key, cluster.clock);
  const claims = (audience: string | undefined, expirationSeconds: number) => {
    const text = token(pod, { ...(audience ? { audience } : {}), expirationSeconds });
    return must(accountClaims(must(cluster.key.verify(text), "a token of the cluster")), "claims");
  };
  const account = claims(undefined, 3607);
  expect(account).toMatchObject({
    aud: ["https://kubernetes.default.svc.cluster.local"],
    sub: "system:serviceaccount:default:default",
    "kubernetes.io": { namespace: "default", node: { name: "node-1" }, pod: { name: "web", uid: pod.metadata.uid } },
  });
  // Those that never read it again go on for a year.
  expect(account.exp - account.iat).toBe(365 * 24 * 3600);
  const short = claims("vault", 600);
  expect([short.aud, short.exp - short.iat]).toEqual([["vault"], 600]);
  cluster.step(400_000);
  expect(claims("vault", 600).jti).toBe(short.jti);
  cluster.step(100_000);
  expect(claims("vault", 600).iat).toBe(short.iat + 480);
});
