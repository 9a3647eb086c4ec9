// Counts requests in flight and their responses.
import { metricsOf } from "../non-resource/metrics.ts";
import type { Filter } from "./filter.ts";

export const withMetrics: Filter = (next) => (context) => {
  const { server, request, url } = context;
  const startedMs = server.nowMs();
  const done = metricsOf(server).begin(request, url);
  context.onAnswer.push((code) => done(context.info, code, server.nowMs() - startedMs));
  return next(context);
};
