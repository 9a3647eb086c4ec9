// The texts of what goes wrong between a page and the service.
import { ofReader } from "./language.ts";

const en = {
  control: {
    theServiceCould: "The service could not be reached.",
    theServiceAnswered: (status: string | number) => `The service answered ${status}.`,
  },
  operator: {
    thatIsNot: "That is not the operator's key of this service.",
  },
  passkeys: {
    theBrowserGave: "The browser gave no passkey. Try again.",
  },
  session: {
    youAreNo: "You are no longer signed in. Sign in again.",
    thatIsNot: "That is not a key of this service.",
  },
};

export const texts = ofReader({ en });
