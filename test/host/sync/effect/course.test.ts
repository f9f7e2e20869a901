/**
 * What comes of a fleet in the course of time: debounce, retention, schedules, renders that fail and guards that stop.
 */

import { readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { evaluate } from '../../../../src/host/sync/effect/evaluate.ts'
import { newMemory } from '../../../../src/host/sync/effect/evaluation.ts'
import { ackText } from '../../../../src/host/sync/effect/whose-folder.ts'
import { writeYaml } from '../../../../src/krm/write-yaml.ts'
import { timeText } from '../../../../src/kube/index.ts'
import { type ApiNode, apiNode, projected, turned } from '../../../support/api-nodes.ts'
import { config, daemonSet, policy, TYPE } from '../../../support/objects.ts'
import { order, recurring } from '../../../support/orders.ts'
import { suite } from '../../../support/suite.ts'
import { DAY, HOUR, INVENTORY, MINUTE, Scene, wordFor } from '../../../support/sync-repository.ts'

const AGENT = [
  policy({
    nodeGroupLabel: TYPE,
    resourcePercentages: { requestMemory: 10, requestCPU: 2, limitCPU: null, limitMemory: null },
  }),
  daemonSet(),
]
const OUTPUT = { output: 'rendered' }
const SECOND = 1000

const fleetOf = (scene: Scene, count = 8) =>
  scene.add(
    ...Array.from({ length: count }, (_, index) => apiNode(`a${index + 1}`)),
    apiNode('b1', 'm5.xlarge', 15_000_000),
  )

const podOf = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'agent', image: 'agent:1' }] },
})

/** A scene whose first commit was an hour ago. */
function running(settings: ConstructorParameters<typeof Scene>[0], policies = AGENT): Scene {
  const scene = new Scene(settings, policies)
  fleetOf(scene)
  scene.turn()
  scene.now += HOUR
  return scene
}

const untilOf = (scene: Scene) => {
  const { until } = scene.evaluate()
  return until === undefined ? undefined : until.getTime() - scene.now
}

