import { Comment, CommentTag, ReflectionKind, type DeclarationReflection, type ProjectReflection } from "typedoc";

/** The sections of a reference page, in order: calls, errors, inputs and results. */
export const groupOrder = ["Functions", "Errors", "Types"];

const calls = ReflectionKind.Function | ReflectionKind.Variable;
/** Sorts the exports of a door by their use, not by their kind in the compiler. */
export function groupExports(project: ProjectReflection): void {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    if (!module.isDeclaration()) continue;
    for (const child of module.children ?? []) {
      const tag = new CommentTag("@group", [{ kind: "text", text: groupOf(child, project) }]);
      for (const place of placesOf(child)) (place.comment ??= new Comment()).blockTags.push(tag);
    }
  }
}

/** The comments of a function are at its signatures. */
function placesOf(child: DeclarationReflection): readonly { comment?: Comment }[] {
  return child.signatures ?? [child];
}

function groupOf(child: DeclarationReflection, project: ProjectReflection): string {
  const path = project.getSymbolIdFromReflection(child)?.packagePath ?? "";
  if (path === "src/model/error.ts") return "Errors";
  return (child.kind & calls) === 0 ? "Types" : "Functions";
}
