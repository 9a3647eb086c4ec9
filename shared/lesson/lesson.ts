// A lesson as one document: the teacher's upload, by which runs are graded. `read-folder.ts` reads its folder form.
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { images, kubernetesVersion } from "../contract/sandbox.ts";
import { questionLimits } from "../base/lesson-limits.ts";
import { exam } from "./exam.ts";
import { compileCheck, compileMessage, type ExpressionProblem } from "./expressions.ts";
import { question } from "./questions.ts";

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const visible = /^[\x21-\x7e]+$/;
const title = z.string().min(1).max(limits.lessonTitleCharacters);
const manifest = z.string().min(1).max(limits.lessonCharacters);

export const lessonNameCharacters = limits.sandboxNameCharacters;

export const lessonName = z
  .string()
  .max(lessonNameCharacters)
  .regex(dnsLabel, "must consist of lower case letters, digits and '-', and begin and end with a letter or digit");

/** An object of the cluster by its name. */
const objectName = {
  apiVersion: z.string().min(1).max(limits.lessonTitleCharacters),
  kind: z.string().min(1).max(limits.lessonTitleCharacters),
  /** The namespace; "" for cluster-scoped objects. */
  namespace: z.string().max(limits.userNameCharacters).default(""),
  name: z.string().min(1).max(limits.userNameCharacters),
};

/** An action of a solution, performed as an administrator. */
export const action = z.union(
  [
    /** YAML documents that are created, or replace existing objects. */
    z.strictObject({ apply: manifest }),
    /** A JSON merge patch of one object. */
    z.strictObject({ patch: z.strictObject({ ...objectName, patch: z.record(z.string(), z.unknown()) }) }),
    z.strictObject({ delete: z.strictObject(objectName) }),
    /** A script that runs on a node as root. */
    z.strictObject({ node: z.strictObject({ name: z.string().min(1).max(limits.userNameCharacters), run: manifest }) }),
    /** The learner's answer to the step's question. */
    z.strictObject({ answer: z.string().max(limits.lessonAnswerCharacters) }),
  ],
  { error: "must be one of apply, patch, delete, node and answer" },
);

export type Action = z.output<typeof action>;

export const check = z.strictObject({
  name: title,
  points: z.int().min(0).max(limits.lessonPoints).default(1),
  /** The hint of a failed check. */
  hint: z.string().max(limits.lessonHintCharacters).default(""),
  /** The CEL expression with the functions of `expressions.ts`; true if the check passes. */
  expression: z.string().min(1).max(limits.lessonExpressionCharacters),
  /** The CEL expression of a string that says why the check does not pass, with the same functions. */
  messageExpression: z.string().min(1).max(limits.lessonExpressionCharacters).optional(),
});

/** A hint that the learner asks for. */
const stagedHint = z.strictObject({
  text: z.string().min(1).max(limits.lessonPageCharacters),
  /** The points that it costs. */
  price: z.int().min(0).max(limits.lessonPoints).default(0),
});

const plainStep = z.strictObject({
  title,
  /** The name of the cluster of the task, if the exam has several. Absent: the first one. */
  cluster: lessonName.optional(),
  /** The domain of an exam by which the task is reported. */
  domain: title.optional(),
  /** The page as Markdown. */
  text: z.string().min(1).max(limits.lessonPageCharacters),
  /** The question for the learner, whose answer is the variable `answer` of the checks. */
  question: z.string().max(limits.lessonHintCharacters).optional(),
  checks: z
    .array(check)
    .max(limits.lessonChecks)
    .superRefine((checks, context) => {
      const twice = firstRepeated(checks);
      if (twice >= 0)
        context.addIssue({ code: "custom", path: [twice, "name"], message: "another check has that name" });
    })
    .default([]),
  /** The questions that the service grades itself. Their answers are stored with the results. */
  questions: z
    .array(question)
    .max(questionLimits.questions)
    .superRefine((questions, context) => {
      const twice = firstRepeated(questions);
      if (twice >= 0)
        context.addIssue({ code: "custom", path: [twice, "name"], message: "another question has that name" });
    })
    .optional(),
  /** The hints that the learner asks for, one after another. */
  hints: z.array(stagedHint).max(questionLimits.hints).optional(),
  /** The number of tries after which the learner can see the solution. Absent: never. */
  solutionAfter: z.int().min(1).max(limits.lessonPoints).optional(),
  /** The explanation of the solution as Markdown. Absent: the actions of `solution` and the right answers. */
  explanation: z.string().min(1).max(limits.lessonPageCharacters).optional(),
  /** The actions that are performed in this order when the step is skipped. */
  solution: z.array(action).max(limits.lessonActions).default([]),
});

