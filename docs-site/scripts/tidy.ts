import { ReferenceType, type ProjectReflection } from "typedoc";

/** Removes names from the reference that do not help a reader: those that the compiler generates, and those that no one can import. */
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

/** Whether a name belongs to this repository and no door exports it. */
function isHidden(type: unknown): boolean {
  return (
    type instanceof ReferenceType && type.reflection === undefined && type.package?.includes("chainwright") === true
  );
}
