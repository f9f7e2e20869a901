/** Whose folder it is: clusters of one name, replacements, nodes that are others, and inventories that somebody cut. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { EffectSettings } from '../../../../src/host/sync/effect/evaluation.ts'
import { readTrailers } from '../../../../src/host/sync/effect/trailers.ts'
import { acknowledged, ackText } from '../../../../src/host/sync/effect/whose-folder.ts'
import { timeText } from '../../../../src/kube/index.ts'
import { apiNode } from '../../../support/api-nodes.ts'
import { daemonSet, policy, TYPE } from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'
import { DAY, HOUR, INVENTORY, MINUTE, Scene, wordFor } from '../../../support/sync-repository.ts'

const [BLUE, GREEN, RED] = [1, 2, 3].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`) as [
  string,
  string,
  string,
]
const AGENT = [
  policy({
    nodeGroupLabel: TYPE,
    resourcePercentages: { requestMemory: 10, requestCPU: 2, limitCPU: null, limitMemory: null },
  }),
  daemonSet(),
]
const GUARDS = { settle: 0, maxGroupsAdded: 10, maxNodesReplaced: 50 }
const RENDERED = { output: 'rendered', guards: GUARDS }

/** A scene of one cluster that has written its folder. */
function written(settings: Partial<EffectSettings> = RENDERED, uid: string | null = BLUE, count = 12): Scene {
  const scene = new Scene(settings, AGENT)
  scene.clusterUid = uid ?? undefined
  for (let index = 0; index < count; index++) scene.add(apiNode(`blue-${index}`))
  const evaluation = scene.turn()
  scene.message = evaluation.kind === 'commit' ? evaluation.commit.message : ''
  scene.now += HOUR
  return scene
}

/** Another cluster of the name in the place of the first: another process, with other nodes and another uid. */
function replaced(scene: Scene, uid: string | null = GREEN, count = 12): Scene {
  scene.restart()
  scene.clusterUid = uid ?? undefined
  scene.nodes.clear()
  for (let index = 0; index < count; index++) scene.add(apiNode(`green-${index}`, 'm5.large', 6_500_000))
  return scene
}

const acknowledge = (scene: Scene, more: object = {}) => {
  scene.message = ackText({ cluster: 'prod', until: timeText(scene.now + HOUR), ...more })
}

