/**
 * Packages that somebody without a key wrote, at length: in one process, through the command, and through the engine of
 * nodefit sync. A verifier in Go explains what came out by what was signed, or names what it cannot.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { objectsIn } from '../../src/host/files/objects-in.ts'
import { evaluate } from '../../src/host/sync/effect/evaluate.ts'
import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { formatDuration } from '../../src/kube/index.ts'
import { apiNode, projected } from '../../test/support/api-nodes.ts'
import { type NoKeyWorld, noKeyNodes, noKeyWorld, renderNoKey, unexplained } from '../../test/support/no-key.ts'
import { suite } from '../../test/support/suite.ts'
import { Scene } from '../../test/support/sync-repository.ts'
import { COMMAND, inFolder, ROOT, run } from '../support/hosts.ts'
import { does } from '../support/objects.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'

const [IN_PROCESS, BY_COMMAND, BY_SYNC] = [sampled(20_000, 500), sampled(300, 8), sampled(500, 20)]
const isOfNode = ({ kind }: KubernetesObject) => kind === 'Job' || kind === 'Node'
const draw = (world: NoKeyWorld, numRuns: number, seed: number) => fc.sample(world.package, { numRuns, seed })

/** Asks the verifier in Go for what no signed action explains; a line for each list of objects. */
function notExplained(world: NoKeyWorld, all: ReadonlyArray<readonly KubernetesObject[]>): string[] {
  return inFolder((folder) => {
    const [program, input] = [join(folder, 'verify'), join(folder, 'input')]
    const sources = ['verify.go', 'explain.go'].map((file) => join(ROOT, 'e2e/support/actions', file))
    does(run('go', ['build', '-o', program, ...sources]))
    const { at, trust, signed } = world
    const first = { at, trust, limits: trust.keys, controlPlane: ['cp-1'], signed: Object.values(signed) }
    const lines = [first, ...all.map((objects) => objects.filter(isOfNode))].map((line) => JSON.stringify(line))
    writeFileSync(input, `${lines.join('\n')}\n`)
    const said = does(run('sh', ['-c', `${program} explain < ${input}`]))
      .trimEnd()
      .split('\n')
    assert.is(said.length, all.length)
    return said.flatMap((line, index) => (line === 'explained' ? [] : [`${index}: ${line}`]))
  })
}

/** Checks what came out of packages, and that something did. */
function checked(world: NoKeyWorld, all: ReadonlyArray<readonly KubernetesObject[]>): void {
  assert.equal(
    all.flatMap((objects) => unexplained(objects)),
    [],
  )
  assert.ok(
    all.some((objects) => objects.some(({ kind }) => kind === 'Job')),
    'no Job came out at all',
  )
  assert.ok(
    all.some((objects) => objects.some(({ kind }) => kind === 'Node')),
    'no Node came out at all',
  )
  if (has('go')) assert.equal(notExplained(world, all), [])
}

