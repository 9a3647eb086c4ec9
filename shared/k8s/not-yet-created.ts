// The refusal of a request that needs an object which a controller is about to create. The API waits for it and tries again.
import { ApiError } from "./status.ts";

export class NotYetCreated extends ApiError {
  constructor({ code, reason, message, details }: ApiError) {
    super(code, reason, message, details);
  }
}