suite('the cluster of a folder', (test) => {
  test('is written into inventory, output, snapshot and trailers', () => {
    const scene = written()
    assert.match(scene.read(INVENTORY), `  cluster: prod\n  clusterUid: ${BLUE}\n`)
    const [output = ''] = Object.entries(scene.files()).flatMap(([name, text]) =>
      /daemonset/.test(name) ? [text] : [],
    )
    assert.match(output, `nodefit.dev/cluster-uid: ${BLUE}`)
    assert.is(readTrailers(scene.message)?.clusterUid, BLUE)
    const workload = { kind: 'WorkloadSnapshot', apiVersion: 'nodefit.dev/v1alpha1', metadata: { name: 'prod' } }
    scene.add(apiNode('new', 'c5.large'))
    scene.turn({ ...workload, spec: { cluster: 'prod', nodes: [] } })
    assert.match(scene.read(INVENTORY.replace('inventory', 'workload')), `  cluster: prod\n  clusterUid: ${BLUE}\n`)
    scene.end()
  })
  test('once it is known, is one commit without a restart', () => {
    for (const settings of [RENDERED, { guards: GUARDS }, { guards: GUARDS, packages: [] }]) {
      const scene = written(settings, null)
      const before = scene.files()
      assert.is(scene.after(0), 'unchanged')
      scene.clusterUid = BLUE
      const evaluation = scene.turn()
      assert.is(evaluation.kind, 'commit')
      const restarts = evaluation.findings.filter(({ code }) => code === 'PodsRestart')
      assert.equal(restarts, [])
      const withoutUid = Object.entries(scene.files()).map(([name, text]) => [
        name,
        text.replaceAll(/^.*(clusterUid|cluster-uid|observedAt): .*\n/gm, ''),
      ])
      const plain = Object.entries(before).map(([name, text]) => [name, text.replaceAll(/^.*observedAt: .*\n/gm, '')])
      assert.equal(withoutUid, plain)
      assert.is(scene.after(MINUTE), 'unchanged')
      scene.end()
    }
  })
  test('that may not be read any more stays as it is, and nothing is compared', () => {
    const scene = written()
    scene.clusterUid = undefined
    scene.add(apiNode('new', 'c5.large'))
    assert.is(scene.after(0), 'rendered')
    assert.match(scene.read(INVENTORY), BLUE)
    for (const [name, text] of Object.entries(scene.files()))
      if (/daemonset.*m5/.test(name)) assert.match(text, `cluster-uid: ${BLUE}`)
    scene.end()
  })
  for (const settings of [
    RENDERED,
    { guards: GUARDS },
    { guards: GUARDS, packages: [] },
    { counts: true, guards: GUARDS },
  ])
    test(`of another one is refused, whatever is written (${JSON.stringify(settings).slice(0, 40)})`, () => {
      const scene = replaced(written(settings))
      const before = scene.files()
      const word = scene.after(0)
      assert.match(word, /^stopped: ClusterReplaced: clusters\/prod\/nodes is of a cluster prod with the uid 10000000/)
      assert.match(word, `nodefit sync ack --cluster prod --cluster-uid ${GREEN} --replaces ${BLUE})"`)
      acknowledge(scene)
      assert.match(scene.after(MINUTE), /^stopped: ClusterReplaced/, 'what accepts guards accepts no other cluster')
      assert.equal(scene.files(), before)
      scene.end()
    })
  test('is known by the newest commit where somebody removed it from the inventory, or the inventory itself', () => {
    const scene = written()
    scene.own = { clusterUid: BLUE }
    scene.write(INVENTORY, scene.read(INVENTORY).replace(/ {2}clusterUid: .*\n/, ''))
    replaced(scene)
    assert.match(scene.after(0), /^stopped: ClusterReplaced/)
    scene.remove(INVENTORY)
    assert.match(scene.after(0), /^stopped: ClusterReplaced/)
    scene.end()
  })
  test('is known by its inventory, where the newest trailers are of the cluster before', () => {
    const scene = written()
    scene.own = { clusterUid: RED }
    scene.restart()
    assert.is(scene.after(0), 'unchanged')
    scene.end()
  })
  test('without one yet is that of most of its nodes', () => {
    const scene = written(RENDERED, null)
    replaced(scene)
    assert.match(
      scene.after(0),
      /^stopped: ClusterNotProved: clusters\/prod\/nodes has no clusterUid yet, and this cluster has 0 of its 12 nodes/,
    )
    scene.nodes.clear()
    for (let index = 5; index < 17; index++) scene.add(apiNode(`blue-${index}`))
    assert.is(scene.after(0), 'rendered', 'seven of twelve are here')
    scene.end()
    const held = replaced(written(RENDERED, null))
    acknowledge(held, { clusterUid: RED })
    assert.match(held.after(0), /^stopped: ClusterNotProved/)
    acknowledge(held, { clusterUid: GREEN })
    assert.match(held.after(0), 'rendered')
    held.end()
  })
  test('takes the place of another by an acknowledgement that names both, and the other is refused from then on', () => {
    const scene = replaced(written())
    for (const uids of [{ replaces: RED }, { clusterUid: RED, replaces: BLUE }, { clusterUid: GREEN }]) {
      acknowledge(scene, uids)
      assert.match(scene.after(0), /^stopped: ClusterReplaced/)
    }
    acknowledge(scene, { clusterUid: GREEN, replaces: BLUE })
    const evaluation = scene.turn()
    assert.is(wordFor(evaluation), 'rendered')
    const message = evaluation.kind === 'commit' ? evaluation.commit.message : ''
    assert.match(message, /^Nodefit-Allow: OutputOfOtherCluster$/m)
    assert.is(readTrailers(message)?.clusterUid, GREEN)
    scene.message = message
    assert.is(scene.after(MINUTE), 'unchanged')
    scene.restart()
    scene.clusterUid = BLUE
    assert.match(scene.after(0), /^stopped: ClusterReplaced: .* with the uid 20000000.*, and this one has 10000000/)
    scene.end()
  })
  test('that is smaller is held by the guards, too, until somebody accepts them', () => {
    const scene = replaced(written(), GREEN, 4)
    acknowledge(scene, { clusterUid: GREEN, replaces: BLUE })
    assert.match(scene.after(0), /^stopped: GuardTripped: agent: its groups had 12 nodes and would have 4/)
    scene.message += ackText({ cluster: 'prod', until: timeText(scene.now + HOUR), clusterUid: GREEN })
    assert.is(scene.after(0), 'rendered')
    scene.end()
  })
  test('is shown as it would be, where nothing is pushed', () => {
    const scene = replaced(written(), GREEN, 12)
    scene.add(apiNode('blue-3', 'c5.large'))
    scene.isLook = true
    const evaluation = scene.evaluate()
    if (evaluation.kind !== 'stopped' || evaluation.preview === undefined) throw new Error('it shows no commit')
    const { notes, summary, commit } = evaluation.preview
    assert.is(summary, 'agent: 1 group added, 3 changed, 13 pods restart')
    assert.match(commit.message, `Nodefit-Cluster-Uid: ${GREEN}`)
    assert.match(notes.join('\n'), /^1 of 12 nodes in Git are nodes of this cluster$/m)
    assert.match(notes.join('\n'), /PodsRestart: /)
    scene.end()
  })
})

