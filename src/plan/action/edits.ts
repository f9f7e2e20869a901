import { keepingAnnotations, type Share, type World } from '../../core/index.ts'
import { type Finding, listNames } from '../../krm/finding.ts'
import { pathOf } from '../../krm/identity.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { isDone, type Memory, outcomeOf } from './memory.ts'
import { type Decided, labelsOf } from './parameters.ts'
import type { Action } from './read-action.ts'
import { containersOf, type Targets, targetKey } from './targets.ts'
import { targetText } from './verify.ts'

/**
 * No tool prunes the whole Deployment or takes fields of others; Argo CD applies it on the server, without a check of
 * what it lacks.
 */
const PARTIAL = {
  ...keepingAnnotations,
  'argocd.argoproj.io/sync-options': 'ServerSideApply=true,Validate=false,Prune=false,Delete=false',
}

/** What edits of Deployments come to. */
export interface Edits {
  readonly shares: readonly Share[]
  /** The ids of edits that are made, in this run or an earlier one, with their digests. */
  readonly made: ReadonlyArray<readonly [id: string, digest: string]>
  readonly findings: readonly Finding[]
}

const NOTHING: Edits = { shares: [], made: [], findings: [] }

/** Whether an action edits a Deployment. */
export function isEdit({ type }: Action): boolean {
  return type === 'scaleDeployment' || type === 'setImage' || type === 'labelDeployment'
}

/**
 * Returns what an action changes of a Deployment: once, in the user's file. A change that was made is never made again,
 * whatever the user writes there later. A Deployment that the package does not have is a partial document, which keeps
 * its field for ever: without it the API server would set one replica.
 */
export function planEdit(action: Action, decided: Decided, targets: Targets, memory: Memory, world: World): Edits {
  const { subject, id, digest, target } = action
  const [item, ...others] = targets.deployments.get(targetKey(action)) ?? []
  const at = { apiVersion: 'apps/v1', kind: 'Deployment', name: target.name }
  if (item === undefined) {
    const place = { ...at, namespace: target.namespace }
    const share = (path: readonly string[], value: unknown): Share => ({
      target: place,
      path,
      value,
      file: 'deployments.yaml',
    })
    const sentence = `${subject.metadata.name}: ${targetText(action)} is not in the package`
    return {
      shares: [
        share(['spec', 'replicas'], action.parameters.replicas),
        ...Object.entries(PARTIAL).map(([key, value]) => share(['metadata', 'annotations', key], value)),
      ],
      made: [],
      findings: [finding('PartialDeployment', sentence, { subject })],
    }
  }
  if (isDone(memory, action)) return { ...NOTHING, made: [[id, digest]] }
  const state = outcomeOf(memory, action)?.state
  if (state === 'Applied' || state === 'Succeeded') return { ...NOTHING, made: [[id, digest]] }
  if (!world.keepsFiles) {
    const sentence = `${subject.metadata.name}: ${targetText(action)} is edited in its file, which this host does not keep`
    return { ...NOTHING, findings: [finding('EditNeedsSource', sentence, { subject })] }
  }
  if (others.length > 0) {
    const files = [item, ...others].map((one) => pathOf(one) ?? 'a document without a path')
    const sentence = `${subject.metadata.name}: ${targetText(action)} is in ${files.length} documents, ${listNames(files)}, and an edit is made in one`
    return { ...NOTHING, findings: [finding('DeploymentTwice', sentence, { subject })] }
  }
  const { namespace } = item.object.metadata
  const place = { ...at, ...(namespace === undefined ? {} : { namespace }) }
  const shares = changesOf(action, item.object, decided).map(({ path, value }) => ({
    target: place,
    path,
    value,
    isEdit: true,
  }))
  return { shares, made: [[id, digest]], findings: [] }
}

function changesOf(
  action: Action,
  deployment: KubernetesObject,
  decided: Decided,
): Array<Pick<Share, 'path' | 'value'>> {
  const { type, parameters, target } = action
  if (type === 'scaleDeployment') return [{ path: ['spec', 'replicas'], value: parameters.replicas }]
  if (type === 'setImage') {
    const list = containersOf(deployment).find(({ name }) => name === parameters.container)?.list ?? 'containers'
    const path = ['spec', 'template', 'spec', list, String(parameters.container), 'image']
    return [{ path, value: parameters.image }]
  }
  const isLatest = (key: string) =>
    decided.applies(action, `Deployment/${target.namespace}/${target.name}/labels/${key}`)
  return Object.entries(labelsOf(action).set)
    .filter(([key]) => isLatest(key))
    .map(([key, value]) => ({ path: ['metadata', 'labels', key], value }))
}
