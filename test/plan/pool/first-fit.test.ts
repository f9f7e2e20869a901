/** The tree of rooms finds what a walk from the first to the last finds. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { FirstFit } from '../../../src/plan/pool/openings.ts'
import { isFitting, take } from '../../../src/plan/pool/resources.ts'
import { suite } from '../../support/suite.ts'

const amounts = (least: number, most: number) =>
  fc.array(fc.integer({ min: least, max: most }), { minLength: 3, maxLength: 3 })

suite('first fit', (test) => {
  test('nothing has no room', () => assert.is(new FirstFit<number[]>([], (room) => room).find([0]), undefined))
  test('the first with room that is wanted, while room shrinks and things are added', () => {
    let found = 0
    let missed = 0
    const step = fc.record({ request: amounts(0, 6), kind: fc.integer({ min: 0, max: 3 }), isAdded: fc.boolean() })
    const drawn = fc.record({
      rooms: fc.array(amounts(-1, 9), { maxLength: 20 }),
      steps: fc.array(step, { minLength: 1, maxLength: 60 }),
    })
    fc.assert(
      fc.property(drawn, ({ rooms, steps }) => {
        const items = rooms.map((room, index) => ({ room: [...room], kind: index % 4 }))
        const tree = new FirstFit(items, ({ room }) => room)
        for (const { request, kind, isAdded } of steps) {
          if (isAdded) {
            const item = { room: [4, 4, 4], kind: items.length % 4 }
            items.push(item)
            tree.add(item)
          }
          const isWanted = (one: { kind: number }) => one.kind !== kind
          const expected = items.find((one) => isFitting(request, one.room) && isWanted(one))
          const made = tree.find(request, isWanted)
          assert.is(made, expected)
          if (made === undefined) missed++
          else {
            found++
            take(made.room, request)
          }
        }
      }),
      { seed: 31, numRuns: 100 },
    )
    assert.ok(found > 0 && missed > 0, `${found} found, ${missed} missed`)
  })
})
