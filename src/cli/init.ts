import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTemplate } from '../daemonset/index.ts'
import type { Subject } from '../finding/index.ts'
import { newItem } from '../krm/item.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { writeYaml } from '../krm/write-yaml.ts'
import { copiedAnnotations, SERVER_FIELDS } from '../object/index.ts'
import { readSizingPolicy } from '../policy/index.ts'
import { placementKeys, placementOf } from '../sizing/index.ts'
import { readArguments } from './arguments.ts'
import { Failure } from './failure.ts'
import { policyFor } from './first-policy.ts'
import { inventoryOf } from './inventory.ts'
import { readObjects } from './read-objects.ts'
import { writeAll } from './write-all.ts'

export const INIT_HELP = `nodefit init DIR --nodes FILE (--daemonset FILE | --template FILE)
             [--cluster NAME]

Writes a package that sizes a DaemonSet of a live cluster: policy.yaml,
inventory.yaml, daemonset.yaml or template.yaml, and a Kptfile. Stops if one
of them exists.

  --nodes FILE      kubectl get nodes -o json
  --daemonset FILE  kubectl -n NAMESPACE get ds NAME -o json
  --template FILE   the template of Kubescape's chart instead: kubectl
                    -n kubescape get configmap node-agent-daemonset-template
                    -o json
  --cluster NAME    name of the cluster; an inventory of another one then fails

  nodefit init fluent-bit --nodes nodes.json --daemonset ds.json
  kpt fn render --allow-exec fluent-bit
`

/** `nodefit init`: a first package from what kubectl prints; all files or none. */
export function init(args: string[]): void {
  const { values, positionals } = readArguments('nodefit init', args, {
    nodes: { type: 'string' },
    daemonset: { type: 'string' },
    template: { type: 'string' },
    cluster: { type: 'string' },
  })
  const [folder] = positionals
  if (folder === undefined) throw new Failure('give one DIR to write to')
  if (positionals.length > 1)
    throw new Failure(`give one DIR to write to, and not ${positionals.length}: ${positionals.join(' ')}`)
  const file = values.daemonset ?? values.template
  if (values.nodes === undefined || file === undefined || (values.daemonset && values.template))
    throw new Failure('give --nodes FILE, and --daemonset FILE or --template FILE')
  const nodes = readObjects([values.nodes])
  const target = onlyObject(file, values.daemonset === undefined ? 'ConfigMap' : 'DaemonSet')
  const policy = policyFor(target, nodes, values.cluster)
  const label = labelsOf(target, policy)
  const files: Record<string, string> = {
    Kptfile: writeYaml(kptfile(policy.metadata.name)),
    'policy.yaml': writeYaml(policy),
    'inventory.yaml': writeYaml(inventoryOf(nodes, values.cluster ?? 'cluster', { label })),
    [values.daemonset === undefined ? 'template.yaml' : 'daemonset.yaml']: writeYaml(asWritten(target)),
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

function onlyObject(file: string, kind: string): KubernetesObject {
  const [object, ...others] = readObjects([file]).map((item) => item.object)
  if (object?.kind !== kind || others.length > 0) throw new Failure(`${file} does not hold one ${kind}`)
  return object
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

/** The label keys that the template chooses nodes by: the inventory must say which nodes have them. */
function labelsOf(target: KubernetesObject, policy: Subject): string[] {
  const { settings } = readSizingPolicy(policy)
  if (settings === undefined) return []
  const items = [newItem(target)]
  const { value: template, findings } = findTemplate(items, items, settings)
  const problem = findings.find(({ severity }) => severity === 'error')
  if (template === undefined) throw new Failure(problem?.message ?? `${target.metadata.name} is no template`)
  return placementKeys(placementOf(template.daemonSet.spec.template.spec ?? {}, settings))
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
