import type { Planned } from '../core/index.ts'
import { type Searched, secretLines, secretPaths } from '../core/object/index.ts'
import { codesAbout, type Finding, findingOf, listNames } from '../krm/finding.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Templates', {
  SecretInOutput: {
    severity: 'warning',
    meaning:
      'A rendered object or a ConfigMap of the package holds what looks like credentials: a URL with a user, a token, text under a name such as password. Whoever reads the repository reads them. The value is not printed.',
    mend: 'Refer to a Secret: valueFrom: { secretKeyRef: { name: NAME, key: KEY } } for a variable, $(VARIABLE) in an argument, a mounted Secret for a file. Replace a value that was committed.',
  },
})
const finding = findingOf(CODES)

export const secrets = {
  codes: CODES,
  check: ({ planned, items }) => secretFindings(planned, items),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  SecretInOutput: `
kind: DaemonSet
spec:
  template:
    spec:
      containers:
        - name: agent
          image: agent:1
          env: [{ name: API_TOKEN, value: x1 }]
`,
}

const MOST_PATHS = 10

/**
 * Reports credentials that stand in rendered objects and in ConfigMaps of the package, and therefore in Git: once for
 * each subject or ConfigMap, with the paths, and never with a value. References, paths and booleans are no credentials.
 */
export function secretFindings(planned: readonly Planned[], items: readonly Item[]): Finding[] {
  const sources = new Set(planned.map(({ source }) => source?.object.metadata.name))
  return [
    ...outputFindings(planned),
    ...items
      .map(({ object }) => object)
      // what is rendered from a template shows what that holds
      .filter(
        ({ apiVersion, kind, metadata }) => apiVersion === 'v1' && kind === 'ConfigMap' && !sources.has(metadata.name),
      )
      .flatMap(configFindings),
  ]
}

/** Reports a ConfigMap of the package, which is applied or kept in Git, with credentials in its texts. */
function configFindings(object: KubernetesObject): Finding[] {
  const paths = secretLines(object)
  if (paths.length === 0) return []
  const sentence = `what looks like credentials stands in ConfigMap ${object.metadata.name} at ${listNames(paths, MOST_PATHS)}`
  return [finding('SecretInOutput', sentence, { subject: object, field: { path: paths[0] ?? '' } })]
}

function outputFindings(planned: readonly Planned[]): Finding[] {
  return planned.flatMap(({ subject, objects }) => {
    const byPath = new Map<string, KubernetesObject>()
    const searched: Searched = new Map()
    for (const { object } of objects)
      for (const path of secretPaths(object, searched)) if (!byPath.has(path)) byPath.set(path, object)
    const [first] = byPath.values()
    if (first === undefined) return []
    const paths = listNames([...byPath.keys()], MOST_PATHS)
    const sentence = `${subject.object.metadata.name}: what looks like credentials stands in ${first.kind} ${first.metadata.name} at ${paths}`
    return [finding('SecretInOutput', sentence, { subject: first, field: { path: [...byPath.keys()][0] ?? '' } })]
  })
}