suite('packages that somebody without a key wrote', (test) => {
  test('the verifier in Go explains what is honest, and nothing that is not', () => {
    if (!has('go')) return
    const world = noKeyWorld(new Date('2026-01-15T10:00:00Z'))
    const made = renderNoKey(world, world.honest).items.map(({ object }) => object)
    const changed = (change: (object: KubernetesObject) => KubernetesObject) => made.map(change)
    const evil = changed((object) => JSON.parse(JSON.stringify(object).replace('"drain","small', '"drain","large')))
    const account = changed((object) => JSON.parse(JSON.stringify(object).replace('nodefit-drain', 'nodefit-evict')))
    const image = changed((object) => JSON.parse(JSON.stringify(object).replace('sha256:a', 'sha256:b')))
    const field = changed((object) =>
      JSON.parse(JSON.stringify(object).replace('"backoffLimit"', '"parallelism":2,"x"')),
    )
    const label = changed((object) => JSON.parse(JSON.stringify(object).replace('"team":"a"', '"team":"b"')))
    const said = notExplained(world, [made, evil, account, image, field, label])
    assert.equal(
      said.map((line) => line.slice(0, 1)),
      ['1', '2', '3', '4', '5'],
    )
  })
  test(`of ${IN_PROCESS} in one process each Job and field of a Node is explained`, () => {
    const world = noKeyWorld(new Date('2026-01-15T10:00:00Z'))
    const all = draw(world, IN_PROCESS, 7).map((objects, number) => {
      const made = renderNoKey(world, objects, number)
      return made.failed ? [] : made.items.map(({ object }) => withoutWireAnnotations(object)).filter(isOfNode)
    })
    checked(world, all)
  })
  test(`of ${BY_COMMAND} through the command`, () => {
    // the host has a clock, so the packages are of this hour
    const world = noKeyWorld(new Date(Math.floor(Date.now() / 1000) * 1000))
    const trust = writeYaml(trustDocument(world))
    const all = inFolder((folder) =>
      draw(world, BY_COMMAND, 8).map((objects, number) => {
        const file = join(folder, `${number}.yaml`)
        writeFileSync(file, objects.map((one) => writeYaml(withoutWireAnnotations(one))).join('---\n'))
        const made = run(process.execPath, [COMMAND, 'build', file, '--trust', 'env:TRUST'], {
          env: { TRUST: trust },
        })
        if (made.status !== 0) assert.is(made.stdout, '', 'nothing comes out of a run that fails')
        return objectsIn(made.stdout, 'output').map(({ value }) => value as KubernetesObject)
      }),
    )
    checked(world, all)
  })
  test(`of ${BY_SYNC} through the engine of nodefit sync`, () => {
    const world = noKeyWorld(new Date('2026-01-15T10:00:00Z'))
    const all = draw(world, BY_SYNC, 9).map((objects, number) => {
      const settings = { cluster: 'prod-eu1', uid: true, output: 'rendered', undoesEdits: true, labels: LABELS }
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nodefit-actions' } }
      const mine = objects.filter(({ kind }) => kind !== 'NodeInventory').map(withoutWireAnnotations)
      // what earlier runs would have left lies in the package, or in the folder of the output
      const isLeft = (one: KubernetesObject) => number % 2 === 0 && isOfNode(one)
      const scene = new Scene(settings, [namespace, ...mine.filter((one) => !isLeft(one))])
      for (const [index, one] of mine.filter(isLeft).entries())
        scene.write(`rendered/${one.kind.toLowerCase()}_${index}.yaml`, writeYaml(one))
      for (const { name, labels, taints, uid } of noKeyNodes()) {
        const node = apiNode(name)
        scene.add({ ...node, metadata: { ...node.metadata, labels, uid }, spec: { taints: [...taints] } })
      }
      try {
        const evaluation = evaluate({
          checkout: { commit: `c${number}`, path: scene.path },
          nodes: projected(scene.nodes.values(), LABELS),
          now: world.at,
          memory: scene.memory,
          settings: scene.settings,
          trust: () => world.trust,
        })
        if (evaluation.kind !== 'commit') return []
        const { write } = evaluation.commit.changes
        return [...write].flatMap(([path, text]) =>
          path.startsWith('rendered/')
            ? objectsIn(text, path)
                .map(({ value }) => value as KubernetesObject)
                .filter(isOfNode)
            : [],
        )
      } finally {
        scene.end()
      }
    })
    checked(world, all)
  })
})

const LABELS = ['pool', 'team', 'node-role.kubernetes.io/control-plane']

/** The trust of a world as the operator's file has it. */
function trustDocument({ trust }: NoKeyWorld): KubernetesObject {
  const keys = Object.entries(trust.keys).map(([keyId, { alg, key, types }]) => ({
    ...{ keyId, alg, [alg === 'Ed25519' ? 'public' : 'secret']: key },
    ...(types === undefined ? {} : { types }),
  }))
  const { cluster, types, images, signatures, namespace, maxLifetime, maxClockSkew } = trust
  const duration = (milliseconds: number) => formatDuration(BigInt(milliseconds) * 1_000_000n)
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'ActionTrust',
    metadata: { name: 'trust' },
    spec: {
      ...{ cluster, keys, types, images: images?.map((image) => image.slice(image.indexOf('sha256:'))), signatures },
      retired: Object.keys(trust.keys).filter((id) => trust.keys[id]?.isRetired === true),
      job: { namespace },
      ...{ maxLifetime: duration(maxLifetime), maxClockSkew: duration(maxClockSkew) },
    },
  }
}
