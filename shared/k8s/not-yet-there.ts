// A refusal for want of something that a controller is about to make. Whoever can wait tries again before it refuses.
import { ApiError } from "./status.ts";

export class NotYetThere extends ApiError {
  constructor({ code, reason, message, details }: ApiError) {
    super(code, reason, message, details);
  }
}
