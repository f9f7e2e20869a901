import { copyableAnnotations, ownedByText, SERVER_FIELDS, withoutForeignMarks } from '../../core/object/index.ts'
import { NODEFIT } from '../../kinds/index.ts'
import { LOCAL_CONFIG } from '../../krm/identity.ts'
import { CONFIG_DIGEST, OWNED_BY } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { writeYaml } from '../../krm/write-yaml.ts'
import { writeWithSchema } from '../files/manifest.ts'
import { UserError } from '../files/user-error.ts'

/** A policy and its target, as written into a package. */
export interface Agent {
  readonly target: KubernetesObject
  readonly policy: KubernetesObject
  /** Objects beside the target that are not applied. */
  readonly kept?: readonly KubernetesObject[]
}

/** The files of a package, by name; the first render adds those in `rendered`. */
export interface PackageFiles {
  readonly files: Readonly<Record<string, string>>
  readonly rendered: readonly string[]
}

/** The files of a package that sizes some agents by one inventory. With several agents, their files have prefixes. */
export function packageFiles(
  name: string,
  agents: readonly Agent[],
  inventory: Record<string, unknown>,
  snapshot?: Record<string, unknown>,
): PackageFiles {
  const prefixes = prefixesOf(agents)
  const agentFiles = agents.flatMap(({ target, policy, kept = [] }, index): Array<[string, string]> => {
    const prefix = prefixes[index] ?? ''
    const [template, written] =
      target.kind === 'ConfigMap' ? ['template', asLocal(asWritten(target))] : ['daemonset', asWritten(target)]
    const beside = kept.map((object) => writeYaml(asLocal(asWritten(object)))).join('---\n')
    return [
      ...(beside === '' ? [] : [[`${prefix}chart.yaml`, beside] as [string, string]]),
      [`${prefix}${template}.yaml`, writeYaml(written)],
      [`${prefix}policy.yaml`, writeWithSchema({ ...policy })],
    ]
  })
  const inputs = [
    ...agentFiles,
    ['inventory.yaml', writeWithSchema(inventory)] as [string, string],
    ['render-config.yaml', writeWithSchema(renderConfig(agents))] as [string, string],
    ...(snapshot === undefined ? [] : [['workload.yaml', writeWithSchema(snapshot)] as [string, string]]),
  ].sort()
  const rendered = [...new Set(agents.map(({ policy }) => `${policy.metadata.name}-groups.yaml`))].sort()
  const files = {
    Kptfile: writeYaml(kptfile(name, agents)),
    'kustomization.yaml': kustomization([...inputs.map(([file]) => file), ...rendered]),
    ...Object.fromEntries(inputs),
  }
  return { files, rendered }
}

/**
 * The prefix of each agent's files: empty for one agent, else its name, with its namespace where agents share the name.
 */
function prefixesOf(agents: readonly Agent[]): string[] {
  if (agents.length === 1) return ['']
  const names = agents.map(({ target }) => target.metadata.name)
  const prefixes = agents.map(({ target: { metadata } }) => {
    const isShared = names.filter((name) => name === metadata.name).length > 1
    return `${isShared ? `${metadata.namespace ?? 'default'}-` : ''}${metadata.name}-`
  })
  const twice = names.find((_, index) => prefixes.indexOf(prefixes[index] ?? '') < index)
  if (twice !== undefined) throw new UserError(`DaemonSet ${twice} is given twice`)
  return prefixes
}

function kptfile(name: string, agents: readonly Agent[]): object {
  const names = agents.map(({ policy }) => policy.metadata.name)
  const description =
    names.length === 1
      ? `DaemonSet ${names[0]}, sized per node group`
      : `DaemonSets ${names.join(', ')}, sized per node group`
  return {
    apiVersion: 'kpt.dev/v1',
    kind: 'Kptfile',
    metadata: { name, annotations: { [LOCAL_CONFIG]: 'true' } },
    info: { description },
    pipeline: { mutators: [{ exec: 'nodefit-fn' }] },
  }
}

/** The number of policies, without which a run could not tell that one is lost. */
function renderConfig(agents: readonly Agent[]): Record<string, unknown> {
  return {
    apiVersion: NODEFIT,
    kind: 'RenderConfig',
    metadata: { name: 'render-config', annotations: { [LOCAL_CONFIG]: 'true' } },
    spec: { expect: { policies: agents.length } },
  }
}

/**
 * The kustomization.yaml by which Argo CD and kustomize build the package; without it Argo CD would apply the inputs,
 * too.
 */
function kustomization(resources: readonly string[]): string {
  // it is no object of a cluster, and kpt would take it for one
  const metadata = { annotations: { [LOCAL_CONFIG]: 'true' } }
  const head = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', metadata }
  return `${writeYaml(head)}# what is local-config stays in Git: inputs, policies and templates\n${writeYaml({ resources })}`
}

/** Marks an object that another tool applies, as Helm does the ConfigMaps of the chart: nodefit only reads it. */
function asLocal(object: KubernetesObject): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [LOCAL_CONFIG]: 'true' }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/**
 * A live object as a manifest: without the fields of the server and the marks of other tools. A DaemonSet names the
 * tool that owns it in an annotation; a ConfigMap does not, since that tool continues to apply it.
 */
function asWritten(object: KubernetesObject): KubernetesObject {
  const { status: _, ...rest } = object
  const {
    labels: _labels,
    annotations: _annotations,
    ...metadata
  } = Object.fromEntries(Object.entries(object.metadata).filter(([field]) => !SERVER_FIELDS.includes(field)))
  const owner = object.kind === 'ConfigMap' ? undefined : ownedByText(object)
  const { 'app.kubernetes.io/managed-by': manager, ...labels } = withoutForeignMarks(object.metadata.labels ?? {})
  const digest = object.metadata.annotations?.[CONFIG_DIGEST]
  // what is rendered from an owner's manifest, written anew later, has the label as well
  const manages = owner === undefined ? manager : 'nodefit'
  const maps = {
    labels: manager === undefined ? labels : { ...labels, 'app.kubernetes.io/managed-by': manages },
    annotations: {
      ...copyableAnnotations(object.metadata.annotations),
      ...(digest === undefined ? {} : { [CONFIG_DIGEST]: digest }),
      ...(owner === undefined ? {} : { [OWNED_BY]: owner }),
    },
  }
  const filled = Object.entries(maps).filter(([, map]) => Object.keys(map).length > 0)
  return { ...rest, metadata: { ...metadata, ...Object.fromEntries(filled) } } as KubernetesObject
}

/** The files without those that nodefit sync writes elsewhere, or that make them a package of their own. */
export function filesForSync({
  'inventory.yaml': _,
  'kustomization.yaml': __,
  Kptfile: ___,
  ...files
}: Readonly<Record<string, string>>): Record<string, string> {
  return files
}
