// The token cleaner: deletes expired bootstrap tokens.
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { defineController, requestOf, watch } from "../../runtime/controller.ts";
import { expiryMs, isBootstrapToken } from "../../../shared/k8s/token-secrets.ts";

export const tokenCleaner = defineController({
  name: "token-cleaner",
  component: "token-cleaner",
  watches: [
    watch<Secret>(secrets, function* (next) {
      if (next && isBootstrapToken(next)) yield requestOf(next);
    }),
  ],
  reconcile({ namespace, name }, { client, nowMs }) {
    const secret = client.get(secrets, namespace, name);
    if (!secret || !isBootstrapToken(secret)) return undefined;
    const leftMs = expiryMs(secret) - nowMs;
    if (leftMs === Number.POSITIVE_INFINITY) return undefined;
    if (leftMs > 0) return { afterMs: leftMs };
    client.tryDelete(secrets, namespace, name, { uid: secret.metadata.uid ?? "" });
    return undefined;
  },
});
