// Conversion of custom resources by a webhook (upstream: webhookConverter): whoever needs an object in another version throws
// `PendingCalls`, and finds it here when it comes again.
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
  /** Throws `PendingCalls` while some are not known, and 500 where one cannot be converted. */
  convert(objects: readonly KubeObject[], how: CustomResourceConversion, apiVersion: string): readonly KubeObject[];
  /** Told of every answer that comes in. */
  answered(call: OutboundCall, answer: OutboundAnswer): void;
}

interface ConversionRequest {
  readonly objects: readonly KubeObject[];
  readonly apiVersion: string;
}

/** Objects in one question. */
const batch = 500;

export function newConversions(): Conversions {
  const asked = new Map<string, ConversionRequest>();
  const known = new Map<string, { readonly result: KubeObject | ApiError; readonly bytes: number }>();
  let bytes = 0;
  const forget = (key: string) => {
    bytes -= known.get(key)?.bytes ?? 0;
    known.delete(key);
  };
  const keep = (key: string, result: KubeObject | ApiError) => {
    forget(key);
    known.set(key, { result, bytes: key.length * 2 });
    bytes += key.length * 2;
  };
  return {
    convert: (objects, how, apiVersion) => {
      const missing = objects.filter((object) => !known.has(keyOf(object, apiVersion)));
      if (missing.length > 0) {
        const calls = batchesOf(missing).map((one) => {
          const call = conversionQuestion(one, how, apiVersion);
          asked.set(keyOfCall(call), { objects: one, apiVersion });
          return call;
        });
        throw new PendingCalls(calls);
      }
      return objects.map((object) => {
        const key = keyOf(object, apiVersion);
        const result = known.get(key)?.result;
        if (result && !(result instanceof ApiError)) return result;
        // ConversionRequest again by who comes next.
        forget(key);
        throw result ?? ApiError.internal("a conversion was lost");
      });
    },
    answered: (call, answer) => {
      const key = keyOfCall(call);
      const one = asked.get(key);
      if (!one) return;
      asked.delete(key);
      // What has just been answered is needed now, whatever its length.
      for (const oldest of known.keys()) {
        if (bytes <= limits.convertedBytes) break;
        forget(oldest);
      }
      const results = convertedIn(call, answer, one.objects, one.apiVersion);
      for (const [index, object] of one.objects.entries()) {
        const result = results instanceof ApiError ? results : results[index];
        if (result) keep(keyOf(object, one.apiVersion), result);
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
