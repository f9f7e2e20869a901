import { isError, listNames } from '../../krm/finding/index.ts'
import type { Plan } from '../../rules/plan.ts'
import { messageOf } from '../index.ts'
import { findingMismatches } from './finding-mismatches.ts'
import type { Mismatch } from './mismatch.ts'
import { groupMismatches, withoutMismatches } from './node-mismatches.ts'
import type { PolicyTest } from './read-test.ts'
import { sizeMismatches } from './size-mismatches.ts'
import { testedPolicy } from './tested-policy.ts'

/** Compares what a run decided with what a test expects of it; empty where the test holds. */
export function compareTest({ spec }: PolicyTest, plan: Plan): Mismatch[] {
  const { sizes = [], groups, without, findings } = spec.expect
  const ofFindings = findingMismatches(findings, plan.findings)
  if (sizes.length === 0 && groups === undefined && without === undefined) return ofFindings
  if (plan.failed) {
    const error = plan.findings.find(isError)
    const isSaid = ofFindings.some(({ got }) => error !== undefined && got.includes(messageOf(error)))
    // an expected error leaves nothing to compare the rest with
    return isSaid ? ofFindings : [...ofFindings, { what: 'render', expected: 'groups and sizes', got: 'an error' }]
  }
  const policy = testedPolicy(spec.policy, plan)
  if (!('groups' in policy)) return [...ofFindings, policyMismatch(spec.policy, policy)]
  return [
    ...sizes.flatMap((size) => sizeMismatches(size, policy)),
    ...(groups === undefined ? [] : groupMismatches(groups, policy)),
    ...(without === undefined ? [] : withoutMismatches(without, policy)),
    ...ofFindings,
  ]
}

function policyMismatch(name: string | undefined, names: readonly string[]): Mismatch {
  return {
    what: 'policy',
    expected: name ?? 'one, or its name in spec.policy',
    got: names.length === 0 ? 'no policy' : listNames(names),
  }
}
