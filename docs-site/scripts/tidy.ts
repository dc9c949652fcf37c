import { ReferenceType, type ProjectReflection } from "typedoc";

/** Takes out of the reference what says nothing to a reader: names that the compiler made up, and those that nobody can import. */
export function tidy(project: ProjectReflection): void {
  for (const reflection of Object.values(project.reflections)) {
    if (reflection.isParameter() && reflection.name === "__namedParameters") reflection.name = "options";
    if (!reflection.isDeclaration() && !reflection.isSignature()) continue;
    if (isHidden(reflection.inheritedFrom)) delete reflection.inheritedFrom;
    if (!reflection.isDeclaration() || reflection.extendedTypes === undefined) continue;
    const shown = reflection.extendedTypes.filter((type) => !isHidden(type));
    if (shown.length > 0) reflection.extendedTypes = shown;
    else delete reflection.extendedTypes;
  }
}

/** Of this repository, and exported by no door. */
function isHidden(type: unknown): boolean {
  return (
    type instanceof ReferenceType && type.reflection === undefined && type.package?.includes("chainwright") === true
  );
}
