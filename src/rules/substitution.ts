import type { Planned, World } from '../core/index.ts'
import { codesAbout, type Finding, findingOf, listNames } from '../krm/finding.ts'
import { apiGroup, describe } from '../krm/identity.ts'
import { isMap, memberOf } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Changes and guards', {
  FluxSubstitutes: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'A rendered object contains a name in braces after a dollar sign, which a Flux Kustomization with postBuild replaces, and fails without a value. A warning if such a Kustomization is in the input.',
    mend: 'If Flux applies it with postBuild, annotate the template with kustomize.toolkit.fluxcd.io/substitute: disabled, or escape it with two dollar signs: docs/deliver/flux.md#postbuild-substitution.',
  },
})
const finding = findingOf(CODES)

export const substitution = {
  codes: CODES,
  check: ({ planned, world }) => substitutionFindings(planned, world),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  FluxSubstitutes: `
kind: DaemonSet
spec:
  template:
    spec:
      containers: [{ name: agent, image: agent:1, args: ["\${HOME}"] }]
`,
}

const FLUX = 'kustomize.toolkit.fluxcd.io'
const DISABLED = `${FLUX}/substitute`
/** The variables that Flux' postBuild replaces; two dollars stand for a literal one. */
const VARIABLE = /(?<!\$)\$\{/

/**
 * Reports text of rendered objects that Flux' postBuild would replace. The input shows whether Flux applies the objects
 * that way only if it holds Flux' Kustomization.
 */
export function substitutionFindings(planned: readonly Planned[], { everything }: World): Finding[] {
  const isKnown = everything.some(({ object }) => substitutes(object))
  return planned.flatMap(({ subject, objects }) => {
    // objects rendered from one source hold the same text
    const [found] = objects.map(({ object }) => object)
    if (found === undefined || isSpared(found) || placesIn(found).length === 0) return []
    const where = `${describe(found)} contains \${ in ${listNames(placesIn(found))}`
    const said = finding('FluxSubstitutes', `${subject.object.metadata.name}: ${where}`, { subject: subject.object })
    return [isKnown ? { ...said, severity: 'warning' as const } : said]
  })
}

function substitutes({ apiVersion, kind, spec }: KubernetesObject): boolean {
  return apiGroup(apiVersion) === FLUX && kind === 'Kustomization' && isMap(memberOf(spec, 'postBuild'))
}

function isSpared({ metadata: { annotations, labels } }: KubernetesObject): boolean {
  return [annotations, labels].some((marks) => marks?.[DISABLED] === 'disabled')
}

/** Returns the fields that hold such text, in keys or values. */
function placesIn(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return VARIABLE.test(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const place = path === '' ? key : `${path}.${key}`
    return VARIABLE.test(key) ? [place] : placesIn(member, place)
  })
}
