// The resources that have charts. This module is small because the charts load on demand.

const resources =
  /^(pods|nodes|services|replicationcontrollers|(deployments|replicasets|statefulsets|daemonsets)\.apps|jobs\.batch|horizontalpodautoscalers\.autoscaling)$/;

export function hasCharts(resource: string): boolean {
  return resources.test(resource);
}
