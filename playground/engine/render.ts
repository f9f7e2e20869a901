import { type FleetJson, fleetJson } from '../../src/face/index.ts'
import { isNodeSource, readFleet, type Shape } from '../../src/facts/inventory/index.ts'
import { isPlanned, manifestsOf, manifestTexts } from '../../src/host/files/manifest.ts'
import { isActionKeyring, isNodeAction, isOrder, isSizingPolicy } from '../../src/kinds/index.ts'
import { plural } from '../../src/krm/finding.ts'
import type { Item } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { BOXES, type Box, MOST_CHARACTERS, type Texts } from './boxes.ts'
import { type Changes, changedPolicies } from './change-policy.ts'
import { type Controls, controlsOf } from './controls.ts'
import { type Mark, marksOf, problemMarks } from './marks.ts'
import { isForTargets, isTarget, proposedPolicies } from './propose.ts'
import { type Problem, problemOf, readBox } from './read-box.ts'
import { NO_VIEWS, type Views, viewsOf } from './view.ts'

/** What a user gives. */
export interface Request {
  readonly texts: Texts
  /** Whether the policy is the user's own; else one is proposed where it is missing or for another target. */
  readonly isOwn: boolean
  readonly changes?: Changes
}

/** What comes out, as a page shows it. */
export interface Rendering {
  /** `waits` where a text is missing, which `missing` names. */
  readonly state: 'waits' | 'failed' | 'done'
  readonly missing?: Box
  /** The policy where it is another than was given: proposed, or changed by a control. */
  readonly policy?: string
  /** One sentence about all. */
  readonly sentence: string
  readonly views: Views
  readonly counts: Readonly<Record<'error' | 'warning' | 'info', number>>
  /** The manifests as `nodefit build` prints them; empty where it fails. */
  readonly yaml: string
  readonly marks: readonly Mark[]
  readonly controls: Controls
}

/** Renders as `nodefit build nodes.yaml daemonset.yaml policy.yaml` does. Throws nothing for mistakes of the user. */
export function renderTexts({ texts, isOwn, changes }: Request): Rendering {
  const length = BOXES.reduce((sum, box) => sum + texts[box].length, 0)
  if (length > MOST_CHARACTERS)
    return failed(texts, {
      code: 'TooLarge',
      sentence: `the texts have ${length} characters, and may have ${MOST_CHARACTERS}: give a NodeInventory instead of nodes (nodefit inventory nodes.json)`,
    })
  const missing = missingBox(texts)
  if (missing !== undefined) return waiting(texts, missing)
  const inputs = [...readBox('nodes', texts.nodes).items, ...readBox('daemonSet', texts.daemonSet).items]
  try {
    const policy = policyText({ texts, isOwn, changes }, inputs)
    return withPolicy({ ...texts, policy }, policy === texts.policy ? undefined : policy)
  } catch (error) {
    return failed(texts, problemOf(error))
  }
}

/** An empty text whose objects are in no other one either. */
function missingBox(texts: Texts): Box | undefined {
  const objects = readable(texts).map(({ object }) => object)
  if (texts.nodes.trim() === '' && !objects.some(isNodeSource)) return 'nodes'
  return texts.daemonSet.trim() === '' && !objects.some((object) => isTarget(object) || isOrder(object))
    ? 'daemonSet'
    : undefined
}

function policyText({ texts, isOwn, changes }: Request, inputs: readonly Item[]): string {
  const isUnread = (['nodes', 'daemonSet'] as const).some((box) => readBox(box, texts[box]).problem !== undefined)
  if (isUnread) return texts.policy
  const policies = readBox('policy', texts.policy)
  const targets = inputs.map(({ object }) => object).filter(isTarget)
  const isProposed = !isOwn && (texts.policy.trim() === '' || !isForTargets(policies.items, targets))
  const isPossible = targets.length > 0 && inputs.some(({ object }) => isNodeSource(object))
  if (isProposed && isPossible) return proposedPolicies(inputs, changes?.label)
  if (changes === undefined || policies.problem !== undefined) return texts.policy
  return changedPolicies(texts.policy, changes) ?? texts.policy
}

