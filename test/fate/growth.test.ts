/** When the requests of the fleet's pods grow, and which groups are named for it. */
import * as assert from 'uvu/assert'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { container } from '../support/fit.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const FREE = config({ guards: { maxGroupsRemoved: null, maxNodesLost: null, maxShrinkPercent: null } })
const SMALL = shape({ [TYPE]: 's' }, ['a', 'b'], '10', '10Gi')
const LARGE = shape({ [TYPE]: 'l' }, ['c'], '100', '100Gi')
const OPEN = { minResources: { cpu: '1m', memory: '1Mi' }, maxResources: { cpu: '100', memory: '1Ti' } }
/** A policy that gives these percentages of cpu and memory. */
const sized = (cpu: number, memory: number) => ({
  ...OPEN,
  resourcePercentages: { requestCPU: cpu, requestMemory: memory, limitCPU: null, limitMemory: null },
})
const adopt = (spec: Record<string, unknown>, requests: object, shapes: object[] = [SMALL]) =>
  plan(listOf([FREE, inventory(shapes), policy(spec), daemonSet({ containers: [container('agent', requests)] })]))
const again = (before: Plan, spec: object, shapes?: object[]) =>
  rerender(before, (object) => {
    if (object.kind === 'NodeInventory' && shapes !== undefined) return inventory(shapes)
    return object.kind === 'SizingPolicy' ? withSpec(object, spec) : object
  })
/** Earlier output that requests 1 core and 1Gi on each small node. */
const first = (shapes?: object[]) => adopt(sized(10, 10), { cpu: '1', memory: '1Gi' }, shapes)

const ROWS: ReadonlyArray<readonly [name: string, result: () => Plan, want: RegExp | undefined]> = [
  ['a quarter is no finding', () => again(first(), sized(12.5, 12.5)), undefined],
  [
    'more than a quarter is one',
    () => again(first(), sized(10, 13)),
    /on the 2 nodes with an agent until now request 2 cores and 2 -> 2\.6 GiB \(\+30 %\); most of it: agent-s \(\+0\.6 GiB on 2 nodes\)\./,
  ],
  [
    'a resource that falls further does not hide the group that adds the other',
    () => again(first(), sized(1, 13)),
    /request 2 -> 0\.2 cores and 2 -> 2\.6 GiB \(\+30 %\); most of it: agent-s \(\+0\.6 GiB on 2 nodes\)\./,
  ],
  [
    'the template counts where nothing was rendered',
    () => adopt(sized(10, 10), { cpu: '1', memory: '512Mi' }),
    /request 2 cores and 1 -> 2 GiB \(\+100 %\); most of it: agent-s \(\+1 GiB on 2 nodes\)\./,
  ],
  [
    'what adds most comes first, and a group that adds nothing is not named',
    () => adopt(sized(10, 10), { cpu: '1', memory: '1Gi' }, [SMALL, LARGE]),
    /request 3 -> 12 cores \(\+300 %\) and 3 -> 12 GiB \(\+300 %\); most of it: agent-l \(\+9 cores and \+9 GiB on 1 node\)\./,
  ],
  ['nodes that join a fleet are no growth', () => again(first(), {}, [SMALL, LARGE]), undefined],
  [
    'nor are those of a group that had none',
    () => again(first([SMALL, { ...LARGE, nodes: [] }]), {}, [SMALL, LARGE]),
    undefined,
  ],
  [
    'a first request is growth',
    () => adopt(sized(10, 10), { cpu: '1' }),
    /request 2 cores and 0 -> 2 GiB; most of it: agent-s \(\+2 GiB on 2 nodes\)\./,
  ],
]

suite('requests that grow', (test) => {
  for (const [name, result, want] of ROWS)
    test(name, () => {
      const made = result()
      assert.is(made.failed, false, made.findings.map(({ message }) => message).join('\n'))
      const [text, ...more] = said(made, 'TotalGrows')
      assert.equal(more, [])
      if (want === undefined) assert.is(text, undefined)
      else assert.match(text ?? '', want)
    })
})
