// The headers that answers carry whatever is in them.
import { uncached } from "../present/present.ts";
import type { Filter } from "./filter.ts";

export const withCacheControl: Filter = (next) => (context) => {
  Object.assign(context.defaultHeaders, uncached);
  return next(context);
};

const noSniff = { "x-content-type-options": "nosniff" };

/** A refusal to who is not authorized must not be taken for a page; what comes after `withAuthorization` is no stranger's. */
export const withContentTypeOptions: Filter = (next) => (context) => {
  Object.assign(context.headers, noSniff);
  return next(context);
};

export function withoutContentTypeOptions({ headers }: { readonly headers: Record<string, string> }): void {
  for (const name of Object.keys(noSniff)) delete headers[name];
}
