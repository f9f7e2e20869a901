import { printable } from '../../face/index.ts'
import { isDeepEqual, isMap, listOf, type Mapping, memberOf, scalarText } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { readObjects } from '../files/read-objects.ts'
import { writeOutput } from '../files/stdio.ts'
import { UserError } from '../files/user-error.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit takeover [FILE|-] [--groups FILE] [--manager NAME]

Prints a script that hands DaemonSets in the cluster, which Helm or an operator
applied, to the tool that will apply them: without it, server-side apply leaves
what Git no longer has, since the former manager still owns it. It also removes
owner references, and names selectors that cannot change and DaemonSets that no
group replaces. Read the script, then run it; nothing is changed before.

  --groups FILE   the rendered DaemonSets; others are left alone
  --manager NAME  field manager of the tool: kubectl (the default),
                  argocd-controller or kustomize-controller

  kubectl -n kubescape get ds -o json --show-managed-fields > live.json
  nodefit takeover live.json --groups node-agent/node-agent-groups.yaml
`

const OPTIONS = {
  groups: { type: 'string', about: 'the rendered DaemonSets', value: 'file' },
  manager: {
    type: 'string',
    about: 'field manager of the tool that will apply',
    value: ['kubectl', 'argocd-controller', 'kustomize-controller'],
  },
} as const satisfies Options

/** Managers whose fields stay theirs: what they set is not in Git, and must not go with the next apply. */
const KEPT_MANAGERS: readonly unknown[] = ['kube-controller-manager', 'kubectl-rollout']
const ARGO_MARKS = ['argocd.argoproj.io/sync-options', 'argocd.argoproj.io/compare-options']

/** `nodefit takeover`: a script that hands live DaemonSets to another field manager. */
export const TAKEOVER: Command = {
  about: 'print a script that hands live DaemonSets to another tool',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  run: takeOver,
}

function takeOver(args: string[]): void {
  const { values, positionals } = readArguments('nodefit takeover', args, OPTIONS)
  if (positionals.length > 1) throw new UserError(`give one FILE, not ${positionals.length}`)
  const groups = values.groups === undefined ? undefined : daemonSetsIn(values.groups)
  if (groups?.length === 0) throw new UserError(`${values.groups} holds no DaemonSet`)
  const lines = takeoverScript(daemonSetsIn(positionals[0] ?? '-'), values.manager ?? 'kubectl', groups)
  writeOutput(`${lines.map((line) => `${printable(line)}\n`).join('')}`)
}

function daemonSetsIn(file: string): KubernetesObject[] {
  return readObjects([file]).flatMap(({ object }) => (object.kind === 'DaemonSet' ? [object] : []))
}

/**
 * Returns the script that hands live DaemonSets to a field manager. With `groups` it hands over those that are
 * rendered, and names the others. Throws `UserError` for one without managedFields.
 */
export function takeoverScript(
  live: readonly KubernetesObject[],
  manager: string,
  groups?: readonly KubernetesObject[],
): string[] {
  const steps = live.flatMap((object) => {
    const { name, namespace = 'default' } = object.metadata
    const kubectl = `kubectl -n ${quoted(namespace)}`
    const group = groups?.find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? namespace) === namespace,
    )
    if (groups !== undefined && group === undefined)
      return [`# ${name}: no group replaces it; when theirs run: ${kubectl} delete daemonset ${quoted(name)}`]
    const selectors = [object, group ?? object].map(({ spec }) => memberOf(spec, 'selector'))
    if (!isDeepEqual(selectors[0], selectors[1]))
      return [
        `# ${name}: its selector differs from the group's and cannot change: give the group another name, or before you apply:`,
        `# ${kubectl} delete daemonset ${quoted(name)}`,
      ]
    const patch = patchOf(object, manager)
    return patch === undefined
      ? [`# ${name}: all its fields are ${manager}'s`]
      : [`# ${name}: ${patch.about}`, `${kubectl} patch daemonset ${quoted(name)} --type=json -p ${quoted(patch.text)}`]
  })
  return ['#!/bin/sh', `# hands DaemonSets to ${manager}; read it before you run it`, 'set -eu', ...steps]
}

/** The JSON patch that hands over one DaemonSet, and what it does; undefined where nothing is to be done. */
function patchOf({ metadata }: KubernetesObject, manager: string): { about: string; text: string } | undefined {
  const { managedFields, ownerReferences, generation } = metadata as unknown as Record<string, unknown>
  const entries = listOf(managedFields).filter(isMap)
  if (entries.length === 0)
    throw new UserError(
      `DaemonSet ${metadata.name} has no managedFields: read it with kubectl get --show-managed-fields`,
    )
  const isHanded = (entry: Mapping) => (entry.subresource ?? '') === '' && !KEPT_MANAGERS.includes(entry.manager)
  const handed = entries.filter(isHanded)
  const isOwn = (entry: Mapping) => entry.manager === manager && entry.operation === 'Apply'
  const marks = ARGO_MARKS.filter((key) => memberOf(metadata.annotations, key) !== undefined)
  const owners = listOf(ownerReferences)
  if (handed.every(isOwn) && owners.length + marks.length === 0) return undefined
  const fields = [...mergedEntries(handed, manager), ...entries.filter((entry) => !isHanded(entry))]
  const from = [...new Set(handed.filter((entry) => !isOwn(entry)).map((entry) => scalarText(entry.manager)))]
  const ops = [
    // a change of the spec since it was read stops the script
    ...(generation === undefined ? [] : [{ op: 'test', path: '/metadata/generation', value: generation }]),
    { op: 'replace', path: '/metadata/managedFields', value: fields },
    ...(owners.length === 0 ? [] : [{ op: 'remove', path: '/metadata/ownerReferences' }]),
    ...marks.map((key) => ({ op: 'remove', path: `/metadata/annotations/${key.replaceAll('/', '~1')}` })),
  ]
  const removed = [...(owners.length === 0 ? [] : ['its owner references']), ...marks]
  const also = removed.length === 0 ? '' : `; removes ${removed.join(', ')}`
  return {
    about: `the fields of ${from.join(', ') || manager} become those of ${manager}${also}`,
    text: JSON.stringify(ops),
  }
}

/** One entry per API version, as the API server requires, with the fields of all. */
function mergedEntries(entries: readonly Mapping[], manager: string): Mapping[] {
  const versions = [...new Set(entries.map(({ apiVersion }) => apiVersion))]
  return versions.map((apiVersion) => {
    const same = entries.filter((entry) => entry.apiVersion === apiVersion)
    const fieldsV1 = same.map((entry) => entry.fieldsV1).reduce<unknown>(mergedFields, {})
    return { ...same[0], manager, operation: 'Apply', fieldsV1 }
  })
}

function mergedFields(one: unknown, other: unknown): unknown {
  if (!isMap(one) || !isMap(other)) return one ?? other
  const both = Object.entries(other).map(([key, value]) => [key, mergedFields(one[key], value)])
  return { ...one, ...Object.fromEntries(both) }
}

/** A word of a shell, in single quotes where it needs them. */
function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
