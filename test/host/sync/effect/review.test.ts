/** By what a change is known while it waits for a review. */
import * as assert from 'uvu/assert'
import { changesDigest, reviewBranch } from '../../../../src/host/sync/git/review.ts'
import { apiNode, turned } from '../../../support/api-nodes.ts'
import { daemonSet, policy, TYPE } from '../../../support/objects.ts'
import { order } from '../../../support/orders.ts'
import { suite } from '../../../support/suite.ts'
import { DAY, HOUR, INVENTORY, MINUTE, Scene } from '../../../support/sync-repository.ts'

const REVIEW = { prefix: 'nodefit/', cluster: 'prod' }
const OUTPUT = { output: 'rendered' }
const PERCENTAGES = { requestMemory: 10, requestCPU: 2, limitCPU: null, limitMemory: null }
const AGENT = [policy({ nodeGroupLabel: TYPE, resourcePercentages: PERCENTAGES }), daemonSet()]
/** Their objects say when they were made. */
const TICKETS = [order({}, { nodeSelector: { [TYPE]: 'c5.large' }, duration: '48h' })]
/** And repeat that time where their window begins. */
const WINDOWS = [order({}, { nodeSelector: { [TYPE]: 'c5.large' }, duration: undefined, window: { duration: '48h' } })]
const ROLLOUT = [
  policy({ nodeGroupLabel: TYPE, rollout: { maxNodes: 8, every: '10m' }, resourcePercentages: PERCENTAGES }),
  daemonSet(),
]

/** A change that waits: the first node of a type that is not in Git. */
function waiting(settings: ConstructorParameters<typeof Scene>[0], policies = AGENT): Scene {
  const scene = new Scene(policies.length > 0 ? settings : { ...settings, packages: [] }, policies)
  scene.add(...Array.from({ length: 8 }, (_, index) => apiNode(`a${index + 1}`)), apiNode('b1', 'm5.xlarge'))
  scene.turn()
  scene.now += HOUR
  scene.add(apiNode('c1', 'c5.large'))
  return scene
}

function branchOf(scene: Scene): string {
  const evaluation = scene.evaluate()
  if (evaluation.kind !== 'commit') throw new Error(`no commit: ${evaluation.kind}`)
  assert.is(evaluation.failure, undefined)
  const { changes, digest } = evaluation.commit
  return reviewBranch(REVIEW, digest ?? changesDigest(changes, { entries: new Map(), folders: new Set() }))
}

suite('a change that waits for a review', (test) => {
  for (const [name, settings, policies] of [
    ['rendered output', OUTPUT, AGENT],
    ['an inventory alone', {}, AGENT],
    ['Tickets', OUTPUT, TICKETS],
    ['Tickets that others render', {}, TICKETS],
    ['Tickets with a window', OUTPUT, WINDOWS],
    ['a rollout', OUTPUT, ROLLOUT],
    ['no policies', {}, []],
    ['an inventory that only counts', { ...OUTPUT, counts: true }, AGENT],
  ] as const)
    test(`has one branch, whatever nodes of known types come and go, with ${name}`, () => {
      const scene = waiting(settings, [...policies])
      const branches = new Set([branchOf(scene)])
      for (let step = 0; step < 6; step++) {
        scene.now += 10 * MINUTE
        scene.add(apiNode(`new${2 * step}`), apiNode(`new${2 * step + 1}`, 'm5.xlarge'))
        if (step === 2) scene.nodes.delete('a1')
        if (step === 3) scene.change('a2', (node) => turned(node, 'False', scene.now - HOUR))
        if (step === 4) scene.restart()
        branches.add(branchOf(scene))
      }
      assert.is(branches.size, 1)
      scene.end()
    })
  const OTHERS: Record<string, (scene: Scene) => void> = {
    'one more type': (scene) => scene.add(apiNode('d1', 'r5.large')),
    'another type instead': (scene) => {
      scene.nodes.delete('c1')
      scene.add(apiNode('d1', 'r5.large'))
    },
    'other sizes': (scene) =>
      scene.write('policies/policies.yaml', scene.read('policies/policies.yaml').replace('Memory: 10', 'Memory: 20')),
    'another state of Git': (scene) =>
      scene.write(INVENTORY, scene.read(INVENTORY).replace(/observedAt: .*/, 'observedAt: "2026-11-20T12:30:00Z"')),
  }
  for (const settings of [OUTPUT, {}])
    for (const [name, change] of Object.entries(OTHERS))
      test(`is another one with ${name} (${settings === OUTPUT ? 'rendered' : 'inventory'})`, () => {
        const scene = waiting(settings)
        const first = branchOf(scene)
        change(scene)
        assert.is.not(branchOf(scene), first)
        scene.end()
      })
  test('has one branch where Git is to be told since when a type is empty', () => {
    const scene = waiting(OUTPUT)
    scene.turn()
    scene.nodes.delete('b1')
    scene.after(MINUTE)
    scene.now += DAY
    const branches = new Set([branchOf(scene)])
    for (let step = 0; step < 3; step++) {
      scene.now += HOUR
      scene.add(apiNode(`new${step}`))
      branches.add(branchOf(scene))
    }
    assert.is(branches.size, 1)
    scene.end()
  })
})
