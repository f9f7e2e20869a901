import { earliest, emptyPlanned, type Planned, type World } from '../../core/index.ts'
import type { Fleet } from '../../facts/inventory/index.ts'
import { isNodeAction, isWorkloadSnapshot } from '../../kinds/index.ts'
import { type Finding, plural } from '../../krm/finding.ts'
import type { Item } from '../../krm/types.ts'
import { formatDuration, type Taint, timeText } from '../../kube/index.ts'
import { begunActs, cutDrains, planActs, queuedDrains } from './acts.ts'
import { agentFindings } from './agents.ts'
import { answersOf } from './answers.ts'
import { finding } from './codes.ts'
import { isEdit, planEdit } from './edits.ts'
import { planEnds } from './ends.ts'
import { taintFor } from './jobs.ts'
import { actionText, duplicateId, type Judged, judgeActions } from './judge.ts'
import { keysInPackage, keysOf } from './keyring.ts'
import { heldBefore, type Marks, marksOf, planLeases, showsNodes, tellsOfActions } from './leases.ts'
import { forgetOld, isSpent, latest, type Memory, outcomeOf, readMemory, renderRecord } from './memory.ts'
import { nodeNamesElsewhere, packageFindings } from './packages.ts'
import { type Decided, decide, fieldsOf } from './parameters.ts'
import { type Proofs, proofsOf } from './proof.ts'
import type { Action } from './read-action.ts'
import { accountOf, jobRows, rowLines, rowsOf } from './rows.ts'
import type { ActionSettings } from './settings.ts'
import { type Targets, targetFinding, targetsOf, whyNotBegun } from './targets.ts'
import { setTimeFindings, trustFindings, underTrust } from './trust.ts'
import { timesOf } from './verify.ts'

/** Plans all actions of a package: verifies them, decides between them, and renders leases, edits and Jobs. */
export function planActions(given: ActionSettings, world: World, planners: readonly Planned[]): Planned {
  const { trust } = world
  const { settings, findings: beyond } = underTrust(given, trust)
  const { subject } = settings
  const actions = world.items.filter(({ object }) => isNodeAction(object))
  const earlier = earlierOf(settings, world)
  const before = heldBefore(world, settings)
  // their accounts are in that namespace alone, and anybody may have written a Job into another one
  const start = emptyPlanned({ subject, earlier, staysInNamespace: true })
  const isIdle = actions.length + earlier.length + before.size === 0
  if (isIdle && !world.items.some(tellsOfActions)) return { ...start, account: accountOf([]) }
  const nodes = world.fleet(world.options.cluster)
  const fleet = nodes.value
  if (fleet === undefined) return { ...start, facts: { fleets: [nodes] } }
  const cluster = world.options.cluster ?? fleet.cluster
  // outcomes are those of the cluster: one of another is an error of its snapshot
  const lives = world.items.some(({ object }) => isWorkloadSnapshot(object)) ? [world.live(cluster)] : []
  const facts = { fleets: [nodes], lives }
  const clusterUid = world.clusterUid(cluster)
  // a time that a package sets is no protection: with a trust only that of the snapshot counts
  const now = trust === undefined ? world.now : world.observedAt
  if (now === undefined) {
    const sentence = `${subject.object.metadata.name}: no time is known for its actions`
    return { ...start, facts, findings: [finding('NoActionTime', sentence, { subject: subject.object })] }
  }
  const { value: memory, findings: recordFindings } = readMemory(earlier, world, cluster)
  const jobs = new Map(
    earlier.filter(({ object }) => object.kind === 'Job').map((item) => [item.object.metadata.name, item]),
  )
  const { keys, keyring, hasSecrets, findings: keyFindings } = keysOf(world, subject.object)
  const { requireSignature, maxLifetime } = settings
  const verifier = {
    ...{ keys, hasSecrets, requireSignature, cluster, now, maxLifetime },
    clusterUid: trust?.clusterUid ?? clusterUid,
    signatures: trust?.signatures,
    requireUid: trust?.clusterUid !== undefined,
    ...(trust === undefined ? {} : { skew: trust.maxClockSkew, clock: trust.byClock ? world.clock : undefined }),
  }
  const [, last] = timesOf(verifier)
  const all = judgeActions(actions, verifier, settings)
  const { judged, findings: spentFindings } = withoutSpent(all, memory, jobs)
  const findings = [
    ...recordFindings,
    ...keyFindings,
    ...keysInPackage(world.items, keyring, judged.read),
    ...timeFindings(settings, memory, last),
    ...setTimeFindings(settings, world),
    ...beyond,
    ...judged.findings,
    ...spentFindings,
    ...doneFindings(judged, memory, jobs),
    ...packageFindings(judged.valid, world),
  ]
  findings.push(...trustFindings(settings, world, cluster, judged.valid.length > 0))
  const marks = marksOf(world.items, fleet, world.clock)
  const known = [...earlier.map(({ object }) => object), ...before.values()]
  const targets = targetsOf(world, fleet)
  const sources = { items: actions, earlier: known, outcomes: memory.outcomes, ...(marks && { marks }) }
  const proofs = proofsOf(sources, verifier, (action) => whyNotBegun(action, targets, settings, trust) === undefined)
  const input = {
    settings,
    world,
    fleet,
    now,
    memory,
    judged,
    jobs,
    before,
    planners,
    targets,
    marks,
    proofs,
    found: findings,
  }
  const planned = render(input)
  return { ...start, ...planned, facts, cluster: cluster || undefined, findings: [...findings, ...planned.findings] }
}

