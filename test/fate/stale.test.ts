/** What is said of a package that is not what its render would be. */
import * as assert from 'uvu/assert'
import { staleFindings } from '../../src/fate/change-findings.ts'
import type { Outcome } from '../../src/fate/outcome.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { daemonSet } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const sized = (cpu: string, more: object = {}) =>
  daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources: { requests: { cpu } } }] }, more)
const CPU = 'spec.template.spec.containers.0.resources.requests.cpu'
const at = (index: string) => ({ annotations: { 'config.kubernetes.io/index': index } })

/** The sentences for objects that are there and what stands in their place, and for those that come. */
function saidOf(
  pairs: ReadonlyArray<readonly [before: KubernetesObject, after: KubernetesObject | undefined]>,
  added: readonly KubernetesObject[] = [],
): string[] {
  const replaced = new Map(pairs.map(([before, after]) => [newItem(before), after && newItem(after)]))
  const outcome = { replaced, added: added.map((object) => newItem(object)) } as unknown as Outcome
  return staleFindings(outcome).map(({ code, severity, sentence }) => `${severity} ${code}: ${sentence}`)
}

const CASES: Array<[name: string, said: string[], want: string[]]> = [
  ['nothing changes', saidOf([[sized('1'), sized('1')]]), []],
  ['another place in the stream is no change', saidOf([[sized('1', at('0')), sized('1', at('1'))]]), []],
  [
    'a field, with both values',
    saidOf([[sized('1'), sized('2')]]),
    [`error OutputStale: DaemonSet agent differs from what is rendered: ${CPU} 1 -> 2`],
  ],
  [
    'what may be a secret without its value',
    saidOf([[sized('1', { annotations: { token: 'a' } }), sized('1', { annotations: { token: 'b' } })]]),
    ['error OutputStale: DaemonSet agent differs from what is rendered: metadata.annotations.token'],
  ],
  ['an object that goes', saidOf([[sized('1'), undefined]]), ['error OutputStale: DaemonSet agent would be removed']],
  [
    'an object that comes',
    saidOf([], [sized('1')]),
    ['error OutputStale: DaemonSet agent is missing from the package'],
  ],
]

suite('output that is stale', (test) => {
  for (const [name, said, want] of CASES) test(name, () => assert.equal(said, want))
})
