// Sets the headers that all responses have.
import { uncached } from "../negotiation/answer-headers.ts";
import type { Filter } from "./filter.ts";

export const withCacheControl: Filter = (next) => (context) => {
  Object.assign(context.defaultHeaders, uncached);
  return next(context);
};

const noSniff = { "x-content-type-options": "nosniff" };

/** Prevents browsers from interpreting an authorization error as a page. Later responses are not for unauthorized users. */
export const withContentTypeOptions: Filter = (next) => (context) => {
  Object.assign(context.headers, noSniff);
  return next(context);
};

export function withoutContentTypeOptions({ headers }: { readonly headers: Record<string, string> }): void {
  for (const name of Object.keys(noSniff)) delete headers[name];
}
