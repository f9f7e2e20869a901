/** The text of an item is cut out of the wire when somebody needs it, which for an inventory of megabytes nobody does. */
import * as assert from 'uvu/assert'
import { kubescapeList } from '../../bench/inputs.ts'
import { readResourceList, writeResourceList } from '../../src/krm/index.ts'
import { plan } from '../../src/rules/run.ts'
import { suite } from '../support/suite.ts'

suite('the text of items', (test) => {
  for (const kind of ['ConfigMap', 'DaemonSet'] as const)
    test(`that of an inventory is not asked for beside a template in a ${kind}`, () => {
      const list = readResourceList(kubescapeList(3, kind))
      const wire = Object.getPrototypeOf(list.items[0]) as object
      const text = Object.getOwnPropertyDescriptor(wire, 'text') as PropertyDescriptor
      const asked = new Set<string>()
      Object.defineProperty(wire, 'text', {
        ...text,
        get() {
          asked.add(this.object.kind)
          return text.get?.call(this)
        },
      })
      try {
        const { items } = plan(list)
        assert.match(writeResourceList({ ...list, items }), /^ {2}kind: NodeInventory$/m)
        assert.not.ok(asked.has('NodeInventory'), [...asked].join(', '))
      } finally {
        Object.defineProperty(wire, 'text', text)
      }
    })
})