interface RenderInput {
  readonly settings: ActionSettings
  readonly world: World
  readonly fleet: Fleet
  readonly now: Date
  readonly memory: Memory
  readonly judged: Judged
  /** The Jobs of earlier runs, by name. */
  readonly jobs: ReadonlyMap<string, Item>
  readonly before: ReturnType<typeof heldBefore>
  readonly planners: readonly Planned[]
  readonly targets: Targets
  readonly marks: Marks | undefined
  readonly proofs: Proofs
  /** What was found before. */
  readonly found: readonly Finding[]
}

function render(
  input: RenderInput,
): Pick<Planned, 'shares' | 'objects' | 'account' | 'actions' | 'answers' | 'until' | 'findings'> {
  const { settings, world, fleet, now, memory, judged, jobs, before, planners, targets, marks, proofs } = input
  const { decided, queued, applied, findings } = inTurn(judged.valid, targets, memory, jobs, settings)
  const actions = applied.filter((action) => !queued.has(action))
  const most = settings.maxConcurrent
  for (const action of queued) {
    const words = `${actionText(action)} waits: ${plural(most, 'node')} ${most === 1 ? 'is' : 'are'} drained at once`
    findings.push(finding('ActionQueued', words, { subject: action.subject }))
  }
  const willBeSeen = world.isSeen || memory.outcomes.at !== undefined || showsNodes(world.items, fleet)
  const elsewhere = nodeNamesElsewhere(world, fleet.cluster)
  const seen = { outcomes: memory.outcomes, marks, now, elsewhere, proofs }
  const leases = planLeases(actions, { decided, targets, before, seen })
  const edits = actions.filter(isEdit).map((action) => planEdit(action, decided, targets, memory, world))
  const observedAt = fleet.observedAt === undefined ? undefined : new Date(fleet.observedAt)
  const { trust } = world
  const actInput = { trust, settings, targets, decided, memory, before, jobs, proofs, now, observedAt }
  const acts = planActs(actions, actInput)
  const ends = planEnds(acts.objects, wantedTaints(actions, settings), actInput)
  const known = {
    // an action that is suspended or has no target may still apply later
    sequences: decide(actions, memory).sequences,
    done: new Map([...memory.done, ...edits.flatMap(({ made }) => made), ...acts.done]),
    untimed: memory.untimed,
    keepUntil: keepTimes(actions, memory, settings),
    expiredUntil: latest([memory.expiredUntil, ...judged.expired]),
    ...(memory.spentUntil === undefined ? {} : { spentUntil: memory.spentUntil }),
    ...(memory.setBackAt === undefined ? {} : { setBackAt: memory.setBackAt }),
  }
  const record = renderRecord(settings.subject.object, forgetOld(known, now, settings.maxLifetime))
  const rendered = actions.map((action) =>
    finding('ActionRendered', `${actionText(action)} applies until ${timeText(action.expiresAt)}${askedBy(action)}`, {
      subject: action.subject,
    }),
  )
  const all = [
    ...decided.findings,
    ...findings,
    ...edits.flatMap((edit) => edit.findings),
    ...acts.findings,
    ...ends.findings,
    ...unprovedFindings(settings, leases.unproved),
    ...(willBeSeen ? [] : unseenFindings(settings, leases.held)),
    ...agentFindings(actions, settings, planners),
    ...cutDrains(actions, memory, jobs, { isKnown: world.isSeen || memory.outcomes.at !== undefined, now }),
    ...rendered,
  ]
  const made = [...acts.objects, ...ends.objects]
  const rows = rowsOf({ judged, findings: [...input.found, ...all], names: acts.names, done: known.done, settings })
  return {
    shares: [...leases.shares, ...edits.flatMap(({ shares }) => shares)],
    objects: [...made, ...(record === undefined ? [] : [record])],
    account: [...accountOf(rows, made.length, leases), ...rowLines(rows, memory), ...jobRows(made)],
    actions: rows,
    answers: answersOf({ rows, judged, findings: [...input.found, ...all], memory, objects: acts.objects, leases }),
    until: earliest(judged.coming.filter((time) => time > now)),
    findings: all,
  }
}

