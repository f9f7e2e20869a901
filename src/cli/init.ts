import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { copiedAnnotations, SERVER_FIELDS } from '../daemonset/sanitize.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { writeYaml } from '../krm/write-yaml.ts'
import type { PodSpec } from '../kube/index.ts'
import { placementKeys } from '../sizing/index.ts'
import { Failure } from './failure.ts'
import { inventoryOf } from './inventory.ts'
import { readObjects } from './read-objects.ts'
import { writeAll } from './write-all.ts'

export const INIT_HELP = `nodefit init DIR --nodes FILE --daemonset FILE [--cluster NAME]

Writes a package that sizes a DaemonSet of a live cluster: policy.yaml,
inventory.yaml, daemonset.yaml and a Kptfile. Stops if one of them exists.

  --nodes FILE      kubectl get nodes -o json
  --daemonset FILE  kubectl -n NAMESPACE get ds NAME -o json
  --cluster NAME    name of the cluster; an inventory of another one then fails

  nodefit init fluent-bit --nodes nodes.json --daemonset ds.json
  kpt fn render --allow-exec fluent-bit
`

const LABELS = [
  'node.kubernetes.io/instance-type',
  'karpenter.sh/nodepool',
  'eks.amazonaws.com/nodegroup',
  'cloud.google.com/gke-nodepool',
  'kubernetes.azure.com/agentpool',
  'kubernetes.io/arch',
]

/** `nodefit init`: a first package from what kubectl prints; all files or none. */
export function init(args: string[]): void {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      nodes: { type: 'string' },
      daemonset: { type: 'string' },
      cluster: { type: 'string' },
    },
  })
  const [folder] = positionals
  if (folder === undefined || positionals.length > 1) throw new Failure('give one DIR to write to')
  if (values.nodes === undefined || values.daemonset === undefined)
    throw new Failure('give --nodes FILE and --daemonset FILE')
  const nodes = readObjects([values.nodes])
  const [daemonSet, ...others] = readObjects([values.daemonset]).map(({ object }) => object)
  if (daemonSet?.kind !== 'DaemonSet' || others.length > 0)
    throw new Failure(`${values.daemonset} does not hold one DaemonSet`)
  const files: Record<string, string> = {
    Kptfile: writeYaml(kptfile(daemonSet.metadata.name)),
    'policy.yaml': writeYaml(policyFor(daemonSet, nodes, values.cluster)),
    'inventory.yaml': writeYaml(inventoryOf(nodes, values.cluster ?? 'cluster', { label: labelsOf(daemonSet) })),
    'daemonset.yaml': writeYaml(asWritten(daemonSet)),
  }
  const taken = Object.keys(files).find((name) => existsSync(join(folder, name)))
  if (taken !== undefined) throw new Failure(`${join(folder, taken)} is there already`)
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { flag: 'wx' })
  writeAll(
    2,
    `nodefit: wrote ${Object.keys(files).join(', ')} to ${folder}; next: kpt fn render --allow-exec ${folder}\n`,
  )
}

function kptfile(name: string): object {
  return {
    apiVersion: 'kpt.dev/v1',
    kind: 'Kptfile',
    metadata: { name, annotations: { 'config.kubernetes.io/local-config': 'true' } },
    info: { description: `DaemonSet ${name}, sized per node group` },
    pipeline: { mutators: [{ exec: 'nodefit-fn' }] },
  }
}

/** A policy with the defaults written out, so that they can be changed. */
function policyFor(daemonSet: KubernetesObject, nodes: readonly Item[], cluster: string | undefined): object {
  const { name, namespace } = daemonSet.metadata
  const chosen = chosenContainer(daemonSet)
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'SizingPolicy',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      annotations: { 'config.kubernetes.io/local-config': 'true' },
    },
    spec: {
      ...(cluster === undefined ? {} : { cluster }),
      targetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name },
      nodeGroupLabel:
        LABELS.find((label) => nodes.some(({ object }) => object.metadata.labels?.[label] !== undefined)) ??
        'kubernetes.io/os',
      ...(chosen === undefined ? {} : { containers: [{ name: chosen, share: 100 }] }),
      resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 },
      minResources: { cpu: '100m', memory: '180Mi' },
      maxResources: { cpu: '2', memory: '4Gi' },
    },
  }
}

/** The container that is sized where there are several: the one named like the DaemonSet, else the first. */
function chosenContainer({ metadata, spec }: KubernetesObject): string | undefined {
  const containers = ((spec as { template?: { spec?: PodSpec } })?.template?.spec?.containers ?? []).map(
    ({ name }) => name,
  )
  if (containers.length < 2) return undefined
  return containers.find((name) => name === metadata.name) ?? containers[0]
}

/** The label keys that the template chooses nodes by: the inventory must say which nodes have them. */
function labelsOf(daemonSet: KubernetesObject): string[] {
  const { nodeSelector, affinity } = (daemonSet.spec as { template?: { spec?: PodSpec } })?.template?.spec ?? {}
  return placementKeys({ nodeSelector: nodeSelector ?? {}, affinity, tolerations: [], hostNetwork: false })
}

/** A live object as one would write it: without what the server keeps. */
function asWritten(object: KubernetesObject): object {
  const { status: _, ...rest } = object
  const metadata: Record<string, unknown> = Object.fromEntries(
    Object.entries(object.metadata).filter(([field]) => !SERVER_FIELDS.includes(field)),
  )
  const annotations = copiedAnnotations(object.metadata.annotations)
  delete metadata.annotations
  return { ...rest, metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata }
}
