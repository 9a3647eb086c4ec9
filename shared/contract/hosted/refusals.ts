// How the service's own pages ask for refusals (400 to 499) that the browser does not note as errors of the page: browsers log every answer
// with such a status, whatever a page makes of it.

/** A request with `refusalsHeader: refusalsAsOk` is refused with the status 200, the true one in `statusHeader`, and the same body. */
export const refusalsHeader = "sandbar-refusals";
export const refusalsAsOk = "as-ok";
export const statusHeader = "sandbar-status";
