/** What people give in place of YAML, by how it begins or what it has. */

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/
/** A line that a template of a Helm chart has, and no YAML. */
const ACTION = /^\s*\{\{-?\s*(?:if|else|end|range|with|include|define|template|\/\*|- )/m

/** Whether a text is the pointer that Git LFS checks out in place of a file. */
export function isPointer(text: string): boolean {
  return POINTER.test(text)
}

/** Returns what a text is that cannot be read as YAML, and what to do, in words; undefined where nothing tells. */
export function notYamlText(text: string): string | undefined {
  return ACTION.test(text) ? 'it is a template of a Helm chart: render it first, with helm template' : undefined
}
