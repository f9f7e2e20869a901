import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { render } from '../../src/face/render.ts'
import { readObjects } from '../../src/host/files/read-objects.ts'
import { newItem, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import type { Files } from './golden-packages.ts'

const LIST = { apiVersion: 'config.kubernetes.io/v1', results: [] }

/** The ResourceList that a host gives for the files of a package, as text. */
export function resourceListText(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const items = readObjects([folder]).map(({ object }) => newItem(object))
    return writeResourceList({ ...LIST, items }).replaceAll(folder, '/package')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What users rely on in a render: the bytes of the items, and the codes of the errors that stop it. */
export interface Rendered {
  readonly output: string
  readonly errors: readonly string[]
}

export function renderText(input: string): Rendered {
  const { results, ...after } = render(readResourceList(input))
  const errors = results.flatMap(({ severity, tags }) => (severity === 'error' ? (tags?.code ?? 'unknown') : []))
  return { output: writeResourceList({ ...after, results: [] }), errors: [...new Set(errors)].sort() }
}
