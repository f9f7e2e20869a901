/** What an object is called in a sentence, whatever a user has made of it. */
import * as assert from 'uvu/assert'
import { describe } from '../../src/krm/identity.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { rerender } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const object = (metadata: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata }) as KubernetesObject

const CALLED: Array<readonly [called: string, metadata: object]> = [
  ['Pod a', { name: 'a' }],
  ['Pod ns/a', { name: 'a', namespace: 'ns' }],
  ['Pod 0', { name: 0 }],
  ['Pod without a name', {}],
  ['Pod without a name', { name: null, namespace: null }],
  ['Pod without a name in namespace ns', { name: '', namespace: 'ns' }],
]

suite('what an object is called', (test) => {
  for (const [called, metadata] of CALLED)
    test(`${JSON.stringify(metadata)} is ${called}`, () => assert.is(describe(object(metadata)), called))

  for (const name of [undefined, null, ''])
    test(`rendered output whose name has become ${JSON.stringify(name)} is not called so`, () => {
      const first = plan(listOf([inventory([shape({ [TYPE]: 'm5' }, ['x'])]), policy(), daemonSet()]))
      const changed = rerender(first, (one) =>
        one.metadata.name === 'agent-m5' ? { ...one, metadata: { ...one.metadata, name: name as string } } : one,
      )
      assert.ok(changed.findings.length > 0)
      for (const { code, message } of changed.findings)
        assert.not.match(message, /undefined|DaemonSet null|\/null/, code)
    })
})
