// Converts custom resources with a webhook (upstream: webhookConverter). A caller that needs another version throws `PendingCalls`, and
// finds the result here when it runs again.
import type { CustomResourceConversion } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import {
  type OutboundAnswer,
  keyOfCall,
  type OutboundCall,
  PendingCalls,
} from "../../../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { conversionQuestion, convertedIn } from "./conversion-review.ts";

export interface Conversions {
  /** Converts objects. Throws `PendingCalls` while results are missing, and 500 if a conversion fails. */
  convert(objects: readonly KubeObject[], how: CustomResourceConversion, apiVersion: string): readonly KubeObject[];
  /** Receives every answer of an outbound call. */
  recordAnswer(call: OutboundCall, answer: OutboundAnswer): void;
}

interface ConversionRequest {
  readonly objects: readonly KubeObject[];
  readonly apiVersion: string;
}

/** The maximum number of objects in one call. */
const batch = 500;

export function newConversions(): Conversions {
  const requests = new Map<string, ConversionRequest>();
  const cachedResults = new Map<string, { readonly result: KubeObject | ApiError; readonly bytes: number }>();
  let bytes = 0;
  const forget = (key: string) => {
    bytes -= cachedResults.get(key)?.bytes ?? 0;
    cachedResults.delete(key);
  };
  const keep = (key: string, result: KubeObject | ApiError) => {
    forget(key);
    cachedResults.set(key, { result, bytes: key.length * 2 });
    bytes += key.length * 2;
  };
  return {
    convert: (objects, how, apiVersion) => {
      const missing = objects.filter((object) => !cachedResults.has(keyOf(object, apiVersion)));
      if (missing.length > 0) {
        const calls = batchesOf(missing).map((requestBatch) => {
          const call = conversionQuestion(requestBatch, how, apiVersion);
          requests.set(keyOfCall(call), { objects: requestBatch, apiVersion });
          return call;
        });
        throw new PendingCalls(calls);
      }
      return objects.map((object) => {
        const key = keyOf(object, apiVersion);
        const result = cachedResults.get(key)?.result;
        if (result && !(result instanceof ApiError)) return result;
        // The next caller requests the conversion again.
        forget(key);
        throw result ?? ApiError.internal("a conversion was lost");
      });
    },
    recordAnswer: (call, answer) => {
      const key = keyOfCall(call);
      const conversionRequest = requests.get(key);
      if (!conversionRequest) return;
      requests.delete(key);
      // The newest result is needed now, so it stays whatever its size.
      for (const oldest of cachedResults.keys()) {
        if (bytes <= limits.convertedBytes) break;
        forget(oldest);
      }
      const results = convertedIn(call, answer, conversionRequest.objects, conversionRequest.apiVersion);
      for (const [index, object] of conversionRequest.objects.entries()) {
        const result = results instanceof ApiError ? results : results[index];
        if (result) keep(keyOf(object, conversionRequest.apiVersion), result);
      }
    },
  };
}

function keyOf(object: KubeObject, apiVersion: string): string {
  return `${apiVersion}\n${JSON.stringify(object)}`;
}

function batchesOf(objects: readonly KubeObject[]): KubeObject[][] {
  const count = Math.ceil(objects.length / batch);
  return Array.from({ length: count }, (_, index) => objects.slice(index * batch, (index + 1) * batch));
}
