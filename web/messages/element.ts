// The texts of elements in pages of others.
import { ofReader } from "./language.ts";

const en = {
  element: {
    notInPage: "the element is in no page",
    needsKey: 'This element needs a publishable key: key="pk_…".',
    kubernetesLesson: "Kubernetes lesson",
    kubernetesCluster: "Kubernetes cluster",
  },
};

export const texts = ofReader({ en });
