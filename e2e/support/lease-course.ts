/** Fields of nodes under a tool that applies what is rendered: held, shared with kubectl, given back, and never pruned. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { actionPolicy, snapshot } from '../../test/support/action-package.ts'
import { keyringItem, signedAction } from '../../test/support/actions.ts'
import type { Cluster } from './cluster.ts'
import { COMMAND, run } from './hosts.ts'
import { asList, does } from './objects.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const NAMES = ['held', 'other', 'shared']
/** While the actions are valid, when they have ended, and when nothing needs their documents any more. */
const [NOW, ENDED, SETTLED] = ['2026-01-15T10:00:00Z', '2026-01-15T11:00:00Z', '2026-01-15T11:30:00Z']
const UNTIL = { issuedAt: '2026-01-15T09:55:00Z', expiresAt: ENDED }
/** What an output has beside actions: without it the output would be empty in the end, which tools refuse or prune. */
const BESIDE = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'beside', namespace: 'default' } }

/** A step of the course, and what holds of the node `held` when the tool has applied it. */
export interface LeaseStep {
  readonly what: string
  /** Writes the package of the step, has it applied, and asserts. */
  readonly run: (apply: (folder: string) => Promise<void>) => Promise<void>
}

/**
 * Returns the steps of a cordon and a label on one node, with a second node that is never touched, and a third that a
 * person cordoned before an action did.
 */
export function leaseCourse({ kubectl, folder }: Cluster): readonly LeaseStep[] {
  const source = join(folder, 'actions')
  const live = (name = 'held'): Any => JSON.parse(does(kubectl(['get', 'node', name, '-o', 'json'])))
  const uids = new Map<string, string>()
  const mark = (name = 'held') => live(name).metadata.annotations?.['nodefit.dev/actions']
  const action = (type: string, sequence: number, more: object = {}) =>
    signedAction({ id: `${type}-held`, type, sequence, target: { kind: 'Node', name: 'held' }, ...UNTIL, ...more })
  const cordon = action('cordonNode', 1)
  const label = action('labelNode', 2, { parameters: { labels: { team: 'a' } } })
  const uncordon = action('uncordonNode', 3)
  const shared = action('cordonNode', 1, { id: 'cordonNode-shared', target: { kind: 'Node', name: 'shared' } })
  const write = (time: string, actions: readonly object[], shown?: object) => {
    mkdirSync(source, { recursive: true })
    const labels = { 'kubernetes.io/os': 'linux' }
    const inventory = {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'NodeInventory',
      metadata: { name: 'prod' },
      spec: {
        ...{ cluster: 'prod-eu1', observedAt: time, labelKeys: ['*'], nodeCount: NAMES.length },
        shapes: [{ labels, ready: 'True', nodes: NAMES, uids: Object.fromEntries(uids) }],
      },
    }
    const kptfile = {
      apiVersion: 'kpt.dev/v1',
      kind: 'Kptfile',
      metadata: { name: 'actions', annotations: { 'config.kubernetes.io/local-config': 'true' } },
      pipeline: { mutators: [{ exec: 'nodefit-fn' }] },
    }
    const files = { inventory: [inventory], policy: [actionPolicy()], keyring: [keyringItem()], beside: [BESIDE] }
    const all = { ...files, actions, snapshot: shown === undefined ? [] : [shown] }
    for (const [name, objects] of Object.entries(all)) {
      const text = objects.map((object) => stringify(object)).join('---\n')
      if (text === '') rmSync(join(source, `${name}.yaml`), { force: true })
      else writeFileSync(join(source, `${name}.yaml`), text)
    }
    writeFileSync(join(source, 'Kptfile'), stringify(kptfile))
  }
  const step = (what: string, write: () => void, check: () => void): LeaseStep => ({
    what,
    run: async (apply) => {
      write()
      await apply(source)
      check()
      for (const name of NAMES) assert.is(live(name).metadata.uid, uids.get(name), `${name} was not deleted`)
      assert.is(live('other').spec.unschedulable, undefined)
      assert.not(Object.keys(live('other').metadata.annotations ?? {}).some((key) => key.startsWith('nodefit.dev/')))
    },
  })
  return [
    step(
      'a cordon and a label are applied',
      () => {
        const nodes = NAMES.map((name) => ({
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name, labels: { 'kubernetes.io/os': 'linux', rack: 'r1' } },
        }))
        does(kubectl(['create', '-f', '-'], asList(nodes)))
        for (const name of NAMES) uids.set(name, live(name).metadata.uid)
        does(kubectl(['cordon', 'shared']))
        write(NOW, [cordon, label, shared])
      },
      () => {
        assert.is(live().spec.unschedulable, true)
        assert.is(live().metadata.labels.team, 'a')
        assert.is(mark(), 'cordonNode-held, labelNode-held')
        assert.is(mark('shared'), 'cordonNode-shared')
      },
    ),
    step(
      'what kubectl writes beside them stays, and what it takes away comes back with the next change',
      () => {
        does(kubectl(['label', 'node', 'held', 'by=hand']))
        does(kubectl(['taint', 'node', 'held', 'by=hand:NoSchedule']))
        does(kubectl(['uncordon', 'held']))
        write(NOW, [cordon, action('labelNode', 4, { parameters: { labels: { team: 'b' } } }), shared])
      },
      () => {
        assert.is(live().spec.unschedulable, true)
        assert.is(live().metadata.labels.team, 'b')
        assert.is(live().metadata.labels.by, 'hand')
        assert.ok(live().spec.taints.some(({ key }: Any) => key === 'by'))
      },
    ),
    step(
      'a later uncordon wins, and the label stays',
      () => write(NOW, [cordon, action('labelNode', 4, { parameters: { labels: { team: 'b' } } }), uncordon, shared]),
      () => {
        assert.is(live().spec.unschedulable, undefined)
        assert.is(live().metadata.labels.team, 'b')
      },
    ),
    step(
      'a cordon again, signed later',
      () => write(NOW, [action('cordonNode', 5, { id: 'again' }), label, shared]),
      () => assert.is(live().spec.unschedulable, true),
    ),
    step(
      'when they have ended everything is given back, and what is of others stays',
      () => write(ENDED, [action('cordonNode', 5, { id: 'again' }), label, shared]),
      () => {
        assert.is(live().spec.unschedulable, undefined)
        assert.is(live().metadata.labels.team, undefined)
        assert.is(mark(), undefined)
        assert.is(mark('shared'), undefined)
        assert.is(live('shared').spec.unschedulable, true, 'a cordon of a person outlives that of an action')
        assert.is(live().metadata.labels.by, 'hand')
        assert.is(live().metadata.labels.rack, 'r1')
        assert.ok(live().spec.taints.some(({ key }: Any) => key === 'by'))
      },
    ),
    step(
      'when the document goes, the node is not pruned',
      () => {
        const nodes = [...uids].map(([name, uid]) => ({ name, uid }))
        write(SETTLED, [], snapshot({ nodes }, SETTLED))
      },
      () => {
        assert.is(live().spec.unschedulable, undefined)
        assert.is(live('shared').spec.unschedulable, true)
      },
    ),
  ]
}

/** Renders a package into an output folder, as CI does for tools that apply a folder. */
export function buildOutput(source: string, output: string): void {
  mkdirSync(join(output, '..'), { recursive: true })
  does(run(process.execPath, [COMMAND, 'build', source, '--output-dir', output]))
}