/** Returns until when sequences and acts are remembered: no action that they keep away may be valid any more. */
function keepTimes(actions: readonly Action[], { keepUntil }: Memory, { maxLifetime }: ActionSettings) {
  const times = new Map(keepUntil)
  const keep = (key: string, time: Date) => times.set(key, latest([times.get(key), time]) ?? time)
  for (const action of actions) {
    const { main, more } = fieldsOf(action)
    for (const field of [...main, ...more]) keep(field, new Date(action.expiresAt.getTime() + maxLifetime))
    keep(action.id, action.expiresAt)
  }
  return times
}

/** Decides between valid actions. What a drain that waits would decide stays with the actions before it. */
function inTurn(
  valid: readonly Action[],
  targets: Targets,
  memory: Memory,
  jobs: ReadonlyMap<string, Item>,
  settings: ActionSettings,
): {
  readonly decided: Decided
  readonly queued: ReadonlySet<Action>
  readonly applied: readonly Action[]
  readonly findings: Finding[]
} {
  const decidedOf = (waiting: ReadonlySet<Action>) => {
    const decided = decide(valid, memory, waiting)
    const { actions: applied, findings } = applicable(valid, decided, targets, settings)
    return { decided, applied, findings }
  }
  const first = decidedOf(new Set())
  const queued = queuedDrains(first.applied, memory, jobs, settings)
  return { ...(queued.size === 0 ? first : decidedOf(queued)), queued }
}

/** Returns the actions that have something to act on now, with what is reported of the others. */
function applicable(
  valid: readonly Action[],
  decided: Decided,
  targets: Targets,
  settings: ActionSettings,
): { actions: readonly Action[]; findings: Finding[] } {
  const findings: Finding[] = []
  const actions = valid.filter((action) => {
    const { subject } = action
    const problem = targetFinding(action, targets, settings)
    if (problem !== undefined) findings.push(problem)
    else if (decided.isSuperseded(action))
      findings.push(finding('ActionSuperseded', `${actionText(action)} is superseded by a later action`, { subject }))
    else if (settings.suspend)
      findings.push(finding('ActionSuspended', `${actionText(action)} is verified and not rendered`, { subject }))
    else return true
    return false
  })
  return { actions, findings }
}

