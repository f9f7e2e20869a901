/** What people give in place of YAML, by how it begins or what it has. */

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n/
/** A line that a template of a Helm chart has, and no YAML; a text within YAML may have it, such as of a ConfigMap. */
const ACTION = /^\s*\{\{-?\s*(?:if|else|end|range|with|include|define|template|\/\*|- )/

/** Whether a text is the pointer that Git LFS checks out in place of a file. */
export function isPointer(text: string): boolean {
  return POINTER.test(text)
}

/**
 * Returns what a text is that cannot be read as YAML in a line, counted from 0, and what to do, in words; undefined
 * where neither that line nor the one before it tells.
 */
export function notYamlText(text: string, line: number): string | undefined {
  const [before = '', own = ''] = line === 0 ? ['', text.split('\n', 1)[0]] : text.split('\n', line + 1).slice(-2)
  return ACTION.test(own) || (before.startsWith('{{') && ACTION.test(before))
    ? 'it is a template of a Helm chart: render it first, with helm template'
    : undefined
}
