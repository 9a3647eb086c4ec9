// The texts of charts.
import { ofReader } from "./language.ts";

const en = {
  cpu: "CPU",
  memory: "Memory",
  replicas: "Replicas",
  utilization: "Utilization",
  requests: "Requests a minute",
  total: "Total",
  others: "Others",
  current: "Current",
  desired: "Desired",
  target: "Target",
  measured: "Measured",
  most: "At most",
  least: "At least",
  capacity: "Allocatable",
  requested: "Requested",
  status: (digit: string) => `${digit}xx`,
  minutes: (count: number) => (count === 1 ? "The last minute" : `The last ${count} minutes`),
  lead: (span: string) => `${span}, every 15 s. The usage is simulated, as kubectl top shows it.`,
  scalingLead: (span: string) => `${span}, every 15 s.`,
  requestsLead: (span: string) => `${span}, from the access logs of its pods.`,
  noMetrics: "The cluster has no metrics. Its metrics server measures running pods of simulated nodes.",
  noRequests: "No access log of its pods has a request yet. Send one from the preview, or from a pod.",
  measuring: "Measuring…",
  readout: (time: string, values: string) => `${time}: ${values}`,
  summary: (title: string, most: string) => `${title}, at most ${most}`,
};

export const texts = ofReader({ en });
