// Errors (400 to 499) with status 200 for the service's own pages, because browsers log every response with an error status.

/** The request header. With the value `refusalsAsOk`, an error has the status 200, the same body, and the true status in `statusHeader`. */
export const refusalsHeader = "sandbar-refusals";
export const refusalsAsOk = "as-ok";
export const statusHeader = "sandbar-status";