function withPolicy(texts: Texts, policy: string | undefined): Rendering {
  const read = BOXES.filter((box) => texts[box].trim() !== '').map((box) => readBox(box, texts[box]))
  const problems = read.flatMap(({ problem }) => problem ?? [])
  const [problem] = problems
  if (problem !== undefined) return { ...failed(texts, ...problems), policy }
  const items = read.flatMap((one) => one.items)
  const action = items.find(({ object }) => isNodeAction(object) || isActionKeyring(object))
  if (action !== undefined)
    return failed(texts, {
      code: 'NotHere',
      sentence: `${action.object.kind} ${action.object.metadata.name}: this page verifies no signatures; nodefit build does`,
    })
  const planned = plan(
    { apiVersion: 'config.kubernetes.io/v1', items, results: [] },
    { flat: 'look', keepsFiles: false },
  )
  const fleet = fleetJson(planned)
  return {
    state: planned.failed ? 'failed' : 'done',
    policy,
    sentence: sentenceOf(fleet),
    views: viewsOf(fleet),
    counts: countsOf(fleet),
    yaml: yamlOf(planned),
    marks: marksOf(planned.findings, texts),
    controls: controlsOf(firstPolicyIn(items), shapesIn(items), fleet.packages),
  }
}

function yamlOf(planned: Plan): string {
  return planned.failed || !isPlanned(planned) ? '' : manifestTexts(manifestsOf(planned)).join('---\n')
}

function sentenceOf({ failed, clusters, packages, totals, findings }: FleetJson): string {
  const [first] = findings
  if (failed) return first === undefined ? 'nothing is rendered' : `${first.code}: ${first.sentence}`
  const nodes = clusters.reduce((sum, cluster) => sum + cluster.nodes, 0)
  const groups = packages.flatMap(({ agents }) => agents.flatMap((agent) => agent.groups)).length
  const change = (key: 'cores' | 'gib') => {
    const [before, after] = [totals?.before?.[key], totals?.after[key]]
    return before === undefined || before === after ? after : `${before} to ${after}`
  }
  const sums = totals === undefined ? '' : `; all pods request ${change('cores')} cores and ${change('gib')} GiB`
  return `${plural(nodes, 'node')} in ${plural(groups, 'node group')}${sums}`
}

function countsOf({ findings }: Pick<FleetJson, 'findings'>): Rendering['counts'] {
  const count = (severity: string) => findings.filter((one) => one.severity === severity).length
  return { error: count('error'), warning: count('warning'), info: count('info') }
}

function failed(texts: Texts, ...problems: readonly Problem[]): Rendering {
  const findings = problems.map(({ code, sentence }) => ({ severity: 'error' as const, code, sentence }))
  const fleet: FleetJson = { failed: true, clusters: [], overview: [], packages: [], findings }
  const items = texts.nodes.length + texts.policy.length > MOST_CHARACTERS ? [] : readable(texts)
  return {
    state: 'failed',
    sentence: sentenceOf(fleet),
    views: viewsOf(fleet),
    counts: countsOf(fleet),
    yaml: '',
    marks: problems.flatMap((problem) => problemMarks(problem, texts)),
    controls: controlsOf(firstPolicyIn(items), shapesIn(items)),
  }
}

function waiting(texts: Texts, missing: Box): Rendering {
  return {
    state: 'waits',
    missing,
    sentence: missing === 'nodes' ? 'Paste your nodes into 1.' : 'Paste a DaemonSet into 2.',
    views: NO_VIEWS,
    counts: { error: 0, warning: 0, info: 0 },
    yaml: '',
    marks: [],
    controls: controlsOf(undefined, shapesIn(readable(texts))),
  }
}

/** The objects of the texts that can be read. */
function readable(texts: Texts): Item[] {
  return BOXES.flatMap((box) => (texts[box].trim() === '' ? [] : readBox(box, texts[box]).items))
}

function firstPolicyIn(items: readonly Item[]) {
  return items.map(({ object }) => object).find(isSizingPolicy)
}

function shapesIn(items: readonly Item[]): readonly Shape[] {
  const sources = items.map(({ object }) => object).filter(isNodeSource)
  return sources.length === 0 ? [] : (readFleet(sources, undefined).value?.shapes ?? [])
}
