/** A package with a rule of a megabyte, whose patterns are made to take long, beside the same with plain names. */
import { writeYaml } from '../src/krm/write-yaml.ts'

const NAME = 'a'.repeat(20)
const GROUPS = 100
const BYTES = 1_000_000
/** A pattern that a backtracking engine tries for ages, and that matches every name. */
const PATTERN = '(a?a?a?a?)*.*'

/** Returns the package as a file for the command. */
export function patternFile(isHostile: boolean): string {
  const shapes = Array.from({ length: GROUPS }, (_, index) => ({
    labels: { 'kubernetes.io/os': 'linux', 'node.kubernetes.io/instance-type': `m${index}.large` },
    ...{ ready: 'True', allocatable: { cpu: '4', memory: '8Gi', pods: '29' }, nodes: [`node-${index}`] },
  }))
  const query = isHostile ? `up{daemonset=~"${PATTERN}"}` : `up{daemonset="${'b'.repeat(PATTERN.length + 1)}"}`
  const expr = Array.from({ length: Math.floor(BYTES / (query.length + 4)) }, () => query).join(' or ')
  const percentages = { requestCPU: 2, requestMemory: 2, limitCPU: 'none', limitMemory: 'none' }
  const containers = [{ name: 'agent', image: 'agent:1', resources: { requests: { cpu: '10m', memory: '10Mi' } } }]
  const template = { metadata: { labels: { app: 'agent' } }, spec: { containers } }
  const object = (apiVersion: string, kind: string, spec: object) => ({
    apiVersion,
    kind,
    metadata: { name: NAME },
    spec,
  })
  return [
    object('nodefit.dev/v1alpha1', 'NodeInventory', {
      ...{ cluster: 'prod', observedAt: '2026-01-15T10:00:00Z', labelKeys: ['*'], nodeCount: GROUPS, shapes },
    }),
    object('nodefit.dev/v1alpha1', 'SizingPolicy', {
      ...{ targetRef: { name: NAME }, nodeGroupLabel: 'node.kubernetes.io/instance-type' },
      resourcePercentages: percentages,
    }),
    object('apps/v1', 'DaemonSet', { selector: { matchLabels: { app: 'agent' } }, template }),
    object('monitoring.coreos.com/v1', 'PrometheusRule', { groups: [{ name: 'x', rules: [{ expr }] }] }),
  ]
    .map((one) => writeYaml(one))
    .join('---\n')
}
