/** On how many nodes pods are replaced at once, by the rolling update of the template. */
import * as assert from 'uvu/assert'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a', 'b', 'c', 'd']), shape({ [TYPE]: 'c5' }, ['e', 'f', 'g', 'h'])])

const ROWS: Array<[name: string, rollingUpdate: object, figures: string]> = [
  ['one after another where nothing is said', {}, 'on up to 2 nodes at once; a single DaemonSet would restart 1'],
  ['so many unavailable', { maxUnavailable: 2 }, 'on up to 4 nodes at once; a single DaemonSet would restart 2'],
  [
    'so many new ones first',
    { maxSurge: 3, maxUnavailable: 0 },
    'on up to 6 nodes at once; a single DaemonSet would restart 3',
  ],
  [
    'a percentage, rounded up',
    { maxUnavailable: '10%' },
    'on up to 2 nodes at once; a single DaemonSet would restart 1',
  ],
  [
    'a percentage of new ones',
    { maxSurge: '30%', maxUnavailable: 0 },
    'on up to 4 nodes at once; a single DaemonSet would restart 3',
  ],
]

suite('how many pods restart at once', (test) => {
  for (const [name, rollingUpdate, figures] of ROWS)
    test(name, () => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate }
      const first = plan(listOf([NODES, policy(), withSpec(daemonSet(), { updateStrategy })]))
      const image = daemonSet({ containers: [{ name: 'agent', image: 'agent:2' }] }).spec as object
      const changed = rerender(first, (object) =>
        object.kind === 'DaemonSet' && object.metadata.name === 'agent'
          ? withSpec(object, { ...image, updateStrategy })
          : object,
      )
      assert.match(said(changed, 'RolloutWidens')[0] ?? '', figures)
    })
})
