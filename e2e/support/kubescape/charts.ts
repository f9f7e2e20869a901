/**
 * Kubescape's chart at each version that the page names. KUBESCAPE_CHARTS/<version>/kubescape-operator, with its dependencies built, is the real one. Without
 * it a chart is made of what the real one printed, testdata/kubescape-charts: the same templates, by the same values, for the objects that the page is about.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { ROOT, run } from '../hosts.ts'
import { does } from '../objects.ts'

/** Tags of the chart; main is its newest commit, 526acc1e. */
export const VERSIONS = ['1.30.7', '1.40.2', '1.40.3', 'main'] as const
export type Version = (typeof VERSIONS)[number]

/** The version that a chart gives itself. */
export const ownVersion = (version: Version): string => (version === 'main' ? '1.40.3' : version)

export interface Chart {
  readonly version: Version
  readonly folder: string
  /** Whether it is the real one. */
  readonly isReal: boolean
}

/** The pools of the nodes, which `multipleDaemonSets` selects. */
export const POOLS = ['a', 'b'] as const
const perPool = (pool: string) => ({
  nodeSelector: { 'kubernetes.io/os': 'linux', pool },
  resources: { requests: { cpu: '100m', memory: '180Mi' }, limits: { cpu: '500m', memory: '512Mi' } },
})

/** The user's values, by what the release is before and after. */
export const VALUES = {
  static: { account: 'mine' },
  'no operator': { account: 'mine', capabilities: { operator: 'disable' } },
  autoscaler: { account: 'mine', nodeAgent: { autoscaler: { enabled: true } } },
  multiple: {
    account: 'mine',
    nodeAgent: { multipleDaemonSets: { enabled: true, configurations: POOLS.map(perPool) } },
  },
  off: {
    account: 'mine',
    nodeAgent: { autoscaler: { enabled: false }, multipleDaemonSets: { enabled: true, configurations: null } },
  },
} as const

interface Recording {
  readonly values: keyof typeof VALUES
  readonly templates: readonly string[]
}
const RECORDINGS: Record<string, Recording> = {
  template: { values: 'autoscaler', templates: ['node-agent/template-configmap'] },
  on: { values: 'autoscaler', templates: ['operator/configmap'] },
  off: { values: 'off', templates: ['operator/configmap', 'node-agent/configmap'] },
  static: { values: 'static', templates: ['node-agent/daemonset'] },
  multiple: { values: 'multiple', templates: ['node-agent/daemonsets'] },
  'role-on': { values: 'autoscaler', templates: ['operator/role'] },
  'role-off': { values: 'off', templates: ['operator/role'] },
}
const recorded = (version: Version, name: string) => join(ROOT, 'testdata/kubescape-charts', version, `${name}.yaml`)

/** The chart of a version: the copy that is there, or one made in the folder of what was recorded. */
export function chartOf(version: Version, folder: string): Chart {
  const copy = join(process.env.KUBESCAPE_CHARTS ?? '/nowhere', version, 'kubescape-operator')
  if (existsSync(copy))
    return { version, folder: withoutKubeVersion(copy, join(folder, 'real', version)), isReal: true }
  const made = join(folder, 'recorded', version, 'kubescape-operator')
  for (const [file, text] of Object.entries(recordedChart(version))) {
    mkdirSync(dirname(join(made, file)), { recursive: true })
    writeFileSync(join(made, file), text)
  }
  return { version, folder: made, isReal: false }
}

/** A copy of a chart that asks for no version of Kubernetes: an API server that is built as a Go module gives none. */
function withoutKubeVersion(copy: string, folder: string): string {
  const chart = join(folder, 'kubescape-operator')
  if (existsSync(chart)) return chart
  cpSync(copy, chart, { recursive: true })
  const file = join(chart, 'Chart.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^kubeVersion:.*\n/m, ''))
  return chart
}

/** What of a chart's print differs from what is recorded, by file; with UPDATE_GOLDEN=1 it is recorded. */
export function differencesOf({ version, folder }: Chart, scratch: string): string[] {
  return Object.entries(RECORDINGS).flatMap(([name, { values, templates }]) => {
    const file = join(scratch, 'values.yaml')
    writeFileSync(file, stringify(VALUES[values]))
    const only = templates.flatMap((template) => ['--show-only', `templates/${template}.yaml`])
    const flags = ['--namespace', 'kubescape', '--kube-version', '1.32.0', '--values', file]
    const text = does(run('helm', ['template', 'kubescape', folder, ...flags, ...only]))
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(recorded(version, name), text)
    return text === readFileSync(recorded(version, name), 'utf8') ? [] : [`${version}/${name}.yaml`]
  })
}

/** The files of a chart that prints what was recorded, with the least of the rest that a release needs. */
function recordedChart(version: Version): Record<string, string> {
  const { autoscaler, multiple } = {
    autoscaler: '.Values.nodeAgent.autoscaler.enabled',
    multiple: '.Values.nodeAgent.multipleDaemonSets',
  }
  const print = (name: string, number = 0) => {
    const file = `${name}-${number}.yaml`
    files[`printed/${file}`] = documentsOf(readFileSync(recorded(version, name), 'utf8'))[number] ?? ''
    return `{{ .Files.Get "printed/${file}" }}`
  }
  const files: Record<string, string> = {
    'Chart.yaml': stringify({ apiVersion: 'v2', name: 'kubescape-operator', version: ownVersion(version) }),
    'values.yaml': stringify({
      capabilities: { operator: 'enable' },
      nodeAgent: { autoscaler: { enabled: false }, multipleDaemonSets: { enabled: false, configurations: null } },
    }),
    'templates/priority.yaml': JSON.stringify(PRIORITY),
  }
  const when = (condition: string, text: string) => `{{- if ${condition} }}\n${text}\n{{- end }}\n`
  const operator = (text: string) => when('eq .Values.capabilities.operator "enable"', text)
  const either = (yes: string, no: string) => `{{- if ${autoscaler} }}\n${yes}\n{{- else }}\n${no}\n{{- end }}\n`
  const templates = {
    'node-agent/template-configmap': when(autoscaler, print('template')),
    'operator/configmap': operator(either(print('on'), print('off', 0))),
    'operator/rest': operator(OPERATOR.map((object) => JSON.stringify(object)).join('\n---\n')),
    'node-agent/configmap': print('off', 1),
    'operator/role': operator(either(print('role-on'), print('role-off'))),
    'node-agent/daemonset': when(`not (or ${autoscaler} ${multiple}.enabled)`, print('static')),
    'node-agent/daemonsets': when(
      `and ${multiple}.enabled ${multiple}.configurations (not ${autoscaler})`,
      POOLS.map((_, number) => print('multiple', number)).join('\n---\n'),
    ),
  }
  for (const [name, text] of Object.entries(templates)) files[`templates/${name}.yaml`] = text
  return files
}

/** The documents that helm printed, without the two lines that it puts before each. */
function documentsOf(text: string): string[] {
  return text
    .split(/^---\n/m)
    .map((document) => document.replace(/^# Source: .*\n/, ''))
    .filter((document) => document.trim() !== '')
}

const metadata = (name: string) => ({ name, namespace: 'kubescape' })
const PRIORITY = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'kubescape-critical' },
  value: 100000100,
}
const OPERATOR = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata('operator'),
    spec: {
      selector: { matchLabels: { app: 'operator' } },
      template: {
        metadata: { labels: { app: 'operator' } },
        spec: { containers: [{ name: 'operator', image: 'operator' }] },
      },
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: metadata('operator'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
    subjects: [{ kind: 'ServiceAccount', ...metadata('operator') }],
  },
]
