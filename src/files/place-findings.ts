import { readFileSync } from 'node:fs'
import { extname, relative, sep } from 'node:path'
import type { Finding } from '../finding/index.ts'
import { indexOf, locationOf } from '../krm/identity.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { PlacedFinding } from '../view/index.ts'
import { documentsOf } from './split-stream.ts'

/**
 * Finds the file of each finding's object, relative to the working directory, and the line on which the object begins;
 * no file where the object is rendered, or read from stdin. Of a file of JSON or of a List the line is the first.
 */
export function placeFindings(findings: readonly Finding[]): PlacedFinding[] {
  const texts = new Map<string, readonly number[]>()
  return findings.map((finding) => {
    const item = finding.subject === undefined ? undefined : { object: finding.subject as KubernetesObject }
    const location = item === undefined ? undefined : locationOf(item)
    if (item === undefined || location === undefined) return { finding }
    const path = location.startsWith('/') || sep !== '/' ? location : `/${location}`
    const lines = texts.get(path) ?? firstLines(path)
    if (lines === undefined) return { finding }
    texts.set(path, lines)
    const file = relative('', path).split(sep).join('/')
    return { finding, file, line: lines[indexOf(item) ?? 0] ?? 1 }
  })
}

/** Returns the first line of each document of a file; undefined for a file that is not there. */
function firstLines(path: string): readonly number[] | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    return extname(path) === '.json'
      ? [1]
      : documentsOf(text).map(({ text: own, firstLine }) => contentLine(own, firstLine))
  } catch {
    return undefined
  }
}

/** Returns the line of the first field of a document, below its comments. */
function contentLine(text: string, firstLine: number): number {
  const comments = text.split('\n').findIndex((line) => /^[ \t]*[^#\s]/.test(line))
  return firstLine + Math.max(comments, 0)
}
