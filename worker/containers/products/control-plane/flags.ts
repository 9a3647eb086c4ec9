// The flags of the control plane's programs.
import type { ProgramCall } from "../../shell/program.ts";

export type Flags = ReadonlyMap<string, string>;

const generic =
  "allow-metric-labels allow-metric-labels-manifest authentication-kubeconfig authentication-skip-lookup authentication-token-webhook-cache-ttl authentication-tolerate-lookup-failure authorization-always-allow-paths authorization-kubeconfig authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl bind-address cert-dir client-ca-file contention-profiling disabled-metrics disable-http2-serving emulated-version feature-gates help http2-max-streams-per-connection kube-api-burst kube-api-content-type kube-api-qps kubeconfig leader-elect leader-elect-lease-duration leader-elect-renew-deadline leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace leader-elect-retry-period log-flush-frequency log-json-info-buffer-size log-json-split-stream log-text-info-buffer-size log-text-split-stream logging-format master min-compatibility-version permit-address-sharing permit-port-sharing profiling requestheader-allowed-names requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers requestheader-username-headers secure-port show-hidden-metrics-for-version tls-cert-file tls-cipher-suites tls-curve-preferences tls-min-version tls-private-key-file tls-sni-cert-key v version vmodule";

const schedulerOwn = "config pod-max-in-unschedulable-pods-duration write-config-to";

const managerOwn =
  "allocate-node-cidrs allow-untagged-cloud attach-detach-reconcile-sync-period cidr-allocator-type cloud-config cloud-provider cluster-cidr cluster-name cluster-signing-cert-file cluster-signing-duration cluster-signing-key-file cluster-signing-kube-apiserver-client-cert-file cluster-signing-kube-apiserver-client-key-file cluster-signing-kubelet-client-cert-file cluster-signing-kubelet-client-key-file cluster-signing-kubelet-serving-cert-file cluster-signing-kubelet-serving-key-file cluster-signing-legacy-unknown-cert-file cluster-signing-legacy-unknown-key-file concurrent-cron-job-syncs concurrent-daemonset-syncs concurrent-deployment-syncs concurrent-endpoint-syncs concurrent-ephemeralvolume-syncs concurrent-gc-syncs concurrent-horizontal-pod-autoscaler-syncs concurrent-job-syncs concurrent-namespace-syncs concurrent-rc-syncs concurrent-replicaset-syncs concurrent-resource-quota-syncs concurrent-service-endpoint-syncs concurrent-service-syncs concurrent-serviceaccount-token-syncs concurrent-statefulset-syncs concurrent-ttl-after-finished-syncs configure-cloud-routes controller-start-interval controllers disable-attach-detach-reconcile-sync disable-force-detach-on-timeout enable-dynamic-provisioning enable-garbage-collector enable-hostpath-provisioner enable-leader-migration endpoint-updates-batch-period endpointslice-updates-batch-period external-cloud-volume-plugin flex-volume-plugin-dir horizontal-pod-autoscaler-cpu-initialization-period horizontal-pod-autoscaler-downscale-stabilization horizontal-pod-autoscaler-initial-readiness-delay horizontal-pod-autoscaler-sync-period horizontal-pod-autoscaler-tolerance kube-api-burst large-cluster-size-threshold leader-migration-config legacy-service-account-token-clean-up-period max-endpoints-per-slice min-resync-period mirroring-concurrent-service-endpoint-syncs mirroring-endpointslice-updates-batch-period mirroring-max-endpoints-per-subset namespace-sync-period node-cidr-mask-size node-cidr-mask-size-ipv4 node-cidr-mask-size-ipv6 node-eviction-rate node-monitor-grace-period node-monitor-period node-startup-grace-period node-sync-period pv-recycler-increment-timeout-nfs pv-recycler-minimum-timeout-hostpath pv-recycler-minimum-timeout-nfs pv-recycler-pod-template-filepath-hostpath pv-recycler-pod-template-filepath-nfs pvclaimbinder-sync-period resource-quota-sync-period root-ca-file route-reconciliation-period secondary-node-eviction-rate service-account-private-key-file service-cluster-ip-range terminated-pod-gc-threshold unhealthy-zone-threshold use-service-account-credentials";

