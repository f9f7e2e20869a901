import { hostPortsOf, keepOptionOf } from './daemonset/index.ts'
import { type Finding, finding } from './finding/index.ts'
import { describe } from './krm/identity.ts'
import { ownerOf } from './krm/ownership.ts'
import type { Item, KubernetesObject } from './krm/types.ts'
import type { Rendering } from './rendering.ts'
import { isMounted, markTemplate, releaseTemplate, type Scope } from './scope/index.ts'

/**
 * Marks what an enabled policy renders from, and hands back what none does any more: the target of a disabled policy, and
 * with every policy in scope any template whose policy is gone. A ConfigMap that a workload mounts stays as it is: it does
 * nothing by itself, and that workload would not start without it.
 */
export function handOver(
  scope: Scope,
  renderings: readonly Rendering[],
  everyPolicy: boolean,
  draft: { replaced: Map<Item, Item>; findings: Finding[] },
): void {
  const used = new Set(renderings.filter(({ enabled }) => enabled).map(({ template }) => template))
  const left = new Set(renderings.filter(({ enabled }) => !enabled).map(({ template }) => template))
  for (const item of scope.items) {
    const subject = item.object
    if (used.has(item) && !isMounted(item, scope.everything)) {
      const { item: marked, retired } = markTemplate(item)
      draft.replaced.set(item, marked)
      if (retired) draft.findings.push(...retirement(subject))
    } else if (left.has(item) || used.has(item) || (everyPolicy && ownerOf(subject) === undefined)) {
      const { item: free, released } = releaseTemplate(item)
      if (free !== item) draft.replaced.set(item, free)
      if (released) draft.findings.push(...release(subject))
    }
  }
}

function retirement(subject: KubernetesObject): Finding[] {
  const name = describe(subject)
  const retired = finding('StaticTemplateRetired', `${name} is now a template and no longer applied itself`, {
    subject,
  })
  return [retired, ...staying(subject), ...holding(subject)]
}

function release(subject: KubernetesObject): Finding[] {
  const text = `${describe(subject)} is applied again: no policy needs it to be kept back`
  return [finding('TemplateReleased', text, { subject }), ...holding(subject)]
}

function staying(subject: KubernetesObject): Finding[] {
  const option = keepOptionOf(subject.metadata)
  if (option === undefined || subject.kind === 'ConfigMap') return []
  const text = `${describe(subject)} has ${option}, so that it is not deleted when it is gone from what is applied: it goes on beside what is rendered from it`
  return [finding('StaticTemplateStays', text, { subject })]
}

/** Old and new pods of an agent that holds ports of its node cannot run beside each other. */
function holding(subject: KubernetesObject): Finding[] {
  const ports = subject.kind === 'DaemonSet' ? hostPortsOf(subject) : []
  if (ports.length === 0) return []
  const text = `${describe(subject)} holds ${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')} of its nodes: a new pod waits until the old one is deleted`
  return [finding('HostPortHeld', text, { subject })]
}
