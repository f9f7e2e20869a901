import { indexBy, type Planned } from '../core/index.ts'
import { imagesOf } from '../core/object/index.ts'
import type { Outcome } from '../fate/index.ts'
import { codesAbout, type Finding, findingOf, listNames } from '../krm/finding.ts'
import { describe, isLocalConfig } from '../krm/identity.ts'
import { ownerOf, TEMPLATE } from '../krm/remembered.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { placeOf } from './place.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Coverage and doubles', {
  AgentTwice: {
    severity: 'warning',
    meaning:
      'A DaemonSet, or a target that is applied again, runs the same images on the same nodes as a rendered one: two agents a node.',
    mend: 'Apply the groups, wait until their pods are ready, then remove it from the package; an agent with host ports must be deleted first, which leaves a gap (docs/daemonset/moving-over.md#delete-first). If it is never applied, annotate it config.kubernetes.io/local-config: "true".',
  },
})
const finding = findingOf(CODES)

export const duplicateAgents = {
  codes: CODES,
  check: (review) => duplicateAgentFindings(review.planned, review),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  AgentTwice: `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent-of-the-chart }
spec:
  selector: { matchLabels: { app: chart } }
  template:
    metadata: { labels: { app: chart } }
    spec: { containers: [{ name: agent, image: agent:1 }] }
`,
}

/** What replaces an agent: the objects that a subject renders, or the target that it hands back. */
interface Agents {
  readonly who: string
  readonly objects: readonly KubernetesObject[]
}

/**
 * Reports DaemonSets of the package that nodefit did not render and that run the same images, tags and digests aside,
 * on the nodes of rendered ones: a static copy, a template that came back, a group that lost its owner annotation.
 * Reports the same for a target that is handed back. A DaemonSet that has the name of a rendered object is reported as
 * ForeignObject instead.
 */
export function duplicateAgentFindings(planned: readonly Planned[], outcome: Outcome): Finding[] {
  const applied = outcome.items.map(({ object }) => object).filter(isAppliedDaemonSet)
  const back = handedBack(outcome)
  const foreign = applied.filter((object) => ownerOf(object) === undefined && !back.includes(object))
  if (foreign.length === 0 && back.length === 0) return []
  const rendered = new Set(planned.flatMap(({ objects }) => objects.map(({ object }) => describe(object))))
  const twins = foreign.filter((object) => !rendered.has(describe(object)))
  return [
    ...twinFindings(
      planned.map(({ subject, objects }) => ({
        who: subject.object.metadata.name,
        objects: objects.map(({ object }) => object).filter(isDaemonSet),
      })),
      [...twins, ...back],
    ),
    ...twinFindings(
      back.map((object) => ({ who: `${object.metadata.name} is applied again`, objects: [object] })),
      twins,
    ),
  ]
}

/**
 * Reports twins of the DaemonSets of an entry, each with those that it overlaps; objects rendered from one source have
 * the same images.
 */
function twinFindings(all: readonly Agents[], twins: readonly KubernetesObject[]): Finding[] {
  const byImages = indexBy(twins, imagesOf)
  return all.flatMap(({ who, objects }) => {
    const [first] = objects
    const images = first === undefined ? undefined : imagesOf(first)
    return (images === undefined ? [] : (byImages.get(images) ?? [])).flatMap((twin) => {
      const met = objects.filter((object) => meet(object, twin)).map(describe)
      if (met.length === 0) return []
      const sentence = `${who}: ${describe(twin)} runs the same images on the same nodes as ${listNames(met)}`
      return [finding('AgentTwice', sentence, { subject: twin })]
    })
  })
}

/** Returns the DaemonSets that were kept back as templates, and are applied again now. */
function handedBack({ replaced }: Outcome): KubernetesObject[] {
  return [...replaced].flatMap(([before, after]) => {
    const isBack = before.object.metadata.annotations?.[TEMPLATE] !== undefined
    return isBack && after !== undefined && isAppliedDaemonSet(after.object) ? [after.object] : []
  })
}

function meet(one: KubernetesObject, other: KubernetesObject): boolean {
  const [left, right] = [placeOf(one), placeOf(other)]
  return left !== undefined && right !== undefined && left.meets(right)
}

function isAppliedDaemonSet(object: KubernetesObject): boolean {
  return isDaemonSet(object) && !isLocalConfig(object.metadata.annotations)
}

function isDaemonSet({ apiVersion, kind }: KubernetesObject): boolean {
  return apiVersion === 'apps/v1' && kind === 'DaemonSet'
}
