/** Which generation the Ticket of one node is of. */
import * as assert from 'uvu/assert'
import type { OrderSettings } from '../../../src/plan/reservation/order/read-order.ts'
import { generationOf } from '../../../src/plan/reservation/ticket/ticket.ts'
import { suite } from '../../support/suite.ts'

const ALWAYS = { strategy: 'Recurring', refreshPolicy: 'Always' } as OrderSettings
const FIRE = { fire: new Date('2026-01-15T06:00:00Z'), generation: '20260115T0600Z', isOpen: true }

suite('the generation of a Ticket that every fire time renews', (test) => {
  for (const [name, earlier, want] of [
    ['no earlier one', undefined, '20260115T0600Z'],
    ['that of the last fire time', '20260115T0600Z', '20260115T0600Z'],
    ['before the last fire time', '20260115T0559Z', '20260115T0600Z'],
    ['renewed after it', '20260115T0730Z', '20260115T0730Z'],
    ['renewed at the time of the run', '20260115T0800Z', '20260115T0800Z'],
    ['of a time that is still to come', '20260115T080001Z', '20260115T0600Z'],
    ['no time', 'x', '20260115T0600Z'],
  ] as const)
    test(name, () => {
      const now = new Date('2026-01-15T08:00:00Z')
      const ticket = { live: () => undefined, nameIn: (text: string) => text, endOf: () => undefined }
      assert.is(generationOf({ order: ALWAYS, refresh: FIRE, now, ...ticket, ...(earlier && { earlier }) }), want)
    })
})