export const step = plainStep.refine(({ checks, questions = [] }) => checks.length + questions.length > 0, {
  path: ["checks"],
  message: "must have at least one check, or the step a question",
});

function firstRepeated(named: readonly { readonly name: string }[]): number {
  const names = named.map(({ name }) => name);
  return names.findIndex((name, at) => names.indexOf(name) !== at);
}

/** The characters of `@` and a version of up to nine digits. */
const versionSuffixCharacters = 10;

/** The content of a cluster. */
const clusterContent = {
  /** The template of the cluster, `name` or `name@version`. Publishing pins the version. */
  template: z
    .string()
    .max(limits.sandboxNameCharacters + versionSuffixCharacters)
    .regex(/^[a-z0-9][-a-z0-9]*(@\d{1,9})?$/, "must be the name of a template, or name@version")
    .optional(),
  /** The number of nodes. Absent for the template's, or the service's default. */
  nodes: z.int().min(0).max(limits.sandboxNodes).optional(),
  /** The YAML documents that are applied to the cluster, in addition to its template. */
  manifests: z.string().max(limits.lessonCharacters).default(""),
  /** The actions that prepare the cluster after its manifests. */
  prepare: z.array(action).max(limits.lessonActions).default([]),
};

/** A cluster of an exam that has several. */
const examCluster = z
  .strictObject({
    /** The name of the kubeconfig's context. */
    name: lessonName,
    /** The version of Kubernetes. Absent for the template's, or the newest. */
    version: kubernetesVersion.optional(),
    ...clusterContent,
  })
  .superRefine(({ template, nodes, version }, context) => {
    if (template === undefined) return;
    for (const [field, value] of Object.entries({ nodes, version }))
      if (value !== undefined)
        context.addIssue({
          code: "custom",
          path: [field],
          message: "must be absent with a template, which defines it",
        });
  });

export const lesson = z
  .strictObject({
    name: lessonName,
    title,
    description: z.string().max(limits.lessonPageCharacters).default(""),
    ...clusterContent,
    /** The clusters of an exam, if there are several. Absent for one, which the lesson's own fields define. */
    clusters: z
      .array(examCluster)
      .min(1)
      .max(limits.lessonClusters)
      .superRefine((clusters, context) => {
        const twice = firstRepeated(clusters);
        if (twice >= 0)
          context.addIssue({ code: "custom", path: [twice, "name"], message: "another cluster has that name" });
      })
      .optional(),
    /** The lifetime of a run. */
    timeLimitMinutes: z.int().min(1).max(limits.lessonMinutesMax).default(limits.lessonMinutes),
    /** The users, who each receive a token in every run; the first is the learner. */
    users: z
      .array(
        z.strictObject({
          name: z.string().max(limits.userNameCharacters).regex(visible, "must consist of visible ASCII characters"),
          groups: z
            .array(z.string().max(limits.userNameCharacters).regex(visible, "must consist of visible ASCII characters"))
            .max(limits.tokenGroups)
            .default([]),
        }),
      )
      .min(1)
      .max(limits.lessonUsers)
      .default([{ name: "learner", groups: ["system:masters"] }]),
    /** The settings of an exam, whose steps are tasks. Absent for lessons. */
    exam: exam.optional(),
    /** True if learners can write statuses of built-in kinds. Otherwise no check passes after such a write. */
    allowsStatusWrites: z.boolean().default(false),
    /** True if learners can skip steps, whose solutions are applied for them. */
    allowsSkipping: z.boolean().default(true),
    /** The images that exist for a run, and those that the lesson brings along. Absent: the template's, or else the built-in images only. */
    images: images.optional(),
    steps: z.array(step).min(1).max(limits.lessonSteps),
  })
  .refine(({ template, images: ownImages }) => template === undefined || ownImages === undefined, {
    path: ["images"],
    message: "must be absent with a template, which defines it",
  })
  .refine(({ template, nodes }) => template === undefined || nodes === undefined, {
    path: ["nodes"],
    message: "must be absent with a template, which defines it",
  })
  .superRefine((document, context) => {
    for (const { path, message } of clusterProblems(document)) context.addIssue({ code: "custom", path, message });
  });

