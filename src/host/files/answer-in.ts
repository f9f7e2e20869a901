import { isPrometheusAnswer } from '../../facts/usage/index.ts'
import { readText, statOf } from './read-text.ts'

/** Returns the answer of Prometheus in a file; undefined of any other file. */
export function answerIn(file: string): unknown {
  if (!file.endsWith('.json') || statOf(file)?.isFile() !== true) return undefined
  try {
    const value: unknown = JSON.parse(readText(file))
    return isPrometheusAnswer(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
