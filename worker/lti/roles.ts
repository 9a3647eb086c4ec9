// Classifies the roles of a launch: a teacher of the course, or a learner.

const membership = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const teaching = ["Instructor", "ContentDeveloper", "Administrator", "Manager"];
/** The roles of teachers. Those of the core vocabulary may occur without their prefix. Sub-roles always have one. */
const teachers = new Set([
  ...teaching.flatMap((roleName) => [roleName, `${membership}#${roleName}`]),
  `${membership}/Instructor#TeachingAssistant`,
  `${membership}/Instructor#TeachingAssistantSection`,
  `${membership}/Instructor#TeachingAssistantSectionAssociation`,
  `${membership}/Instructor#Grader`,
]);

/** Reports whether a person teaches the course. Institutional roles do not count: a teacher of another course can be a learner here. */
export function isTeacher(roles: readonly string[]): boolean {
  return roles.some((role) => teachers.has(role));
}

/** Reports whether a person is a learner of the course and receives a grade. */
export function isLearner(roles: readonly string[]): boolean {
  return roles.some((role) => role === "Learner" || role === `${membership}#Learner`);
}
