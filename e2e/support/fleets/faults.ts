/** Faults of a render on purpose, by which it is seen that the suite finds them. */

import type { KubernetesObject, Result } from '../../../src/krm/types.ts'
import { SEEDS } from '../../../test/support/seeds.ts'

/** The environment variable that names the fault of every render; only tests of the suite itself set it. */
export const FAULT = 'FLEETS_FAULT'

/** What a render gives out. */
export interface Rendering {
  /** What the user applies: all that comes out and is no local configuration. */
  readonly objects: readonly KubernetesObject[]
  readonly results: readonly Result[]
  /** The codes of errors; there are none where the run did not fail. */
  readonly refusedFor: readonly string[]
}

type Fault = (rendering: Rendering) => Rendering

/** Faults that no planner could make in an object, but a run in what it says or a user in what is applied. */
const OTHERS: Record<string, Fault> = {
  'no hole is said': ({ results, ...rest }) => ({
    ...rest,
    results: results.filter(({ tags }) => tags?.code !== 'HoleOnPurpose'),
  }),
  'a group is said to have a node more': ({ results, ...rest }) => ({
    ...rest,
    results: results.map((result) =>
      result.tags?.code === 'GroupSized'
        ? {
            ...result,
            message: result.message.replace(/\((\d+) nodes?\)/, (_, count) => `(${Number(count) + 1} nodes)`),
          }
        : result,
    ),
  }),
  'a field is one that the API server does not know': ({ objects, ...rest }) => ({
    ...rest,
    objects: objects.map((object) => ({ ...object, spec: { ...(object.spec as object), unknownField: 1 } })),
  }),
}

/** The fault of a user who does not delete what is no longer rendered. */
export const NOT_PRUNED = 'what is gone stays'

/** The fault that the environment asks for. */
export function faultAsked(): string | undefined {
  return process.env[FAULT] || undefined
}

/** What was rendered, with the fault that the environment asks for. */
export function faulty(rendering: Rendering): Rendering {
  const name = faultAsked()
  if (name === undefined || name === NOT_PRUNED) return rendering
  const other = OTHERS[name]
  if (other !== undefined) return other(rendering)
  const seed = SEEDS[name]
  if (seed === undefined) throw new Error(`${FAULT}=${name} is no fault`)
  const [objects] = seed(rendering.objects)
  return objects === undefined ? rendering : { ...rendering, objects }
}
