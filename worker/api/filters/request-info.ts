// Sets the request info from the path and the method.
import { requestInfo } from "../request-info.ts";
import { fieldsOf } from "./authorization.ts";
import type { Filter } from "./filter.ts";

export const withRequestInfo: Filter = (next) => (context) => {
  const { request, url } = context;
  const info = requestInfo(request.method, url.pathname, url.searchParams);
  context.info = info;
  context.fields = fieldsOf(url.searchParams, info.verb);
  return next(context);
};
