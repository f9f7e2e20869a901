/** Signed actions in evaluations: the keyring, the end of an action, and which outcomes make a commit. */
import * as assert from 'uvu/assert'
import { type Keyring, type Trust, trustOfKeyring } from '../../../../src/core/index.ts'
import { UserError } from '../../../../src/host/files/user-error.ts'
import { workloadSnapshot } from '../../../../src/host/sync/collect/start.ts'
import { evaluate } from '../../../../src/host/sync/effect/evaluate.ts'
import type { Evaluation } from '../../../../src/host/sync/effect/evaluation.ts'
import { hasOtherOutcomes, outcomesInGit } from '../../../../src/host/sync/effect/outcomes.ts'
import { ownedFileText } from '../../../../src/host/sync/effect/owned-folder.ts'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { actionPolicy } from '../../../support/action-package.ts'
import { KEYRING, keyringItem, signedAction, T, trustOf } from '../../../support/actions.ts'
import { apiNode, projected } from '../../../support/api-nodes.ts'
import { suite } from '../../../support/suite.ts'
import { Scene } from '../../../support/sync-repository.ts'

const CORDON = { id: 'c1', type: 'cordonNode', target: { kind: 'Node', name: 'n1' } }
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nodefit-actions' } }

function sceneOf(...objects: readonly KubernetesObject[]): Scene {
  const settings = { cluster: 'prod-eu1', uid: true, output: 'rendered' }
  const scene = new Scene(settings, [NAMESPACE, actionPolicy(), ...objects]).add(apiNode('n1'))
  scene.now = Date.parse(T)
  return scene
}

const evaluated = (scene: Scene, keyring?: () => Keyring): Evaluation =>
  evaluatedUnder(scene, keyring && (() => trustOfKeyring(keyring(), String)))
const evaluatedUnder = (scene: Scene, trust?: () => Trust): Evaluation =>
  evaluate({
    checkout: { commit: `c${scene.commits}`, path: scene.path },
    nodes: projected(scene.nodes.values()),
    now: new Date(scene.now),
    memory: scene.memory,
    settings: scene.settings,
    trust,
  })
const written = (evaluation: Evaluation) =>
  evaluation.kind === 'commit'
    ? [...evaluation.commit.changes.write.keys()].filter((path) => path.includes('node_'))
    : []
const failure = (evaluation: Evaluation) => ('failure' in evaluation ? evaluation.failure : undefined)

suite('signed actions in an evaluation', (test) => {
  test('are verified with the keyring that is given, and again when it is another one', () => {
    const scene = sceneOf(signedAction(CORDON, 'k1'))
    assert.match(failure(evaluated(scene)) ?? '', /^NoKey: /)
    assert.is(written(evaluated(scene, () => KEYRING)).length, 1)
    assert.match(failure(evaluated(scene, () => ({}))) ?? '', /^UnknownKey: /)
    scene.end()
  })
  test('fail the render alone where the keyring cannot be read, with its sentence', () => {
    const scene = sceneOf(signedAction(CORDON, 'k1'))
    const evaluation = evaluated(scene, () => {
      throw new UserError('keyring.yaml does not exist')
    })
    assert.is(failure(evaluation), 'keyring.yaml does not exist')
    assert.equal(evaluation.kind === 'commit' && [...evaluation.commit.changes.write.keys()], [
      'clusters/prod/nodes/inventory.yaml',
    ])
    scene.end()
  })
  test('are what the trust of the controller allows, whatever the package says', () => {
    const scene = sceneOf(keyringItem(), signedAction(CORDON))
    const under = (more: Partial<Trust> = {}) =>
      evaluatedUnder(scene, () => trustOf({ ...more, digest: JSON.stringify(more) }))
    assert.match(failure(under({ keys: {} })) ?? '', /^UnknownKey: /)
    assert.match(failure(under({ types: ['drainNode'] })) ?? '', /^PolicyBeyondTrust: /)
    assert.match(failure(under({ cluster: 'prod-us1' })) ?? '', /^(TrustOfOtherCluster|ActionOfOtherCluster): /)
    assert.match(failure(under({ maxLifetime: 60_000 })) ?? '', /^LifetimeTooLong: /)
    assert.is(written(under()).length, 1)
    scene.end()
  })
  test('ask for an evaluation at the end of each, which gives the node back', () => {
    const scene = sceneOf(keyringItem(), signedAction(CORDON))
    const first = scene.turn()
    assert.is(first.until?.toISOString(), '2026-01-15T11:00:00.000Z')
    const [path = ''] = written(first)
    assert.match(scene.read(path), /unschedulable: true/)
    scene.now = Date.parse('2026-01-15T10:59:59Z')
    assert.is(scene.turn().kind, 'unchanged')
    scene.now = Date.parse('2026-01-15T11:00:00Z')
    assert.equal(written(scene.turn()), [path])
    assert.not.match(scene.read(path), /unschedulable/)
    scene.end()
  })
  test('leave no key in any file and no message', () => {
    const scene = sceneOf(signedAction(CORDON, 'k1'), signedAction({ ...CORDON, id: 'c2', sequence: 2 }, 'k2'))
    const evaluation = evaluated(scene, () => KEYRING)
    const text = JSON.stringify(evaluation, (_, value) => (value instanceof Map ? [...value] : value))
    for (const { key } of Object.values(KEYRING)) assert.not(text.includes(key.replace(/=+$/, '')))
    scene.end()
  })
})

const outcome = (state: string, action = 'a') => ({ action, digest: '0123456789', state })
const snapshotOf = (...outcomes: object[]) =>
  workloadSnapshot([{ outcomes: outcomes as never, targets: [] }], { cluster: 'c', name: 'w', now: new Date(T) }) ?? {}

suite('outcomes in Git', (test) => {
  test('are read back as they were written', () => {
    const scene = new Scene()
    const blocked = { ...outcome('Blocked'), message: 'a: "b"', blocking: [{ pod: 'shop/web', by: 'x' }] }
    scene.write(
      'clusters/prod/nodes/workload.yaml',
      ownedFileText('prod', snapshotOf(blocked, outcome('Applied', 'b'))),
    )
    assert.equal(outcomesInGit(scene.path, scene.settings), [blocked, outcome('Applied', 'b')])
    scene.write('clusters/prod/nodes/workload.yaml', 'spec:\n  outcomes:\n    - {[\n')
    assert.equal(outcomesInGit(scene.path, scene.settings), [])
    scene.remove('clusters/prod/nodes/workload.yaml')
    assert.equal(outcomesInGit(scene.path, scene.settings), [])
    scene.end()
  })
  for (const [name, now, inGit, isOther] of [
    ['another state', [outcome('Blocked')], [outcome('Running')], true],
    ['the same state', [{ ...outcome('Running'), message: '1 pod left' }], [outcome('Running')], false],
    ['one that waits', [outcome('Waiting')], [], false],
    ['one that was told and is not', [], [outcome('Ended')], true],
  ] as const)
    test(`${name} makes ${isOther ? 'a' : 'no'} commit`, () =>
      assert.is(hasOtherOutcomes(snapshotOf(...now), ownedFileText('c', snapshotOf(...inGit))), isOther))
  test('that are not collected make none', () => assert.not(hasOtherOutcomes(undefined, 'x')))
})
