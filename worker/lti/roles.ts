// Who a launch is by, from its roles: a teacher of the course, or a learner.

const membership = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const teaching = ["Instructor", "ContentDeveloper", "Administrator", "Manager"];
/** `Instructor` alone is of the course, too; the others stand with where they hold. */
const teachers = new Set([
  ...teaching.flatMap((one) => [one, `${membership}#${one}`]),
  `${membership}/Instructor#TeachingAssistant`,
  `${membership}/Instructor#TeachingAssistantSection`,
  `${membership}/Instructor#TeachingAssistantSectionAssociation`,
  `${membership}/Instructor#Grader`,
]);

/**
 * Whether somebody teaches the course. What one is in the institution makes nobody a teacher of a course: who teaches elsewhere may learn
 * here.
 */
export function isTeacher(roles: readonly string[]): boolean {
  return roles.some((one) => teachers.has(one));
}

/** Whether somebody learns in the course, and so has a grade. */
export function isLearner(roles: readonly string[]): boolean {
  return roles.some((one) => one === "Learner" || one === `${membership}#Learner`);
}
