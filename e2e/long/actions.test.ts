/** Signed actions at length: mutations of the vectors beside a verifier in Go, and drawn courses. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { actCourse, type Held, leaseCourse } from '../../test/support/action-courses.ts'
import { KEYS, mutation, verdict } from '../../test/support/action-mutations.ts'
import { suite } from '../../test/support/suite.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { inFolder, ROOT, run } from '../support/hosts.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'

const MUTATIONS = sampled(100_000, 5_000)
const [LEASES, ACTS, ON_CLUSTER] = [sampled(5_000, 100), sampled(300, 10), sampled(200, 8)]
const isHere = CONTROL_PLANE.every(has)
const cluster = isHere ? await startCluster() : undefined

suite('mutated actions', (test) => {
  test(`${MUTATIONS} are valid where they say the same, and a verifier in Go says what nodefit says`, () => {
    const all = Array.from({ length: MUTATIONS }, (_, number) => mutation(number))
    const said = all.map(({ object }) => verdict(object))
    for (const [index, { name, isSame, object }] of all.entries())
      assert.is(said[index]?.startsWith('valid'), isSame, `${index}, ${name}: ${JSON.stringify(object)}`)
    if (!has('go')) return
    inFolder((folder) => {
      const [program, input] = [join(folder, 'verify'), join(folder, 'input')]
      const sources = ['verify.go', 'explain.go'].map((file) => join(ROOT, 'e2e/support/actions', file))
      does(run('go', ['build', '-o', program, ...sources]))
      // what JavaScript cannot write as JSON is no input of another verifier
      const lines = all.map(({ object }) => JSON.stringify({ object, keys: KEYS }))
      writeFileSync(input, `${lines.join('\n')}\n`)
      const answers = does(run('sh', ['-c', `${program} < ${input}`]))
        .trimEnd()
        .split('\n')
      assert.is(answers.length, all.length)
      // nodefit refuses a valid signature of what is no action
      for (const [index, answer] of answers.entries()) assert.is(answer, said[index], `${index}: ${lines[index]}`)
    })
  })
})

suite('drawn courses of actions', (test) => {
  test(`after ${LEASES} of leases no node is held that no valid action holds`, () => {
    for (let seed = 0; seed < LEASES; seed++) assert.is(leaseCourse(seed), undefined, `course ${seed}`)
  })
  test(`in ${ACTS} of acts, killed at each step, no act runs twice`, () => {
    for (let seed = 0; seed < ACTS; seed++) assert.equal(actCourse(seed), [], `course ${seed}`)
  })
})

suite('drawn courses of leases on a real API server', (test) => {
  test('what it needs is here, or said', () => assert.ok(isHere || cluster === undefined))
  if (cluster === undefined) return
  const { kubectl, stop } = cluster
  const name = 'small-000002'
  const labels = { rack: 'r1' }
  const live = () => JSON.parse(does(kubectl(['get', 'node', name, '-o', 'json'])))
  /** Applies a document to the node as a tool does, and gives what the node has then. */
  const applied = (uid: string) => (document: { metadata: object }) => {
    const object = { ...document, metadata: { ...document.metadata, uid } }
    does(
      kubectl(
        ['apply', '--server-side', '--force-conflicts', '--field-manager=tool', '-f', '-'],
        JSON.stringify(object),
      ),
    )
    const { metadata, spec } = live()
    const held: Held = {
      unschedulable: spec.unschedulable,
      labels: Object.keys(metadata.labels ?? {}).filter((key) => !Object.hasOwn(labels, key)),
      mark: metadata.annotations?.['nodefit.dev/actions'],
      proof: metadata.annotations?.['nodefit.dev/signed-action'],
    }
    return held
  }
  test(`after ${ON_CLUSTER} no node is held that no valid action holds`, () => {
    for (let seed = 0; seed < ON_CLUSTER; seed++) {
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
      does(kubectl(['create', '-f', '-'], JSON.stringify(node)))
      assert.is(leaseCourse(seed, applied(live().metadata.uid)), undefined, `course ${seed}`)
      does(kubectl(['delete', 'node', name]))
    }
  })
  test('the control plane is stopped', () => stop())
})
