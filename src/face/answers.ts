import { isPoolPolicy } from '../kinds/index.ts'
import { describe } from '../krm/identity.ts'
import type { Plan } from '../rules/plan.ts'
import { type AccountAnswer, accountAnswers } from './account-answers.ts'
import { messageOf } from './explain.ts'

/**
 * What is asked of a plan: about a policy, a group by its name or the nodes that it is for, a pool, a pod by namespace
 * and name, a node, or a signed action by its id.
 */
export interface Question {
  readonly about: 'policy' | 'group' | 'pool' | 'pod' | 'node' | 'action'
  readonly name: string
}

/** The answer of one subject, such as a PoolPolicy. */
export interface SubjectAnswer extends AccountAnswer {
  readonly subject: string
}

/**
 * Returns what each subject of a plan says about a policy, group, pod, node or action; of a pool all that its subject
 * reports. Empty where no subject knows it.
 */
export function answersTo({ about, name }: Question, { packages, findings }: Plan): SubjectAnswer[] {
  return packages.flatMap(({ path, planned }) =>
    planned.flatMap(({ subject, answers, account }): SubjectAnswer[] => {
      const { object } = subject
      const who = `${describe(object)}${packages.length < 2 || path === '' ? '' : ` in ${path}`}`
      if (about === 'pool') {
        if (!isPoolPolicy(object) || object.metadata.name !== name) return []
        const { kind, metadata } = object
        const own = findings.filter(
          ({ subject: of }) =>
            of?.kind === kind && of.metadata.name === name && of.metadata.namespace === metadata.namespace,
        )
        return own.map((one) => ({ subject: who, state: one.code, sentence: messageOf(one) }))
      }
      const known = about === 'policy' || about === 'group' ? undefined : answers?.[about]?.(name)
      const isAsked = about === 'group' || about === 'node' || (about === 'policy' && object.metadata.name === name)
      const counted = isAsked ? accountAnswers(about, name, account) : []
      return [...(known === undefined ? [] : [known]), ...counted].map((answer) => ({ subject: who, ...answer }))
    }),
  )
}

/** Returns the names of the subjects that `policy` asks about: those with groups, or nodes that they leave out. */
export function policyNames({ packages }: Plan): string[] {
  const names = packages.flatMap(({ planned }) =>
    planned
      .filter(({ account }) => accountAnswers('policy', '', account).length > 0)
      .map(({ subject }) => subject.object.metadata.name),
  )
  return [...new Set(names)]
}
