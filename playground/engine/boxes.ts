/** The texts that a user gives: each is a file as `nodefit build` would read it, with objects of any kind. */
export interface Texts {
  readonly nodes: string
  readonly daemonSet: string
  readonly policy: string
}

export type Box = keyof Texts

export const BOXES: readonly Box[] = ['nodes', 'daemonSet', 'policy']

/** The file that a text would be, by which findings name it. */
export const FILES: Readonly<Record<Box, string>> = {
  nodes: 'nodes.yaml',
  daemonSet: 'daemonset.yaml',
  policy: 'policy.yaml',
}

/** How many characters the texts may have together; the function refuses a list beyond as many bytes. */
export const MOST_CHARACTERS = 64 << 20