interface ClusterFields {
  readonly exam?: unknown;
  readonly clusters?: readonly { readonly name: string }[] | undefined;
  readonly template?: unknown;
  readonly nodes?: unknown;
  readonly manifests: string;
  readonly prepare: readonly unknown[];
  readonly steps: readonly { readonly cluster?: string | undefined }[];
}

function* clusterProblems({ exam: isExam, clusters, template, nodes, manifests, prepare, steps }: ClusterFields) {
  const names = clusters?.map(({ name }) => name) ?? [];
  for (const [at, { cluster }] of steps.entries()) {
    if (cluster === undefined || names.includes(cluster)) continue;
    const message = clusters ? `must be one of ${names.join(", ")}` : "must be absent without clusters";
    yield { path: ["steps", at, "cluster"], message };
  }
  if (!clusters) return;
  if (isExam === undefined) yield { path: ["clusters"], message: "must be absent without exam" };
  const lessonFields = { template, nodes, manifests: manifests || undefined, prepare: prepare[0] };
  for (const [field, value] of Object.entries(lessonFields))
    if (value !== undefined) yield { path: [field], message: "must be absent with clusters, which define it" };
}

export type LessonCluster = z.output<typeof examCluster>;
export type Lesson = z.output<typeof lesson>;
export type Step = z.output<typeof step>;

/** Returns the clusters of a lesson. One without `clusters` has one, without a name. */
export function clustersOf({ clusters, template, nodes, manifests, prepare }: Lesson): readonly LessonCluster[] {
  return clusters ?? [{ name: "", template, nodes, manifests, prepare }];
}

/** Returns the index of the cluster of a step. */
export function clusterIndexOf({ clusters }: Pick<Lesson, "clusters">, { cluster }: Pick<Step, "cluster">): number {
  return clusters && cluster !== undefined ? clusters.findIndex(({ name }) => name === cluster) : 0;
}

/** Returns the sum of the points of a step or lesson. */
export function pointsOf({ checks, questions = [] }: Pick<Step, "checks" | "questions">): number {
  return [...checks, ...questions].reduce((sum, { points }) => sum + points, 0);
}

export function allPointsOf({ steps }: Pick<Lesson, "steps">): number {
  return steps.reduce((sum, step) => sum + pointsOf(step), 0);
}

/** Yields the first problem of each expression, with its path in the document. */
export function* expressionProblems({
  steps,
}: Lesson): Generator<ExpressionProblem & { readonly path: readonly (string | number)[] }> {
  for (const [at, { checks, questions = [] }] of steps.entries()) {
    for (const [index, { expression, messageExpression }] of checks.entries()) {
      const path = ["steps", at, "checks", index];
      yield* firstProblem([...path, "expression"], compileCheck(expression));
      if (messageExpression !== undefined)
        yield* firstProblem([...path, "messageExpression"], compileMessage(messageExpression));
    }
    for (const [index, definition] of questions.entries()) {
      if (definition.kind !== "text") continue;
      yield* firstProblem(["steps", at, "questions", index, "expression"], compileCheck(definition.expression));
    }
  }
}

function* firstProblem(path: readonly (string | number)[], compiled: ReturnType<typeof compileCheck>) {
  const first = "problems" in compiled ? compiled.problems[0] : undefined;
  if (first) yield { path, ...first };
}
