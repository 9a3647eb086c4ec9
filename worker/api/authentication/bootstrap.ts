// Authenticates bootstrap tokens, which allow joining the cluster (upstream: the bootstrap token authenticator).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { Secret } from "../../../shared/k8s/api/core-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { bootstrapGroups, bootstrapTokenOf, secretNameOf, tokenNamespace } from "../../../shared/k8s/token-secrets.ts";
import type { Kind } from "../../kinds/kind.ts";
import { read } from "../../registry/registry.ts";
import type { ApiServer } from "../api-server.ts";

export function authenticateBootstrap(server: ApiServer, text: string): UserInfo | undefined {
  const { registry } = server;
  const token = bootstrapTokenOf(text);
  if (!token) return undefined;
  // The catalogue has the kind under this name.
  const secrets = must(registry.catalogue.byKind("v1", "Secret"), "Secret") as unknown as Kind<Secret>;
  const secret = read(registry, secrets, tokenNamespace, secretNameOf(token));
  const groups = secret && bootstrapGroups(secret, token, registry.clock.nowMs());
  return groups && { name: `system:bootstrap:${token.id}`, groups };
}