suite('evaluations in the course of time', (test) => {
  test('Ready that goes and comes within the debounce makes no commit; beyond it each turn makes one', () => {
    const scene = running(OUTPUT, [order()])
    const turn = (status: 'True' | 'False') => scene.change('a1', (node) => turned(node, status, scene.now))
    for (let flap = 0; flap < 5; flap++) {
      turn('False')
      assert.is(scene.after(MINUTE), 'unchanged')
      turn('True')
      assert.is(scene.after(MINUTE), 'unchanged')
    }
    scene.now += HOUR
    turn('False')
    assert.is(untilOf(scene), 2 * MINUTE)
    assert.is(scene.after(2 * MINUTE - SECOND), 'unchanged')
    assert.is(scene.after(SECOND), 'rendered')
    turn('True')
    assert.is(scene.after(MINUTE), 'unchanged')
    assert.is(scene.after(MINUTE), 'rendered')
    scene.end()
  })
  for (const [name, intervals, wanted] of [
    ['a policy asks for a shorter interval', ['90s'], 90],
    ['the shortest of several counts', ['1h', '5m'], 300],
    ['no less than ten seconds', ['1ms'], 10],
    ['none asks', [undefined], undefined],
  ] as const)
    test(`until, where ${name}`, () => {
      const policies = intervals.flatMap((reconcileInterval, index) => {
        const name = `agent-${index}`
        const app = { matchLabels: { app: name } }
        const target = { ...daemonSet({}, { name }), spec: { selector: app, template: podOf(name) } }
        return [policy({ nodeGroupLabel: TYPE, targetRef: { name }, reconcileInterval }, `policy-${index}`), target]
      })
      const scene = running({}, policies)
      const { until } = scene.evaluate()
      assert.is(until === undefined ? undefined : (until.getTime() - scene.now) / SECOND, wanted)
      scene.end()
    })
  test('a new node counts as it is, at once', () => {
    const scene = running(OUTPUT, [order()])
    scene.add(turned(apiNode('a9'), 'True', scene.now))
    assert.is(scene.after(0), 'rendered')
    scene.end()
  })
  test('where Git only counts nodes, what is remembered does for the debounce', () => {
    const scene = running({ counts: true, packages: [] }, [])
    scene.evaluate()
    scene.change('a1', (node) => turned(node, 'False', scene.now))
    const ready = () => {
      const evaluation = scene.evaluate()
      return evaluation.until === undefined ? 'counted' : 'waits'
    }
    assert.is(ready(), 'waits')
    scene.now += 2 * MINUTE
    assert.is(ready(), 'counted')
    scene.end()
  })

  for (const settings of [OUTPUT, {}]) {
    const mode = settings === OUTPUT ? 'rendered output' : 'an inventory alone'
    test(`a kind of node stays for retainShapes after its last node, and then its group goes, with ${mode}`, () => {
      const scene = running(settings)
      scene.nodes.delete('b1')
      scene.evaluate()
      const gone = scene.now
      assert.is(scene.after(HOUR), 'unchanged')
      const words: string[] = []
      while (scene.now < gone + 14 * DAY - HOUR)
        words.push(scene.after(scene.now === gone + HOUR ? 4 * HOUR : 6 * HOUR))
      assert.is(words.filter((word) => word !== 'unchanged').length, 1, 'told once')
      assert.match(scene.read(INVENTORY), /emptySince: "?2026-11-20T13:00:00Z/)
      assert.is(untilOf(scene), HOUR)
      assert.is(scene.after(HOUR), settings === OUTPUT ? 'rendered' : 'inventory')
      assert.not.match(scene.read(INVENTORY), 'm5.xlarge')
      assert.is(scene.after(HOUR), 'unchanged')
      scene.end()
    })
  }
  test('restarts neither shorten nor end the time for which a kind is kept', () => {
    const scene = running({})
    scene.nodes.delete('b1')
    const gone = scene.now
    for (let step = 1; scene.now < gone + 17 * DAY; step++) {
      scene.after(3 * HOUR)
      if (step % 10 === 0) scene.restart()
      if (scene.now < gone + 14 * DAY) assert.match(scene.read(INVENTORY), 'm5.xlarge')
    }
    assert.not.match(scene.read(INVENTORY), 'm5.xlarge')
    scene.end()
  })
  test('a kind that comes back is one with nodes again, with the amounts that Git has', () => {
    const scene = running(OUTPUT)
    scene.nodes.delete('b1')
    scene.after(HOUR)
    assert.is(scene.after(DAY), 'inventory')
    assert.match(scene.read(INVENTORY), 'emptySince')
    scene.add(apiNode('b2', 'm5.xlarge', 15_001_000))
    assert.is(scene.after(HOUR), 'inventory')
    assert.is(scene.after(HOUR), 'unchanged')
    assert.not.match(scene.read(INVENTORY), 'emptySince')
    assert.match(scene.read(INVENTORY), 'memory: 15000000Ki')
    scene.end()
  })
  for (const settings of [OUTPUT, {}])
    for (const isRestarted of [false, true])
      test(`a kind that comes back is kept from its new last node on${isRestarted ? ', after a restart, too' : ''} (${settings === OUTPUT ? 'rendered' : 'inventory'})`, () => {
        const scene = running(settings)
        scene.nodes.delete('b1')
        scene.after(HOUR)
        assert.is(scene.after(DAY), 'inventory')
        scene.add(apiNode('b2', 'm5.xlarge', 15_000_000), apiNode('b3', 'm5.xlarge', 15_000_000))
        assert.is(scene.after(DAY), 'inventory')
        if (isRestarted) scene.restart()
        assert.is(scene.after(20 * DAY), 'unchanged')
        scene.nodes.delete('b2')
        scene.nodes.delete('b3')
        assert.is(scene.after(HOUR), 'unchanged')
        // one that is known to come and go is told later
        const told = isRestarted ? DAY : 2 * DAY
        assert.is(untilOf(scene), told)
        assert.is(scene.after(told), 'inventory')
        assert.match(scene.read(INVENTORY), 'm5.xlarge')
        scene.end()
      })
  test('a kind that comes back within a day is told when the day is over, and kept from its new last node on', () => {
    const scene = running({})
    scene.nodes.delete('b1')
    scene.add(apiNode('c1', 'c5.large'))
    assert.is(scene.after(0), 'inventory')
    assert.match(scene.read(INVENTORY), 'emptySince')
    scene.add(apiNode('b2', 'm5.xlarge', 15_000_000))
    assert.is(scene.after(HOUR), 'unchanged')
    assert.is(untilOf(scene), 23 * HOUR)
    scene.nodes.delete('b2')
    assert.is(scene.after(HOUR), 'unchanged')
    assert.is(scene.after(22 * HOUR), 'inventory')
    assert.match(scene.read(INVENTORY), /emptySince: "?2026-11-20T15:00:00Z/)
    assert.is(scene.after(13 * DAY + HOUR), 'unchanged')
    assert.is(scene.after(HOUR), 'inventory')
    assert.not.match(scene.read(INVENTORY), 'm5.xlarge')
    scene.end()
  })
  for (const hasRestarts of [false, true])
    test(`a kind that comes and goes makes few commits, and is kept as long as is promised${hasRestarts ? ', but for a day after restarts' : ''}`, () => {
      const step = fc.record({
        hours: fc.constantFrom(1, 5, 13, 23, 25, 30, 60),
        how: fc.constantFrom('turn', 'turn', 'stay', hasRestarts ? 'restart' : 'stay'),
      })
      fc.assert(
        fc.property(fc.array(step, { minLength: 10, maxLength: 20 }), (steps) => {
          const retained = 4 * DAY
          const scene = running({ packages: [], retainShapes: retained }, [])
          const [began, kind] = [scene.now, () => scene.read(INVENTORY).includes('m5.xlarge')]
          let [commits, lastSeen, wasDropped] = [0, scene.now, false]
          for (const { hours, how } of steps) {
            if (how === 'restart') scene.restart()
            if (how === 'turn' && !scene.nodes.delete('b1')) scene.add(apiNode('b1', 'm5.xlarge', 15_000_000))
            for (let hour = 0; hour < hours; hour++) {
              if (scene.nodes.has('b1')) lastSeen = scene.now
              const word = scene.after(0)
              if (word !== 'unchanged') commits++
              const promised = lastSeen + retained - (hasRestarts ? DAY : 0)
              if (scene.now < promised) assert.ok(kind(), `gone ${(promised - scene.now) / HOUR} hours too early`)
              wasDropped ||= !kind()
              scene.now += HOUR
            }
          }
          if (!hasRestarts && !wasDropped) assert.ok(commits <= (scene.now - began) / DAY + 2, `${commits} commits`)
          scene.end()
        }),
        { numRuns: 12 },
      )
    })
  test('a cordoned or tainted node, or one of a newer image, leaves no kind behind that has to be kept', () => {
    const scene = running(OUTPUT, [order()])
    for (const name of scene.nodes.keys())
      scene.change(name, (node) => ({
        ...node,
        spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
        status: { ...node.status, nodeInfo: { osImage: 'Amazon Linux 2027' } },
      }))
    scene.turn()
    assert.not.match(scene.read(INVENTORY), 'emptySince')
    scene.end()
  })
  test('a kind whose last node was not ready is kept as one that says nothing of its nodes', () => {
    const scene = running(OUTPUT, [order()])
    scene.change('b1', (node) => turned(node, 'False', scene.now - HOUR))
    assert.is(scene.after(0), 'rendered')
    assert.match(scene.read(INVENTORY), 'node.kubernetes.io/not-ready')
    scene.nodes.delete('b1')
    scene.add(apiNode('a9'))
    assert.is(scene.after(MINUTE), 'rendered')
    assert.match(scene.read(INVENTORY), /m5\.xlarge\n(?:.*\n)*.*emptySince/)
    assert.not.match(scene.read(INVENTORY), /not-ready|ready: "?False/)
    scene.end()
  })
  test('another choice of labels keeps no kind of which there are nodes', () => {
    const scene = running({})
    const more = new Scene({ labels: ['kubernetes.io/hostname'] }, AGENT)
    for (const [path, text] of Object.entries(scene.files())) more.write(path, text)
    fleetOf(more)
    more.nodes.set('c1', apiNode('c1', 'c5.large', 3_000_000))
    more.now = scene.now
    assert.is(more.after(0), 'inventory')
    assert.not.match(more.read(INVENTORY), 'emptySince')
    scene.end()
    more.end()
  })

  test('the fire of a schedule is when to look again, and makes a commit', () => {
    for (const settings of [OUTPUT, {}]) {
      const scene = running(settings, [order(recurring('0 18 * * *', 'Always'), { duration: '48h' })])
      assert.is(untilOf(scene), 5 * HOUR)
      assert.is(scene.after(5 * HOUR - SECOND), 'unchanged')
      assert.is(scene.after(SECOND), settings === OUTPUT ? 'rendered' : 'inventory')
      assert.is(scene.after(MINUTE), 'unchanged')
      scene.end()
    }
  })
  test('a paced rollout goes on when its time has come', () => {
    const spec = { nodeGroupLabel: TYPE, rollout: { maxNodes: 8, every: '10m' } }
    const scene = running(OUTPUT, [
      policy({ ...spec, resourcePercentages: { requestMemory: 10, limitMemory: 20 } }),
      daemonSet(),
    ])
    const text = scene.read('policies/policies.yaml')
    scene.write('policies/policies.yaml', text.replace('requestMemory: 10', 'requestMemory: 11'))
    assert.is(scene.after(0), 'rendered')
    assert.is(untilOf(scene), 10 * MINUTE)
    assert.is(scene.after(10 * MINUTE - SECOND), 'unchanged')
    assert.is(scene.after(SECOND), 'rendered')
    assert.is(scene.after(MINUTE), 'unchanged')
    assert.is(untilOf(scene), undefined)
    scene.end()
  })

  for (const settings of [OUTPUT, {}]) {
    test(`a render that fails: the inventory is committed once, and the output stays (${settings === OUTPUT ? 'rendered' : 'inventory'})`, () => {
      const scene = running(settings)
      const rendered = () => Object.entries(scene.files()).filter(([path]) => path.startsWith('rendered/'))
      const before = rendered()
      const good = scene.read('policies/policies.yaml')
      scene.write('policies/policies.yaml', good.replace(TYPE, 'example.com/typo'))
      // what Git has fails as well: nothing new is to be said of the nodes
      assert.is(scene.after(MINUTE), 'unchanged, failing')
      scene.add(apiNode('c1', 'c5.large'))
      assert.is(scene.after(MINUTE), 'failed')
      assert.match(scene.read(INVENTORY), 'c5.large')
      assert.is(scene.after(MINUTE), 'unchanged, failing')
      scene.add(apiNode('a9'))
      assert.is(scene.after(MINUTE), 'unchanged, failing')
      assert.equal(rendered(), before)
      scene.write('policies/policies.yaml', good)
      assert.is(scene.after(MINUTE), settings === OUTPUT ? 'rendered' : 'unchanged')
      scene.end()
    })
  }
  for (const [name, path, text, sentence] of [
    ['YAML that nobody can read', 'policies/broken.yaml', 'a: [', /broken\.yaml/],
    ['a link out of the repository', 'policies/x.yaml', '', /links to a place outside the repository/],
  ] as const) {
    test(`${name} is a render that fails, and the output stays`, async () => {
      const scene = running(OUTPUT)
      if (text !== '') scene.write(path, text)
      else symlinkSync('/etc/hostname', `${scene.path}/${path}`)
      scene.commits++
      const evaluation = scene.evaluate()
      assert.is(wordFor(evaluation), 'unchanged, failing')
      assert.match('failure' in evaluation ? (evaluation.failure ?? '') : '', sentence)
      assert.not.match(JSON.stringify(evaluation), scene.path)
      scene.end()
    })
  }
  const map = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big}\ndata: {a: "${data}"}\n`
  for (const [name, make, sentence] of [
    [
      'a dangling link',
      ({ path }) => symlinkSync('gone.yaml', `${path}/policies/x.yaml`),
      'a link to gone.yaml, which',
    ],
    ['a loop of links', ({ path }) => symlinkSync('x.yaml', `${path}/policies/x.yaml`), 'a loop of links: remove it'],
    [
      'a name that is not UTF-8',
      (scene) => {
        scene.write('policies/x.yaml', 'a: b')
        const bytes = Buffer.concat([Buffer.from(`${scene.path}/policies/x`), Buffer.of(0xff), Buffer.from('.yaml')])
        renameSync(`${scene.path}/policies/x.yaml`, bytes)
      },
      'its name is not UTF-8: rename it',
    ],
    ['text that is not UTF-8', ({ path }) => writeFileSync(`${path}/policies/x.yaml`, Buffer.of(0xff)), 'NotText: '],
    [
      'JSON nested 100,000 deep',
      (scene) => scene.write('policies/x.json', '['.repeat(100_000) + ']'.repeat(100_000)),
      'YamlRefused: policies/x.json, document 1, is nested too deeply',
    ],
    [
      'a file beyond its limit',
      (scene) => scene.write('policies/x.yaml', map('y'.repeat(9 << 20))),
      'TooLarge: policies/x.yaml has 9 MiB, and a file may have 8 MiB',
    ],
    [
      'packages beyond their limit',
      (scene) => {
        for (let file = 0; file < 3; file++) scene.write(`policies/x${file}.yaml`, map('y'.repeat(5 << 20)))
      },
      /TooLarge: the packages have 15\S* MiB and may have 12 MiB; the largest file is policies\/x0.yaml/,
    ],
    [
      'more than the memory holds',
      (scene) => scene.write('policies/x.yaml', map('y'.repeat(3 << 20))),
      /TooLarge: policies\/x.yaml and the files before it need about 75 MiB of memory, of which 64 MiB are left/,
    ],
  ] as Array<[string, (scene: Scene) => void, string | RegExp]>)
    for (const settings of [OUTPUT, {}])
      test(`${name} is named, the output stays, and the inventory goes on (${'output' in settings ? 'rendered' : 'inventory'})`, () => {
        const limits = { file: 8 << 20, packages: 12 << 20, memory: 64 << 20 }
        const scene = running({ ...settings, limits })
        const rendered = () =>
          settings === OUTPUT ? readdirSync(`${scene.path}/rendered`).map((file) => scene.read(`rendered/${file}`)) : []
        const before = rendered()
        make(scene)
        scene.commits++
        scene.add(apiNode('c1', 'c5.large'))
        scene.now += MINUTE
        const evaluation = scene.evaluate()
        assert.match('failure' in evaluation ? (evaluation.failure ?? '') : '', sentence)
        assert.not.match(JSON.stringify(evaluation.kind === 'commit' && evaluation.commit.message), scene.path)
        assert.is(wordFor(scene.turn()), 'failed')
        assert.match(scene.read(INVENTORY), 'c5.large')
        assert.equal(rendered(), before)
        assert.is(scene.after(MINUTE), 'unchanged, failing')
        scene.end()
      })
  test('a render that fails otherwise than what Git has is another fact', () => {
    const of = (name: string, type: string) => order({}, { nodeSelector: { [TYPE]: type } }, { name })
    const scene = running({}, [of('one', 'm5.large'), of('two', 'm5.xlarge')])
    const cordon = (wanted: RegExp) => {
      for (const name of scene.nodes.keys())
        if (wanted.test(name)) scene.change(name, (node) => ({ ...node, spec: { unschedulable: true } }))
    }
    cordon(/^a/)
    assert.is(scene.after(0), 'failed')
    assert.is(scene.after(MINUTE), 'unchanged, failing')
    cordon(/^b/)
    assert.is(scene.after(MINUTE), 'failed')
    assert.is(scene.after(MINUTE), 'unchanged, failing')
    scene.end()
  })
  test('a rollout that nobody has rendered yet is begun anew by each render, and makes no commit', () => {
    const spec = { nodeGroupLabel: TYPE, rollout: { maxNodes: 1, every: '10m' } }
    const policies = [policy({ ...spec, resourcePercentages: { requestMemory: 10, limitMemory: 20 } }), daemonSet()]
    const elsewhere = running(OUTPUT, policies)
    const scene = new Scene({}, policies)
    fleetOf(scene)
    for (const [path, text] of Object.entries(elsewhere.files()))
      if (path.startsWith('rendered/daemonset')) scene.write(path.replace('rendered/', 'policies/'), text)
    assert.is(scene.after(0), 'inventory')
    const text = scene.read('policies/policies.yaml')
    scene.write('policies/policies.yaml', text.replace('requestMemory: 10', 'requestMemory: 11'))
    assert.is(scene.after(MINUTE), 'unchanged')
    // a newer time lets the first group change
    assert.is(scene.after(HOUR), 'inventory')
    assert.is(scene.after(HOUR), 'unchanged')
    assert.is(scene.after(HOUR), 'unchanged')
    elsewhere.end()
    scene.end()
  })
  test('a guard that stops: nothing is committed, until somebody looked at it', () => {
    for (const settings of [OUTPUT, {}]) {
      const scene = running({ ...settings, retainShapes: 0 })
      const before = scene.files()
      for (const name of [...scene.nodes.keys()].slice(0, 6)) scene.nodes.delete(name)
      // in an inventory alone only what changes what is rendered is looked at
      scene.add(apiNode('c1', 'c5.large'))
      assert.match(scene.after(0), /^stopped: GuardTripped: agent: its groups had 9 nodes and would have 4/)
      assert.match(scene.after(HOUR), /^stopped/)
      assert.equal(scene.files(), before)
      scene.write('policies/config.yaml', writeYaml(config({ guards: { maxNodesLost: '90%' } })))
      assert.is(scene.after(0), settings === OUTPUT ? 'rendered' : 'inventory')
      scene.end()
    }
  })
  const GUARDS = { settle: 10 * MINUTE, maxGroupsAdded: 10, maxNodesReplaced: 100 }
  const SETTLING = { retainShapes: 0, guards: GUARDS }
  /** A scene that has lost 60 of 101 nodes. */
  function losing(settings: ConstructorParameters<typeof Scene>[0]): { scene: Scene; names: string[] } {
    const scene = new Scene(settings, AGENT)
    fleetOf(scene, 100)
    scene.turn()
    scene.now += HOUR
    const names = [...scene.nodes.keys()].slice(0, 60)
    for (const name of names) scene.nodes.delete(name)
    // in an inventory alone only what changes what is rendered is looked at
    scene.add(apiNode('c1', 'c5.large'))
    return { scene, names }
  }
  for (const settings of [{ ...SETTLING, ...OUTPUT }, SETTLING]) {
    const mode = 'output' in settings ? 'rendered' : 'inventory'
    test(`a loss that the API server reports as deletions settles by itself (${mode})`, () => {
      const { scene, names } = losing(settings)
      for (const name of names) scene.deleted.add(name)
      assert.match(scene.after(0), /^stopped: GuardTripped: agent: its groups had 101 nodes and would have 42/)
      assert.is(untilOf(scene), 10 * MINUTE)
      assert.match(scene.after(10 * MINUTE - SECOND), /^stopped/)
      scene.now += SECOND
      const evaluation = scene.turn()
      assert.is(wordFor(evaluation), mode)
      assert.match(
        evaluation.kind === 'commit' ? evaluation.commit.message : '',
        /A guard held this, and it is accepted: GuardTripped: .*the loss of 60 nodes is confirmed for 600 s/,
      )
      assert.match(evaluation.kind === 'commit' ? evaluation.commit.message : '', /^Nodefit-Allow: GuardTripped$/m)
      assert.is(scene.after(MINUTE), 'unchanged')
      scene.end()
    })
    test(`a list that is merely short is not taken, one that two full lists confirm is (${mode})`, () => {
      const { scene, names } = losing(settings)
      const isStopped = (later: number) => assert.match(scene.after(later), /^stopped/)
      const { losses } = scene.memory
      const list = (more: readonly string[]) => losses.addList(new Set([...scene.nodes.keys(), ...more]), scene.now)
      isStopped(0)
      assert.ok(losses.needsList(scene.now, GUARDS.settle))
      list([])
      assert.not(losses.needsList(scene.now, GUARDS.settle))
      isStopped(10 * MINUTE)
      assert.ok(losses.needsList(scene.now, GUARDS.settle))
      // the second list shows what the first had not
      list(names)
      isStopped(0)
      isStopped(10 * MINUTE)
      list([])
      isStopped(10 * MINUTE)
      list([])
      assert.is(scene.after(0), mode)
      scene.end()
    })
  }
  test('nodes that come back start anew, and settle: 0 waits for a person', () => {
    const { scene, names } = losing({ ...SETTLING, ...OUTPUT })
    for (const name of names) scene.deleted.add(name)
    assert.match(scene.after(0), /^stopped/)
    for (const name of names) scene.add(apiNode(name))
    assert.is(scene.after(9 * MINUTE), 'rendered')
    for (const name of names) scene.nodes.delete(name)
    assert.match(scene.after(5 * MINUTE), /^stopped/)
    scene.end()
    const { scene: other, names: lost } = losing({ ...SETTLING, ...OUTPUT, guards: { ...GUARDS, settle: 0 } })
    for (const name of lost) other.deleted.add(name)
    assert.match(other.after(0), /^stopped/)
    assert.match(other.after(DAY), /^stopped/)
    other.end()
  })
  test('a policy that serves fewer nodes does not settle', () => {
    const scene = new Scene({ ...SETTLING, ...OUTPUT }, AGENT)
    fleetOf(scene)
    scene.turn()
    const text = scene.read('policies/policies.yaml')
    scene.write('policies/policies.yaml', text.replace('spec:\n', `spec:\n  nodeSelector: {${TYPE}: m5.xlarge}\n`))
    assert.match(scene.after(HOUR), /^stopped: GuardTripped/)
    assert.match(scene.after(HOUR), /^stopped: GuardTripped/)
    scene.end()
  })
  test('a commit accepts what a guard holds, for its cluster and until its end', () => {
    const { scene } = losing({ ...SETTLING, ...OUTPUT })
    const ack = (cluster: string, minutes: number) => {
      scene.message = `accept\n\n${ackText({ cluster, until: timeText(scene.now + minutes * MINUTE) })}`
    }
    ack('other', 60)
    assert.match(scene.after(0), /^stopped/)
    ack('prod', -1)
    assert.match(scene.after(0), /^stopped/)
    ack('prod', 60)
    assert.is(scene.after(MINUTE), 'rendered')
    scene.end()
  })
  test('groups that one kubelet floods are held back, others are not, and a commit accepts them', () => {
    const scene = new Scene({ ...SETTLING, ...OUTPUT }, AGENT)
    fleetOf(scene)
    scene.turn()
    const more = (count: number, prefix: string) => {
      for (let index = 0; index < count; index++) scene.add(apiNode(`${prefix}${index}`, `${prefix}${index}.large`))
    }
    more(6, 'x')
    assert.is(scene.after(MINUTE), 'rendered')
    assert.is(scene.after(MINUTE), 'unchanged')
    more(5, 'y')
    assert.match(
      scene.after(MINUTE),
      /^stopped: GroupsAdded: nodes add 5 groups, such as agent-y0-large, and 6 in the hour before; guards\.maxGroupsAdded is 10/,
    )
    assert.is(scene.after(HOUR), 'rendered')
    more(11, 'z')
    assert.match(scene.after(DAY), /^stopped: GroupsAdded/)
    scene.message = ackText({ cluster: 'prod', until: timeText(scene.now + HOUR) })
    assert.is(scene.after(0), 'rendered')
    scene.end()
  })
  test('what a commit accepts is no longer accepted once another one is the newest', () => {
    const scene = new Scene({ ...SETTLING, ...OUTPUT }, AGENT)
    fleetOf(scene)
    scene.turn()
    const flood = (prefix: string) => {
      for (let index = 0; index < 11; index++) scene.add(apiNode(`${prefix}${index}`, `${prefix}${index}.large`))
    }
    flood('x')
    scene.message = ackText({ cluster: 'prod', until: timeText(scene.now + HOUR) })
    assert.is(scene.after(0), 'rendered')
    // the controller's own commit is the newest one now
    scene.message = 'prod: 11 groups'
    flood('y')
    assert.match(scene.after(MINUTE), /^stopped: GroupsAdded/)
    // and so is the commit where it is reverted to
    scene.message = ackText({ cluster: 'prod', until: timeText(scene.now + HOUR) })
    assert.is(scene.after(MINUTE), 'rendered')
    scene.end()
  })
  test('a flood in one cluster stops no commit of another one in the same repository', () => {
    const scene = new Scene({ ...SETTLING, ...OUTPUT }, AGENT)
    fleetOf(scene)
    scene.turn()
    scene.write('policies-dev/policies.yaml', scene.read('policies/policies.yaml'))
    const dev = {
      settings: {
        ...scene.settings,
        ...{
          cluster: 'dev',
          folder: 'clusters/dev/nodes',
          packages: ['policies-dev'],
          output: 'clusters/dev/rendered',
        },
      },
      memory: newMemory(),
    }
    const turnOfDev = (names: readonly string[]) => {
      const checkout = { commit: `${scene.commits}`, path: scene.path }
      const nodes = projected(names.map((name) => apiNode(name)))
      const evaluation = evaluate({ checkout, nodes, now: new Date(scene.now), ...dev })
      if (evaluation.kind === 'commit')
        for (const [path, text] of evaluation.commit.changes.write) scene.write(path, text)
      return evaluation.kind
    }
    assert.is(turnOfDev(['d1', 'd2']), 'commit')
    for (let index = 0; index < 11; index++) scene.add(apiNode(`x${index}`, `x${index}.large`))
    assert.match(scene.after(MINUTE), /^stopped: GroupsAdded/)
    assert.is(turnOfDev(['d1', 'd2', ...Array.from({ length: 9 }, (_, index) => `e${index}`)]), 'commit')
    assert.match(scene.after(MINUTE), /^stopped: GroupsAdded/)
    scene.end()
  })
  test('in a small cluster nodes of known kinds that come and go make no commit', () => {
    const scene = new Scene(OUTPUT, AGENT)
    scene.add(apiNode('a1'), apiNode('a2'), apiNode('a3'))
    scene.turn()
    for (const change of [-1, 1, 1, 1, -1, -1, 1, 1, -1, -1, -1, 1]) {
      if (change > 0) scene.add(apiNode(`n${scene.now}`))
      else scene.nodes.delete([...scene.nodes.keys()].at(-1) ?? '')
      assert.is(scene.after(HOUR), 'unchanged')
    }
    scene.end()
  })
  test('a policy of another cluster stops', () => {
    const scene = running({})
    scene.write(
      'policies/policies.yaml',
      scene.read('policies/policies.yaml').replace('spec:\n', 'spec:\n  cluster: other\n'),
    )
    assert.match(scene.after(0), /^stopped: WrongCluster/)
    scene.end()
  })
  test('a commit that nobody takes stays the same one, until the nodes are others or its time has come', () => {
    const scene = running(OUTPUT, [order(recurring('0 18 * * *', 'Always'), { duration: '48h' })])
    scene.add(apiNode('a9'))
    const changesAfter = (milliseconds: number) => {
      scene.now += milliseconds
      const evaluation = scene.evaluate()
      return evaluation.kind === 'commit' ? JSON.stringify([...evaluation.commit.changes.write]) : evaluation.kind
    }
    const first = changesAfter(0)
    assert.match(first, 'infra-a9')
    assert.is(changesAfter(MINUTE), first)
    assert.is(changesAfter(HOUR), first)
    scene.add(apiNode('a10'))
    const second = changesAfter(MINUTE)
    assert.match(second, 'infra-a10')
    assert.is.not(changesAfter(5 * HOUR), second)
    scene.end()
  })
  test('output may stand in the owned folder', () => {
    const scene = running({ output: 'clusters/prod/nodes/rendered' })
    assert.is(scene.after(0), 'unchanged')
    scene.add(apiNode('c1', 'c5.large'))
    assert.is(scene.after(0), 'rendered')
    scene.end()
  })
  test('what is collected besides nodes is written beside them, and goes when it is no longer collected', () => {
    const scene = running(OUTPUT, [order(recurring('0 6 * * *', 'OnClaim'))])
    const name = /name: (infra-a1-\S+)/.exec(Object.values(scene.files()).join('\n'))?.[1] ?? ''
    const live = (phase: string) => ({
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'WorkloadSnapshot',
      metadata: { name: 'prod', annotations: { 'config.kubernetes.io/local-config': 'true' } },
      spec: {
        cluster: 'prod',
        observedAt: new Date(scene.now).toISOString(),
        tickets: [{ namespace: 'ns', name, order: 'infra', node: 'a1', phase, expiresAt: '2026-11-20T12:30:00Z' }],
      },
    })
    assert.is(scene.after(0, live('Claimed')), 'unchanged')
    assert.is(scene.after(0, live('Expired')), 'rendered')
    assert.match(scene.read('clusters/prod/nodes/workload.yaml'), 'WorkloadSnapshot')
    assert.is(scene.after(0, live('Expired')), 'unchanged')
    scene.add(apiNode('a9'))
    assert.is(scene.after(0), 'rendered')
    assert.is(scene.files()['clusters/prod/nodes/workload.yaml'], undefined)
    scene.end()
  })

  test('any churn of nodes of known kinds, in any order, makes no commit, and what was committed is as it was found', () => {
    const jitter = fc.integer({ min: -60_000, max: 60_000 })
    const change = fc.record({
      index: fc.nat({ max: 11 }),
      how: fc.constantFrom('replace', 'jitter', 'heartbeat', 'cordon', 'image'),
      by: jitter,
    })
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
        fc.boolean(),
        (changes, order, isRendered) => {
          const scene = new Scene(isRendered ? OUTPUT : {}, AGENT)
          const nodes: ApiNode[] = Array.from({ length: 12 }, (_, index) =>
            index % 3 === 0 ? apiNode(`b${index}`, 'm5.xlarge', 15_000_000) : apiNode(`a${index}`),
          )
          scene.add(...nodes)
          scene.turn()
          const committed = scene.files()
          for (const [step, { index, how, by }] of changes.entries()) {
            const node = nodes[index] as ApiNode
            const { name } = node.metadata
            const base = name.startsWith('b') ? 15_000_000 : 7_134_856
            const type = name.startsWith('b') ? 'm5.xlarge' : 'm5.large'
            const next: Record<string, () => ApiNode> = {
              replace: () => apiNode(`${name[0]}-new-${step}`, type, base + by),
              jitter: () => ({
                ...node,
                status: { ...node.status, allocatable: apiNode(name, type, base + by).status.allocatable },
              }),
              heartbeat: () => structuredClone(node),
              cordon: () => ({ ...node, spec: { unschedulable: by > 0 } }),
              image: () => ({ ...node, status: { ...node.status, nodeInfo: { osImage: `Linux ${by}` } } }),
            }
            nodes[index] = next[how]?.() ?? node
          }
          scene.nodes.clear()
          const shuffled = nodes.map((node, index) => ({ node, at: order[index] ?? 0 })).sort((a, b) => a.at - b.at)
          scene.add(...shuffled.map(({ node }) => node))
          assert.is(scene.after(HOUR), 'unchanged')
          assert.equal(scene.files(), committed)
          // forced by its age, it is committed once, and found as it was written
          const aged = new Scene({ ...scene.settings, maxAge: HOUR })
          for (const [path, text] of Object.entries(committed)) aged.write(path, text)
          aged.add(...shuffled.map(({ node }) => node))
          aged.now = scene.now
          assert.is(aged.after(0), 'age')
          const once = aged.files()
          aged.nodes.clear()
          aged.add(...nodes)
          assert.is(aged.after(MINUTE), 'unchanged')
          assert.is(aged.after(HOUR), 'age')
          const again = aged.files()
          const timeless = (text = '') => text.replaceAll(/observedAt: .*/g, '')
          assert.equal(Object.keys(again), Object.keys(once))
          for (const [path, text] of Object.entries(again)) assert.is(timeless(text), timeless(once[path]), path)
          aged.end()
          scene.end()
        },
      ),
      { numRuns: 25 },
    )
  })
})
