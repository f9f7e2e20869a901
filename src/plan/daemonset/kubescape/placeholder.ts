/** The fields that the template of Kubescape's chart leaves open for each group (research: kubescape section 1.8). */
export const PLACEHOLDERS = [
  'Name',
  'NodeGroupLabel',
  'NodeGroupLabelKey',
  'Resources.Requests.CPU',
  'Resources.Requests.Memory',
  'Resources.Limits.CPU',
  'Resources.Limits.Memory',
  'GoMemLimit',
  'SELinuxType',
] as const

export type Placeholder = (typeof PLACEHOLDERS)[number]

const WHOLE = /^\s*\{\{-?\s*\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*-?\}\}\s*$/
const ACTION = /\{\{[^{}]*\}\}/g
/** Actions that change what the dot refers to. */
const OTHER_DOT = /\{\{-?\s*(?:with|range|define|template|block)\s/
/** Matches a field of the chart within an action. */
const NAMED = new RegExp(
  `[\\s({|]\\$?\\.(?:${PLACEHOLDERS.map((field) => field.replaceAll('.', '\\.')).join('|')})(?![\\w.])`,
)
const NAME = /^([^{}]*)\{\{-?\s*\.Name\s*-?\}\}([^{}]*)$/

/** Returns the field of a scalar that consists of one placeholder; undefined for any other value. */
export function fieldOf(value: unknown): string | undefined {
  return typeof value === 'string' ? WHOLE.exec(value)?.[1] : undefined
}

export function isPlaceholder(value: unknown, ...fields: Placeholder[]): boolean {
  const field = fieldOf(value)
  return field !== undefined && (fields as string[]).includes(field)
}

/** Returns the text before and after `{{ .Name }}`; undefined if it is missing or the text has other braces. */
export function aroundName(text: unknown): { before: string; after: string } | undefined {
  const match = typeof text === 'string' ? NAME.exec(text) : null
  return match === null ? undefined : { before: (match[1] ?? '').trim(), after: (match[2] ?? '').trim() }
}

/**
 * Returns the scalars and keys that consist of one placeholder whose field the chart does not have, with their paths.
 */
export function unknownFields(value: unknown): Array<{ path: string; field: string }> {
  return fields(value, '').filter(({ field }) => !(PLACEHOLDERS as readonly string[]).includes(field))
}

/**
 * Returns the actions of Go's templates, in keys or scalars, that use a field of the chart in a longer expression: the
 * operator would evaluate them, but nodefit does not, so the pod would receive the braces as text. A text that rebinds
 * the dot is left alone: it is meant for another program.
 */
export function actionsOnFields(value: unknown, path = ''): Array<{ path: string; action: string }> {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, member]) => {
      const memberPath = path === '' ? key : `${path}.${key}`
      return [...actionsIn(key, memberPath), ...actionsOnFields(member, memberPath)]
    })
  return typeof value === 'string' ? actionsIn(value, path) : []
}

function actionsIn(text: string, path: string): Array<{ path: string; action: string }> {
  if (!text.includes('{{') || OTHER_DOT.test(text)) return []
  const actions = [...text.matchAll(ACTION)].map(([action]) => action)
  const found = actions.find((action) => fieldOf(action) === undefined && NAMED.test(action))
  return found === undefined ? [] : [{ path, action: found }]
}

/** Returns all scalars and keys that consist of one placeholder, with their paths. */
export function fields(value: unknown, path: string): Array<{ path: string; field: string }> {
  if (typeof value !== 'object' || value === null) {
    const field = fieldOf(value)
    return field === undefined ? [] : [{ path, field }]
  }
  return Object.entries(value).flatMap(([key, member]) => {
    const memberPath = path === '' ? key : `${path}.${key}`
    const field = fieldOf(key)
    return [...(field === undefined ? [] : [{ path: memberPath, field }]), ...fields(member, memberPath)]
  })
}

/** Returns the first known field within each longer text, with its path. */
export function placeholdersInText(value: unknown, path = ''): Array<{ path: string; field: string }> {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, member]) =>
      placeholdersInText(member, path === '' ? key : `${path}.${key}`),
    )
  if (typeof value !== 'string' || !value.includes('{{') || fieldOf(value) !== undefined) return []
  const found = PLACEHOLDERS.find((field) =>
    new RegExp(`\\{\\{-?\\s*\\.${field.replaceAll('.', '\\.')}\\s*-?\\}\\}`).test(value),
  )
  return found === undefined ? [] : [{ path, field: found }]
}

/**
 * Returns the value with every scalar that consists of one known placeholder replaced. A placeholder without a value
 * stays, and a list or map in which nothing is replaced is returned as the same object.
 */
export function fill<T>(value: T, values: ReadonlyMap<string, string | undefined>): T {
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
    const filled = members.map(([key, member]) => [key, fill(member, values)] as const)
    if (filled.every(([, member], index) => member === members[index]?.[1])) return value
    return (Array.isArray(value) ? filled.map(([, member]) => member) : Object.fromEntries(filled)) as T
  }
  const field = fieldOf(value)
  return field === undefined ? value : ((values.get(field) as T) ?? value)
}

/** Returns the keys of a map under which the group label is set: the key or its value is a placeholder for it. */
export function groupKeys(map: Record<string, string> | null | undefined): string[] {
  return Object.entries(map ?? {})
    .filter(([key, value]) => isPlaceholder(value, 'NodeGroupLabel') || isPlaceholder(key, 'NodeGroupLabelKey'))
    .map(([key]) => key)
}
