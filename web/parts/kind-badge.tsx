// A kind in a letter or two; its name is there for those who do not see it.
const letters: Readonly<Record<string, string>> = {
  Deployment: "D",
  ReplicaSet: "RS",
  StatefulSet: "SS",
  DaemonSet: "DS",
  CronJob: "CJ",
  Job: "J",
  ConfigMap: "CM",
  Namespace: "NS",
  EndpointSlice: "ES",
  ServiceAccount: "SA",
  PersistentVolume: "PV",
  PersistentVolumeClaim: "PVC",
  Pod: "P",
  Service: "S",
  Node: "N",
};

export function KindBadge({ kind }: { readonly kind: string }) {
  return (
    <abbr class={`badge ${kind.toLowerCase()}`} title={kind}>
      {letters[kind] ?? kind.slice(0, 1)}
    </abbr>
  );
}
