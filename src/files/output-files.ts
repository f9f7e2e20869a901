import { describe } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import { manifestTexts } from './manifest.ts'
import { fileNameOf } from './output-name.ts'
import { UserError } from './user-error.ts'

/** The first line of every file that nodefit writes into an output folder; by it nodefit knows its own. */
export const MARK = '# Written by nodefit build --output-dir, which rewrites and removes this file: do not edit it.'

export const KUSTOMIZATION = 'kustomization.yaml'

const HEAD = `${MARK}
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
`
const ENTRY = '- '

/** What an output folder holds: a file for each manifest, and the kustomization.yaml that lists them. Throws `UserError` for two of one object. */
export function outputFiles(manifests: readonly Item[]): Map<string, string> {
  const files = new Map<string, string>()
  const texts = manifestTexts(manifests)
  for (const [index, item] of manifests.entries()) {
    const name = fileNameOf(item.object)
    if (files.has(name))
      throw new UserError(
        `${describe(item.object)} comes out twice, and an output folder holds what one cluster gets: build each cluster into a folder of its own`,
      )
    files.set(name, `${MARK}\n${texts[index]}`)
  }
  return files.set(KUSTOMIZATION, kustomizationOf([...files.keys()]))
}

/** The files that a kustomization.yaml lists, if it is as nodefit wrote it. */
export function listedIn(text: string): string[] | undefined {
  const names = text
    .split('\n')
    .filter((line) => line.startsWith(ENTRY))
    .map((line) => line.slice(ENTRY.length))
  return text === kustomizationOf(names) ? names : undefined
}

function kustomizationOf(names: readonly string[]): string {
  return `${HEAD}${[...names]
    .sort()
    .map((name) => `${ENTRY}${name}\n`)
    .join('')}`
}
