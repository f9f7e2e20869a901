import { foreignOwners } from '../../core/object/index.ts'
import { cpuText, memoryText } from '../../facts/usage/index.ts'
import { plural } from '../../krm/finding.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { PodSpec } from '../../kube/index.ts'
import { type LeaveReason, lastingReason } from '../../plan/daemonset/index.ts'
import { isTodays, type Part } from '../../plan/sizing/index.ts'
import type { AgentLook } from './first-look.ts'
import { classesOfLook } from './first-rows.ts'

const TEXT = { cpu: cpuText, memory: memoryText } as const
const RESOURCES = ['cpu', 'memory'] as const

/** Why no policy is written for an agent, and what to do instead; undefined where groups of its own pay. */
export function leaveByUse(target: KubernetesObject, pod: PodSpec, look: AgentLook): LeaveReason | undefined {
  const { verdict, isWritten } = look.proposal
  const lasting = lastingReason(target, pod)
  if (lasting !== undefined) return lasting
  if (isWritten) return undefined
  const owner = foreignOwners(target)
    .map(({ text }) => text)
    .join('; ')
  const where = owner === '' ? 'where it is applied' : `in the ${owner}`
  if (verdict === 'not measured')
    return {
      why: 'not measured: nothing says what its pods use',
      next: 'give pods and metrics of the cluster, or what Prometheus knows (docs/daemonset/init.md)',
    }
  if (verdict === 'unset')
    return {
      why: 'unset: it requests nothing that one look could lower or raise',
      next: `measure it for a week, or set requests ${where}`,
    }
  if (verdict === 'fine')
    return {
      why: `fine: no other size and no groups pay${usedText(look)}`,
      next: 'leave it, or write groups with --anyway',
    }
  return {
    why: `${verdict}: one size serves all of its nodes${usedText(look)}`,
    next: `set ${changeText(look)} ${where}`,
  }
}

function usedText({ containers }: AgentLook): string {
  const pods = Math.max(0, ...containers.map((container) => container.pods.length))
  return pods === 0 ? '' : ` (${plural(pods, 'pod')} measured)`
}

/** The amounts of an agent that one size serves: `cpu 500m -> 251m and memory 512Mi -> 256Mi of agent`. */
export function changeText({ proposal, containers }: AgentLook): string {
  const [part] = proposal.parts.filter(({ nodes }) => nodes > 0)
  const texts = containers.flatMap(({ name, request, kind }, at) => {
    const own = part?.sizes[at]
    const changes = RESOURCES.flatMap((resource) => {
      const [was, is] = [request[resource], own?.[resource]?.size]
      if (kind === undefined || is === undefined || isTodays(is, was)) return []
      return [`${resource} ${was === undefined ? 'unset' : TEXT[resource](was)} -> ${TEXT[resource](is)}`]
    })
    const limit = proposal.limits[at]
    const limits = limit === undefined ? [] : [`limit of memory -> ${memoryText(limit)}`]
    return changes.length + limits.length === 0 ? [] : [`${[...changes, ...limits].join(', ')} of ${name}`]
  })
  return texts.length === 0 ? 'nothing' : texts.join('; ')
}

/** The size of each group of an agent: `small-medium 72m 173Mi, large 299m 400Mi`. */
export function groupTexts(look: AgentLook): string {
  return look.proposal.parts
    .filter(({ nodes }) => nodes > 0)
    .map((part) => `${nameOfPart(look, part)} ${sizeText(look, part)}`)
    .join(', ')
}

function nameOfPart(look: AgentLook, { from, to }: Part): string {
  const own = classesOfLook(look).filter((one) => one.from < to && one.to > from)
  return own.map(({ name }) => name).join('-')
}

function sizeText({ containers }: AgentLook, { sizes }: Part): string {
  return containers
    .flatMap(({ request }, at) => {
      const [cpu, memory] = RESOURCES.map((resource) => sizes[at]?.[resource]?.size ?? request[resource])
      const texts = [
        ...(cpu === undefined ? [] : [cpuText(cpu)]),
        ...(memory === undefined ? [] : [memoryText(memory)]),
      ]
      return texts.length === 0 ? [] : [texts.join(' ')]
    })
    .join(' + ')
}

/** A reason without the verdict that begins it. */
export function withoutVerdict(why: string): string {
  return why.replace(/^(?:fine|lower|raise|unset|not measured|leave it|starved): /, '')
}
