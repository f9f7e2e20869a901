/** Groups whose nodes have gone, as nodefit sync sees them: Git tells since when, so that they go in their time. */
import * as assert from 'uvu/assert'
import { apiNode } from '../../../support/api-nodes.ts'
import { daemonSet, policy, TYPE } from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'
import { DAY, HOUR, Scene, wordFor } from '../../../support/sync-repository.ts'

const agents = (retainGroups: string) => [policy({ nodeGroupLabel: TYPE, retainGroups }), daemonSet()]

/** Looks each hour for thirty days after the only node of a type has gone; gives the hour in which its group goes. */
function goesAfter(retainShapes: number, retainGroups: string) {
  const scene = new Scene({ output: 'rendered', retainShapes }, agents(retainGroups))
  for (let index = 0; index < 3; index++) scene.add(apiNode(`small-${index}`))
  scene.add(apiNode('big', 'r5.xlarge'))
  scene.turn()
  const isThere = () => Object.keys(scene.files()).some((name) => name.includes('r5-xlarge'))
  assert.ok(isThere())
  scene.nodes.delete('big')
  const words: string[] = []
  for (let hour = 0; hour < 30 * 24; hour++) {
    const word = wordFor(scene.turn())
    if (word !== 'unchanged') words.push(`${hour} ${word}`)
    if (!isThere()) {
      const after = wordFor(scene.turn())
      scene.end()
      return { hour, words, after }
    }
    scene.now += HOUR
    if (hour % 30 === 29) scene.restart()
  }
  scene.end()
  return { hour: undefined, words, after: undefined }
}

const ROWS: ReadonlyArray<
  readonly [name: string, retainShapes: number, retainGroups: string, hour: number, words: readonly string[]]
> = [
  [
    'by default after fourteen days, and Git is told after one',
    14 * DAY,
    '336h',
    336,
    ['24 inventory', '336 rendered'],
  ],
  [
    'after retainGroups where shapes go at once, which Git is told at once',
    0,
    '336h',
    336,
    ['0 inventory', '336 rendered'],
  ],
  ['after both where shapes go before Git is told of them', HOUR, '48h', 49, ['1 inventory', '49 rendered']],
  ['at once where neither is retained', 0, '0s', 0, ['0 rendered']],
  ['with the shape where groups are not retained', 6 * HOUR, '0s', 0, ['0 rendered']],
]

suite('a group whose nodes have gone goes', (test) => {
  for (const [name, retainShapes, retainGroups, hour, words] of ROWS)
    test(name, () =>
      assert.equal(goesAfter(retainShapes, retainGroups), { hour, words: [...words], after: 'unchanged' }),
    )
})
