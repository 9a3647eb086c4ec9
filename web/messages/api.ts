// The texts of the reference of the API.
import { ofReader } from "./language.ts";

const en = {
  apiPage: {
    apiReference: "API reference",
    filter: "Filter",
    filterByPath: "Filter by path, name or words",
    thereIsNo: "There is no operation of that name.",
    allOperations: "All operations",
    theDocument: "The document",
    noOperationHas: "No operation matches. Try a word of its path, such as sandboxes.",
  },
  operationPage: {
    allOperations: "All operations",
    for: "For",
    scope: "scope",
    parameters: "Parameters",
    body: "Body",
    fieldsOf: (status: string | number) => `Fields of ${status}`,
    name: "Name",
    type: "Type",
    whatItIs: "What it is",
    required: ", required",
  },
  document: {
    theService: "the service",
    whoeverComes: "whoever comes",
    whoRunsThe: "the operator, with the operator's key",
    aKeyOr: "a key, or a signed-in user",
    aPersonWho: "a person who has signed in",
    oneOf: (text: string | number) => `one of ${text}`,
    listOf: (text: string | number) => `list of ${text}`,
    atMostCharacters: (maxLength: string | number) => `at most ${maxLength} characters`,
    atMost: (maxItems: string | number) => `at most ${maxItems}`,
  },
};

export const texts = ofReader({ en });