const serverOwn =
  "admission-control admission-control-config-file advertise-address aggregator-reject-forwarding-redirects allow-privileged anonymous-auth api-audiences apiserver-count audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait audit-log-batch-throttle-burst audit-log-batch-throttle-enable audit-log-batch-throttle-qps audit-log-compress audit-log-format audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-mode audit-log-path audit-log-truncate-enabled audit-log-truncate-max-batch-size audit-log-truncate-max-event-size audit-log-version audit-policy-file audit-webhook-batch-buffer-size audit-webhook-batch-initial-backoff audit-webhook-batch-max-size audit-webhook-batch-max-wait audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-enable audit-webhook-batch-throttle-qps audit-webhook-config-file audit-webhook-initial-backoff audit-webhook-mode audit-webhook-truncate-enabled audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size audit-webhook-version authentication-config authentication-token-webhook-config-file authentication-token-webhook-version authorization-config authorization-mode authorization-policy-file authorization-webhook-config-file authorization-webhook-version cors-allowed-origins coordinated-leadership-lease-duration coordinated-leadership-renew-deadline coordinated-leadership-retry-period debug-socket-path default-not-ready-toleration-seconds default-unreachable-toleration-seconds default-watch-cache-size delete-collection-workers disable-admission-plugins egress-selector-config-file enable-admission-plugins enable-aggregator-routing enable-bootstrap-token-auth enable-garbage-collector enable-priority-and-fairness encryption-provider-config encryption-provider-config-automatic-reload endpoint-reconciler-type etcd-cafile etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout etcd-servers etcd-servers-overrides event-ttl external-hostname goaway-chance identity-lease-duration-seconds identity-lease-renew-interval-seconds kubelet-certificate-authority kubelet-client-certificate kubelet-client-key kubelet-port kubelet-preferred-address-types kubelet-read-only-port kubelet-timeout kubernetes-service-node-port lease-reuse-duration-seconds livez-grace-period max-connection-bytes-per-sec max-mutating-requests-inflight max-requests-inflight min-request-timeout oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix peer-advertise-ip peer-advertise-port peer-ca-file proxy-client-cert-file proxy-client-key-file request-timeout runtime-config runtime-config-emulation-forward-compatible service-account-extend-token-expiration service-account-issuer service-account-jwks-uri service-account-key-file service-account-lookup service-account-max-token-expiration service-account-signing-endpoint service-account-signing-key-file service-cluster-ip-range service-node-port-range shutdown-delay-duration shutdown-send-retry-after shutdown-watch-termination-grace-period storage-backend storage-initialization-timeout storage-media-type strict-transport-security-directives token-auth-file tracing-config-file watch-cache watch-cache-initialization-post-start-hook watch-cache-sizes";

const names = (...texts: readonly string[]) => new Set(texts.flatMap((text) => text.split(" ")));

export const knownFlags: Readonly<Record<string, ReadonlySet<string>>> = {
  "kube-apiserver": names(generic, serverOwn),
  "kube-controller-manager": names(generic, managerOwn),
  "kube-scheduler": names(generic, schedulerOwn),
};

export function flagsOf(args: readonly string[]): Flags {
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(args[at] ?? "") ?? [];
    if (name === undefined) continue;
    const next = args[at + 1];
    if (value === undefined && next !== undefined && !next.startsWith("-")) at++;
    flags.set(name, value ?? (next?.startsWith("-") ? "true" : (next ?? "true")));
  }
  return flags;
}

/** Returns the first of the flags' files that does not exist. */
export function missingFile({ process }: ProgramCall, flags: Flags, fileFlags: readonly string[]) {
  for (const flag of fileFlags) {
    const path = flags.get(flag);
    if (path !== undefined && path !== "" && process.files.get(path)?.text === undefined) return { flag, path };
  }
  return undefined;
}