suite('an acknowledgement', (test) => {
  const at = '2026-11-20T13:00:00Z'
  const until = Date.parse(at)
  const ROWS: ReadonlyArray<readonly [string, string, string | undefined, object]> = [
    ['of the name', ackText({ cluster: 'prod', until: at }), BLUE, { guardsUntil: until, replaces: [] }],
    ['of another name', ackText({ cluster: 'dev', until: at }), BLUE, { replaces: [] }],
    [
      'of this uid',
      ackText({ cluster: 'prod', until: at, clusterUid: BLUE }),
      BLUE,
      { guardsUntil: until, replaces: [] },
    ],
    ['of another uid', ackText({ cluster: 'prod', until: at, clusterUid: RED }), BLUE, { replaces: [] }],
    [
      'of any uid, where it is not known',
      ackText({ cluster: 'prod', until: at, clusterUid: RED }),
      undefined,
      { guardsUntil: until, replaces: [] },
    ],
    ['in place of another', ackText({ cluster: 'prod', until: at, replaces: RED }), BLUE, { replaces: [RED] }],
    ['in place of itself', ackText({ cluster: 'prod', until: at, replaces: BLUE }), BLUE, { replaces: [] }],
    ['with a word too many', `Nodefit-Ack: prod ${at} forever\n`, BLUE, { replaces: [] }],
    ['that has ended', ackText({ cluster: 'prod', until: timeText(until - 1000) }), BLUE, { replaces: [] }],
    ['without a time', 'Nodefit-Ack: prod tomorrow\n', BLUE, { replaces: [] }],
  ]
  for (const [name, message, clusterUid, want] of ROWS)
    test(name, () =>
      assert.equal(
        acknowledged(`x\n\n${message}`, { cluster: 'prod', time: until - 1, ...(clusterUid && { clusterUid }) }),
        want,
      ),
    )
})

