import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { sizedSpec } from '../../test/support/objects.ts'

/** What a test's package is about: a node of each type, fields of the policy, and what else it holds. */
export type Package = { types?: string[]; spec?: object; more?: Record<string, unknown>[] }

const LABELS = { app: 'agent' }
/** The agent. */
export const DAEMONSET = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'ops' },
  spec: {
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: {
        containers: [
          { name: 'agent', image: 'example.com/agent:1', resources: { requests: { cpu: '100m', memory: '200Mi' } } },
        ],
      },
    },
  },
}

/** Writes `package/` into a folder: an inventory, a policy, a DaemonSet. */
export function writePackage(
  folder: string,
  { types = ['m5.large', 'm5.xlarge'], spec = {}, more = [] }: Package = {},
): void {
  rmSync(join(folder, 'package'), { recursive: true, force: true })
  mkdirSync(join(folder, 'package'))
  const local = { annotations: { 'config.kubernetes.io/local-config': 'true' } }
  const put = (name: string, ...objects: object[]) =>
    writeFileSync(join(folder, 'package', `${name}.yaml`), objects.map((one) => stringify(one)).join('---\n'))
  const shapes = types.map((type, index) => ({
    labels: { 'node.kubernetes.io/instance-type': type },
    ready: 'True',
    allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
    capacity: { cpu: '4', memory: '16Gi', pods: '110' },
    nodes: [`node-${index}`],
  }))
  const head = { apiVersion: 'nodefit.dev/v1alpha1', metadata: { name: 'agent', namespace: 'ops', ...local } }
  put('inventory', {
    ...head,
    kind: 'NodeInventory',
    spec: {
      cluster: 'prod',
      observedAt: '2026-11-20T12:00:00Z',
      nodeCount: types.length,
      labelKeys: ['node.kubernetes.io/instance-type'],
      shapes,
    },
  })
  put('policy', { ...head, kind: 'SizingPolicy', spec: sizedSpec({ targetRef: { name: 'agent' }, ...spec }) })
  put('daemonset', DAEMONSET)
  if (more.length > 0) put('more', ...more)
}

/** Writes the packages of two clusters into a folder of this name. */
export function writeClusters(folder: string, name: string, spec: object = {}): void {
  mkdirSync(join(folder, name), { recursive: true })
  for (const [cluster, types] of [
    ['prod-eu', ['m5.large', 'm5.xlarge']],
    ['prod-us', ['m6i.large']],
  ] as const) {
    const alone = mkdtempSync(join(folder, 'alone-'))
    const at = (file: string) => join(alone, 'package', file)
    writePackage(alone, { types: [...types], spec })
    writeFileSync(
      at('inventory.yaml'),
      readFileSync(at('inventory.yaml'), 'utf8').replace('cluster: prod', `cluster: ${cluster}`),
    )
    writeFileSync(at('Kptfile'), `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: ${cluster}}\n`)
    rmSync(join(folder, name, cluster), { recursive: true, force: true })
    renameSync(join(alone, 'package'), join(folder, name, cluster))
    rmSync(alone, { recursive: true })
  }
}
