// The texts of errors between a page and the service.
import { ofReader } from "./language.ts";

const en = {
  control: {
    unexpectedStatus: (status: string | number) => `The service answered ${status}.`,
  },
  fetching: {
    noAnswer: (address: string) =>
      `${address} does not answer: the service is stopped or restarting, or the network between is down. Try again in a moment.`,
    offline: "This browser is offline. Connect it to the network and try again.",
  },
  operator: {
    wrongKey: "That is not the operator's key of this service.",
  },
  passkeys: {
    noPasskey: "The browser returned no passkey. Try again.",
  },
  session: {
    signedOut: "You are no longer signed in. Sign in again.",
    wrongKey: "That is not a key of this service.",
  },
};

export const texts = ofReader({ en });
