import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { Cluster } from './cluster.ts'
import { ROOT, run } from './hosts.ts'
import { does, objectsOf } from './objects.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind
type Any = any

export const PACKAGE = join(ROOT, 'deploy/sync')
export const CHART = join(ROOT, 'deploy/charts/nodefit-sync')
/** What `collect` names, without what needs no right. */
export const COLLECTED = [
  'pods',
  'usage',
  'events',
  'tickets',
  'claims',
  'workloads',
  'capacity',
  'pending',
  'pools',
  'machines',
  'actions',
] as const
/** The component of kustomize, and what switches the same on in the chart. */
export const SWITCHES = {
  servicemonitor: 'serviceMonitor',
  networkpolicy: 'networkPolicy',
  pdb: 'podDisruptionBudget',
  prometheusrule: 'prometheusRule',
}
/** What the base configures, as values of the chart. */
export const CONFIG = {
  cluster: 'prod-eu',
  git: { url: 'ssh://git@git.example.com/platform/fleet.git', branch: 'main', folder: 'clusters/prod-eu/nodes' },
}

/** A folder for kustomize: the package with components. */
export function overlay(components: readonly string[]): string {
  return stringify({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['../sync/base'],
    components: components.map((name) => `../sync/components/${name}`),
  })
}

export function kustomized(folder: string): Any[] {
  return objectsOf(does(run('kubectl', ['kustomize', folder])))
}

/** What helm makes of the chart. */
export function charted(values: object, { release = 'nodefit-sync', namespace = 'nodefit' } = {}): Any[] {
  const args = ['template', release, CHART, '--namespace', namespace, '--values', '-']
  return objectsOf(does(run('helm', args, { input: stringify(values) })))
}

/** Writes a kubeconfig with a token of the ServiceAccount that the package makes; gives its file. */
export function ownKubeconfig({ folder, kubectl }: Cluster): string {
  const file = join(folder, 'own-kubeconfig')
  const token = does(kubectl(['create', 'token', 'nodefit-sync', '-n', 'nodefit'])).trim()
  const kubeconfig = parse(readFileSync(join(folder, 'kubeconfig'), 'utf8'))
  kubeconfig.users[0].user = { token }
  writeFileSync(file, JSON.stringify(kubeconfig), { mode: 0o600 })
  return file
}

/** Objects by kind and name, the configuration within its ConfigMap as what it says. */
export function byName(objects: readonly Any[]): Record<string, Any> {
  const entries = objects.map((object) => {
    const text = object.data?.['sync.yaml']
    const read = text === undefined ? object : { ...object, data: { 'sync.yaml': objectsOf(text)[0] } }
    return [`${object.kind} ${object.metadata.name}`, read] as const
  })
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