/** What the policy rendered before, in whatever namespaces: Jobs have another one than the record. */
function earlierOf({ owners, subject, job }: ActionSettings, world: World): readonly Item[] {
  const spaces = owners.flatMap((owner) => world.ownedBy(owner)).map(({ object }) => object.metadata.namespace)
  const { namespace } = subject.object.metadata
  const all = [...new Set([namespace, job.namespace, ...spaces])].map((space) => world.earlier(owners, space).items)
  return [...new Set(all.flat())]
}

function wantedTaints(actions: readonly Action[], { hold }: ActionSettings): Map<string, Taint[]> {
  const taints = new Map<string, Taint[]>()
  for (const action of actions) {
    if (action.type !== 'taintNode' && !(action.type === 'drainNode' && hold === 'taint')) continue
    const { name } = action.target
    taints.set(name, [...(taints.get(name) ?? []), taintFor(action)])
  }
  return taints
}

/** Reports that nothing will tell later runs which nodes they have to give back. */
function unseenFindings({ subject }: ActionSettings, held: ReadonlySet<string>): Finding[] {
  if (held.size === 0) return []
  const { object } = subject
  const sentence = `${object.metadata.name}: nothing will show later runs that ${plural(held.size, 'node')} ${held.size === 1 ? 'is' : 'are'} held`
  return [finding('NodesStayHeld', sentence, { subject: object })]
}

/** Reports nodes that stay held: a document, an outcome or a mark that anybody may have written gives nothing back. */
function unprovedFindings({ subject: { object: subject } }: ActionSettings, nodes: readonly string[]): Finding[] {
  return nodes.map((node) => {
    const sentence = `${subject.metadata.name}: Node ${node} is said to be held by actions, and is not given back: no signed action that verifies explains it`
    return finding('EndUnproved', sentence, { subject })
  })
}

function timeFindings({ subject }: ActionSettings, { expiredUntil }: Memory, now: Date): Finding[] {
  if (expiredUntil === undefined || now >= expiredUntil) return []
  const { name } = subject.object.metadata
  const by = formatDuration(BigInt(expiredUntil.getTime() - now.getTime()) * 1_000_000n)
  const sentence = `${name}: the time of the run is ${timeText(now)}, but actions have expired at ${timeText(expiredUntil)}, ${by} later`
  return [finding('TimeWentBack', sentence, { subject: subject.object })]
}

/** Types of which nothing begins: they state what holds as long as they are valid, and may do so again. */
const LASTING: ReadonlySet<string> = new Set(['cordonNode', 'uncordonNode', 'labelNode'])

/** Leaves out acts and edits that may have been done by a run that took a later time for the present. */
function withoutSpent(
  judged: Judged,
  memory: Memory,
  jobs: ReadonlyMap<string, Item>,
): { judged: Judged; findings: Finding[] } {
  const begun = begunActs(jobs)
  const isShown = ({ id, digest }: Action) =>
    begun.get(id) === digest || outcomeOf(memory, { id, digest }) !== undefined
  const spent = judged.valid.filter((one) => !LASTING.has(one.type) && isSpent(memory, one) && !isShown(one))
  if (spent.length === 0) return { judged, findings: [] }
  const until = timeText(memory.spentUntil ?? new Date(0))
  const findings = spent.map((action) =>
    finding(
      'ActionSpent',
      `${actionText(action)} expires before ${until}, which an earlier run took for the present: it may have been done, and is not begun`,
      { subject: action.subject },
    ),
  )
  return { judged: { ...judged, valid: judged.valid.filter((one) => !spent.includes(one)) }, findings }
}

function doneFindings({ valid }: Judged, memory: Memory, jobs: ReadonlyMap<string, Item>): Finding[] {
  const begun = begunActs(jobs)
  return valid.flatMap(({ subject, id, digest }) => {
    const known = memory.done.get(id) ?? begun.get(id)
    if (known === undefined || known === digest) return []
    const words = memory.done.has(id) ? 'was done before' : 'has begun'
    return [duplicateId(subject, `another action with the id ${id} ${words}`)]
  })
}

function askedBy({ requester, reason }: Action): string {
  return `${requester === undefined ? '' : `, for ${requester}`}${reason === undefined ? '' : `: ${reason}`}`
}
