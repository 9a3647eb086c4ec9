// The service account controller: creates the account `default` in every active namespace.
import type { Namespace } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { serviceAccounts } from "../../kinds/core/service-account.ts";
import { defineController, watch } from "../../runtime/controller.ts";
import { isActive } from "../common/namespaces.ts";

const accountName = "default";

export const serviceAccountController = defineController({
  name: "serviceaccount-controller",
  user: "system:serviceaccount:kube-system:service-account-controller",
  component: "serviceaccount-controller",
  watches: [
    watch<Namespace>(namespaces, function* (next, previous) {
      if (next && isActive(next) && !(previous && isActive(previous)))
        yield { namespace: "", name: next.metadata.name ?? "" };
    }),
    watch(serviceAccounts, function* (next, previous) {
      if (!next && previous?.metadata.name === accountName)
        yield { namespace: "", name: previous.metadata.namespace ?? "" };
    }),
  ],
  reconcile({ name }, { client }) {
    const namespace = client.get(namespaces, "", name);
    if (!namespace || !isActive(namespace)) return;
    if (client.get(serviceAccounts, name, accountName)) return;
    try {
      client.create(serviceAccounts, { metadata: { namespace: name, name: accountName } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
    }
    return undefined;
  },
});
