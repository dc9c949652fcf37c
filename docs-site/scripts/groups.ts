import { Comment, CommentTag, ReflectionKind, type DeclarationReflection, type ProjectReflection } from "typedoc";

/** The sections of a reference page, in their order: what one calls, what goes wrong, what goes in and out. */
export const groupOrder = ["Functions", "Errors", "Types"];

const calls = ReflectionKind.Function | ReflectionKind.Variable;
/** Sorts what a door offers by whom it is for, and not by what the compiler calls it. */
export function groupExports(project: ProjectReflection): void {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    if (!module.isDeclaration()) continue;
    for (const child of module.children ?? []) {
      const tag = new CommentTag("@group", [{ kind: "text", text: groupOf(child, project) }]);
      for (const place of placesOf(child)) (place.comment ??= new Comment()).blockTags.push(tag);
    }
  }
}

/** A function has its comments at its signatures. */
function placesOf(child: DeclarationReflection): readonly { comment?: Comment }[] {
  return child.signatures ?? [child];
}

function groupOf(child: DeclarationReflection, project: ProjectReflection): string {
  const path = project.getSymbolIdFromReflection(child)?.packagePath ?? "";
  if (path === "src/model/error.ts") return "Errors";
  return (child.kind & calls) === 0 ? "Types" : "Functions";
}
