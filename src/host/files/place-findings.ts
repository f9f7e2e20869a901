import { readFileSync } from 'node:fs'
import { extname, relative, sep } from 'node:path'
import type { PlacedFinding } from '../../face/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { indexOf, locationOf } from '../../krm/identity.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { documentsOf } from './objects-in.ts'

/**
 * Finds the file of each finding's object, relative to the working directory, and the line on which the object begins;
 * no file where the object is rendered, or read from stdin. Of a file of JSON or of a List the line is the first.
 */
export function placeFindings(findings: readonly Finding[]): PlacedFinding[] {
  const find = objectPlaces()
  return findings.map((finding) => ({
    finding,
    ...(finding.subject === undefined ? {} : find(finding.subject as KubernetesObject)),
  }))
}

/** Where an object begins; empty where it is in no file. */
export type ObjectPlace = Pick<PlacedFinding, 'file' | 'line'>

/** Returns a function that finds the file and line of an object, as `placeFindings` does. */
export function objectPlaces(): (object: KubernetesObject) => ObjectPlace {
  const texts = new Map<string, readonly number[]>()
  return (object) => {
    const location = locationOf({ object })
    if (location === undefined) return {}
    const path = location.startsWith('/') || sep !== '/' ? location : `/${location}`
    const lines = texts.get(path) ?? firstLines(path)
    if (lines === undefined) return {}
    texts.set(path, lines)
    const file = relative('', path).split(sep).join('/')
    return { file, line: lines[indexOf({ object }) ?? 0] ?? 1 }
  }
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
