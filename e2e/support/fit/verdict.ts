/** What nodefit says of a case: by the rules alone, and by a whole run. */
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { type PodSpec, quotaApplies, type ResourceQuantities, resourceShortages } from '../../../src/kube/index.ts'
import { limitsOf, podAs } from '../../../src/rules/fit/agents.ts'
import { refusalsOf } from '../../../src/rules/fit/refusals.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, listOf, sizedSpec } from '../../../test/support/objects.ts'
import type { Case } from './draw-case.ts'

/** A verdict, and whether Kubernetes may be milder, since LimitRanges disagree and it asks them in any order. */
export interface Verdict {
  readonly pod: PodSpec
  readonly refused: boolean
  readonly fits: boolean
  readonly ambiguous: boolean
}

const REFUSED = ['ResourcesRefused', 'LimitRangeRefuses', 'ResourceQuotaRefuses']
const CLUSTER = 'fit'

/** The pod of the case as it was drawn, by the rules. */
export function byRules({ pod: template, node, limits }: Case, namespace: string, used: ResourceQuantities): Verdict {
  const read = limitsOf(limits.map(newItem), namespace)
  const [problem] = read.findings
  if (problem !== undefined) throw new Error(`${problem.message}, which the API server took`)
  const pod = podAs(template, read)
  if (pod === undefined) throw new Error('a drawn amount is malformed')
  const { allocatable } = node.status as { allocatable: ResourceQuantities }
  const byQuota = read.quotas.some(
    ({ quota }) => quotaApplies(quota, pod.spec) && refusalsOf(quota, pod.spec).length > 0,
  )
  return {
    pod: template,
    refused: pod.refusals.length > 0 || byQuota,
    fits: resourceShortages(pod.requests, allocatable, used).length === 0,
    ambiguous: pod.ambiguous.length > 0,
  }
}

/** The pod of the one group that a run renders for the node, by what the run says of it; undefined where it renders none. */
export function byPlan(one: Case, namespace: string, snapshot: KubernetesObject): Verdict | string {
  const { resources: _, ...pod } = one.pod
  const made = plan(
    listOf([
      daemonSet(pod as Record<string, unknown>, { namespace }),
      {
        apiVersion: 'nodefit.dev/v1alpha1',
        kind: 'SizingPolicy',
        metadata: { name: 'agent', namespace },
        spec: policySpec(one),
      },
      {
        apiVersion: 'nodefit.dev/v1alpha1',
        kind: 'RenderConfig',
        metadata: { name: 'config' },
        spec: { cluster: CLUSTER },
      },
      one.node,
      snapshot,
      ...one.limits,
    ]),
  )
  const rendered = renderedFor(made, one.node.metadata.name)
  const codes = made.findings.map(({ code }) => code)
  const unexpected = made.findings.find(
    ({ severity, code }) => severity === 'error' && ![...REFUSED, 'DoesNotFit'].includes(code),
  )
  if (rendered === undefined || unexpected !== undefined) return unexpected?.code ?? 'no group'
  return {
    pod: rendered,
    refused: REFUSED.some((code) => codes.includes(code)),
    fits: !codes.includes('DoesNotFit'),
    ambiguous: codes.includes('LimitRangeAmbiguous'),
  }
}

function policySpec({ policy }: Case): object {
  return sizedSpec({ ...policy, targetRef: { kind: 'DaemonSet', name: 'agent' }, cluster: CLUSTER })
}

function renderedFor({ packages }: Plan, node: string): PodSpec | undefined {
  const objects = packages.flatMap(({ planned }) => planned.flatMap((one) => one.objects))
  const own = objects.find(({ nodes }) => nodes.includes(node))
  return (own?.object.spec as { template: { spec: PodSpec } } | undefined)?.template.spec
}
