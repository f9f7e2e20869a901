import { describe } from '../krm/identity.ts'
import type { Plan } from '../types.ts'
import type { Answer } from '../world/index.ts'
import { messageOf } from './explain.ts'

/** What is asked of a plan: about a pool, a pod by its namespace and name, or a node. */
export interface Question {
  readonly about: 'pool' | 'pod' | 'node'
  readonly name: string
}

/** The answer of one subject, such as a PoolPolicy. */
export interface SubjectAnswer extends Answer {
  readonly subject: string
}

/**
 * Returns what each subject of a plan says about a pod or node; of a pool all that its subject reports. Empty where no
 * subject knows it.
 */
export function answersTo({ about, name }: Question, { packages, findings }: Plan): SubjectAnswer[] {
  return packages.flatMap(({ planned }) =>
    planned.flatMap(({ subject, answers }): SubjectAnswer[] => {
      const { object } = subject
      const who = describe(object)
      if (about === 'pool') {
        if (answers === undefined || object.metadata.name !== name) return []
        const { kind, metadata } = object
        const own = findings.filter(
          ({ subject: of }) =>
            of?.kind === kind && of.metadata.name === name && of.metadata.namespace === metadata.namespace,
        )
        return own.map((one) => ({ subject: who, state: one.code, sentence: messageOf(one) }))
      }
      const answer = answers?.[about](name)
      return answer === undefined ? [] : [{ subject: who, ...answer }]
    }),
  )
}