suite('nodes that are others', (test) => {
  test('are held at the start and later, and never accepted by waiting', () => {
    const scene = replaced(written({ ...RENDERED, guards: { ...GUARDS, settle: MINUTE } }, null), null)
    assert.match(
      scene.after(0),
      /^stopped: NodesReplaced: 12 of 12 nodes in Git are gone, and others are in their place/,
    )
    for (const name of ['blue-1', 'blue-2']) scene.deleted.add(name)
    assert.match(scene.after(DAY), /^stopped: NodesReplaced/)
    acknowledge(scene)
    assert.is(scene.after(0), 'rendered')
    scene.message = ''
    scene.nodes.clear()
    for (let index = 0; index < 12; index++) scene.add(apiNode(`other-${index}`))
    assert.match(scene.after(MINUTE), /^stopped: NodesReplaced: 12 of 12 nodes of the last look are gone/)
    scene.end()
  })
  test('are those of the cluster at the start, whose uid proves it, however long it was stopped', () => {
    const scene = replaced(written(), BLUE)
    assert.not.match(scene.after(DAY), /^stopped/)
    scene.nodes.clear()
    for (let index = 0; index < 12; index++) scene.add(apiNode(`other-${index}`))
    assert.match(scene.after(MINUTE), /^stopped: NodesReplaced/, 'a running process has seen its nodes')
    scene.end()
  })
  test('are written once somebody accepts them, however few, and held no second time', () => {
    const scene = replaced(written({ guards: GUARDS, packages: [] }, null, 3), null, 0)
    for (let index = 0; index < 3; index++) scene.add(apiNode(`green-${index}`))
    assert.match(scene.after(0), /^stopped: NodesReplaced: 3 of 3 nodes in Git/)
    acknowledge(scene)
    assert.is(scene.after(0), 'inventory')
    scene.message = ''
    scene.restart()
    assert.is(scene.after(MINUTE), 'unchanged')
    scene.end()
  })
  test('are no others where they are merely gone, or more, or counted', () => {
    const scene = written({ guards: GUARDS, packages: [] }, null)
    for (const name of [...scene.nodes.keys()].slice(0, 8)) scene.nodes.delete(name)
    assert.is(wordFor(scene.turn()).startsWith('stopped'), false)
    for (let index = 0; index < 30; index++) scene.add(apiNode(`more-${index}`))
    assert.is(wordFor(scene.turn()).startsWith('stopped'), false)
    scene.end()
    const counted = replaced(written({ guards: GUARDS, packages: [], counts: true }, null), null)
    assert.not.match(counted.after(0), /^stopped/)
    counted.end()
  })
  test('are none in seven days of churn, with restarts: 220 nodes, two of five of them spot', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 2 }), (seed) => {
        let state = seed
        // Park and Miller's generator: the same nodes for the same seed
        const random = () => {
          state = (state * 48_271) % 2_147_483_647
          return state / 2_147_483_647
        }
        const scene = new Scene(RENDERED, AGENT)
        let count = 0
        const ends = new Map<string, number>()
        const lives = new Map<string, boolean>()
        const begin = (isSpot: boolean) => {
          const name = `node-${count++}`
          // from two hours to a day, or up to thirty days
          const [least, most] = isSpot ? [2 * HOUR, DAY] : [2 * HOUR, 30 * DAY]
          ends.set(name, scene.now + least * (most / least) ** random())
          lives.set(name, isSpot)
          scene.add(apiNode(name, isSpot ? 'm5.large' : 'm5.xlarge'))
        }
        for (let index = 0; index < 220; index++) begin(index % 5 < 2)
        scene.turn()
        let commits = 0
        for (let step = 0; step < 7 * 24; step++) {
          scene.now += HOUR
          for (const [name, end] of ends)
            if (end <= scene.now) {
              ends.delete(name)
              scene.nodes.delete(name)
              begin(lives.get(name) ?? false)
            }
          if (step % 20 === 19) scene.restart()
          const word = wordFor(scene.turn())
          assert.not.match(word, /^stopped/)
          if (word !== 'unchanged') commits++
        }
        scene.end()
        assert.ok(commits <= 30, `${commits} commits`)
      }),
      { numRuns: 1 },
    )
  })
})

suite('an inventory that somebody cut', (test) => {
  test('is written again, and lowers no guard', () => {
    for (const settings of [RENDERED, { guards: GUARDS }]) {
      const scene = new Scene({ ...settings, undoesEdits: true }, AGENT)
      scene.clusterUid = BLUE
      for (let index = 0; index < 12; index++) scene.add(apiNode(`blue-${index}`))
      scene.turn()
      const text = scene.read(INVENTORY)
      const cut = text.replace(/nodeCount: 12/, 'nodeCount: 3').replace(/(( {6}- blue-[0-9]+\n){9})/, '')
      assert.is.not(cut, text)
      scene.write(INVENTORY, cut)
      scene.own = { clusterUid: BLUE, inventory: text }
      scene.restart()
      for (const name of [...scene.nodes.keys()].slice(0, 9)) scene.nodes.delete(name)
      scene.add(apiNode('c', 'c5.large'))
      assert.match(scene.after(HOUR), /^stopped: GuardTripped: agent: its groups had 12 nodes and would have 4/)
      for (let index = 0; index < 12; index++) scene.add(apiNode(`blue-${index}`))
      scene.nodes.delete('c')
      const evaluation = scene.turn()
      assert.is(wordFor(evaluation), 'inventory')
      assert.match(evaluation.kind === 'commit' ? evaluation.summary : '', 'undoes an edit of inventory.yaml')
      assert.is(scene.read(INVENTORY).replace(/observedAt: .*/, ''), text.replace(/observedAt: .*/, ''))
      scene.end()
    }
  })
})
