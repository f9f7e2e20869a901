/** On every host a name is used once: the number of the next claim outlives the last machine of a pool. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { openOutput, writeOutputFolder } from '../../../src/host/files/output-change.ts'
import { planItems } from '../../../src/host/files/rendering.ts'
import { renderWith } from '../../../src/host/sync/effect/rendered.ts'
import { isLocalConfig, withoutWireAnnotations } from '../../../src/krm/identity.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { highestNumbers, machineName, nextNumber } from '../../../src/plan/pool/output.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { decideObjects, type Scene, sceneObjects } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

/** A host: takes what a user and a cluster have, and returns the plan with what an earlier run left. */
type Host = (objects: readonly KubernetesObject[]) => Plan

const INPUTS = ['NodeInventory', 'WorkloadSnapshot']
const objectsOf = ({ items }: Plan) => items.map(({ object }) => withoutWireAnnotations(object))

/** kpt and `nodefit vet`: the package is the output. */
function inPlace(): Host {
  let files: readonly KubernetesObject[] | undefined
  return (objects) => {
    const kept = files ?? objects.filter(({ kind }) => !INPUTS.includes(kind))
    const { plan } = decideObjects([...kept, ...objects.filter(({ kind }) => INPUTS.includes(kind))])
    files = objectsOf(plan).filter(({ kind }) => !INPUTS.includes(kind))
    return plan
  }
}

/** `nodefit build --earlier`: the policy is given anew each time. */
function stream(): Host {
  let earlier: readonly KubernetesObject[] = []
  return (objects) => {
    const items = objects.map((one) => newItem(structuredClone(one)))
    const plan = planItems(items, { earlier: earlier.map(newItem), keepsFiles: false })
    earlier = objectsOf(plan).filter(({ metadata }) => !isLocalConfig(metadata.annotations))
    return plan
  }
}

/** `nodefit build --output-dir`. */
function outputFolder(root: string): Host {
  return (objects) => {
    const { folder, earlier } = openOutput(join(root, 'out'), [])
    const items = objects.map((one) => newItem(structuredClone(one)))
    const plan = planItems(items, { earlier, keepsFiles: false })
    assert.ok(writeOutputFolder(folder, plan))
    return plan
  }
}

/** `nodefit sync` with an output folder, which it commits. */
function sync(root: string): Host {
  return (objects) => {
    mkdirSync(join(root, 'fleet'), { recursive: true })
    writeFileSync(join(root, 'fleet/all.yaml'), objects.map((one) => stringify(one)).join('---\n'))
    const made = renderWith({ root, folder: 'fleet', packages: ['fleet'], output: 'out' }, new Map())
    if (made.kind !== 'rendered') throw new Error(JSON.stringify(made))
    assert.ok(writeOutputFolder(openOutput(join(root, 'out'), []).folder, made.plan))
    return made.plan
  }
}

const HOSTS: Readonly<Record<string, (root: string) => Host>> = {
  'in place': inPlace,
  'nodefit build --earlier': stream,
  'nodefit build --output-dir': outputFolder,
  'nodefit sync': sync,
}
const waiting: Scene = { pods: [{ name: 'a' }] }
const failed: Scene = { claims: [{ name: 'small-000001', inGit: false, live: { failed: true } }] }

function withHost(make: (root: string) => Host, body: (host: Host, root: string) => void): void {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pool-names-')))
  try {
    body(make(root), root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

const errorsOf = ({ findings }: Plan) => findings.filter(({ severity }) => severity === 'error')
const claims = (plan: Plan) =>
  objectsOf(plan).flatMap(({ kind, metadata }) => (kind === 'NodeSmithClaim' ? metadata.name : []))

suite('the name of a machine that is gone', (test) => {
  for (const [name, make] of Object.entries(HOSTS)) {
    test(`is not used again: ${name}`, () =>
      withHost(make, (host) => {
        const runs = [waiting, failed, {}, waiting].map((scene) => host(sceneObjects(scene)))
        assert.equal(runs.flatMap(errorsOf), [])
        assert.equal(runs.map(claims), [['small-000001'], [], [], ['small-000002']])
      }))
    // in place the user edits the policy of the package
    if (make === inPlace) continue
    test(`is not used again by a policy that was disabled in between: ${name}`, () =>
      withHost(make, (host) => {
        const off: Scene = { pools: [{ policy: { enabled: false } }] }
        const runs = [waiting, failed, off, waiting].map((scene) => host(sceneObjects(scene)))
        assert.equal(runs.flatMap(errorsOf), [])
        assert.equal(claims(runs[3] as Plan), ['small-000002'])
      }))
  }
  test('is of one pool, however one prefix begins another', () => {
    const prefixes = ['small', 'small-gpu', 'small-1', 'small-000001', 'smal']
    const names = prefixes.map((prefix, index) => machineName({ prefix }, index + 1))
    // a number has no dash, so the last one ends the prefix
    assert.equal(
      prefixes.map((prefix) => nextNumber({ prefix }, 1, highestNumbers(names))),
      [2, 3, 4, 5, 6],
    )
    const pools = [{}, { name: 'small-000001', policy: { priority: 1 } }]
    const claims = [{ name: 'small-000001' }, { name: 'small-000001-000007', pool: 'small-000001' }]
    const pods = ['a', 'b', 'c'].map((name) => ({ name, cpu: '3' }))
    const { errors, added } = decideObjects(sceneObjects({ pools, claims, pods }))
    assert.equal([errors, added], [[], ['small-000001-000008']])
  })
  test('where it cannot be read, nothing is planned', () => {
    for (const text of ['', '0', 'x', '-1', '1.5']) {
      const objects = sceneObjects({ pools: [{ annotations: { 'nodefit.dev/next-claim': text } }], ...waiting })
      const { errors, added } = decideObjects(objects)
      assert.equal([errors, added], [['PoolInvalid'], []], text)
    }
  })
})
