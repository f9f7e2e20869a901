import { type Schema, visitFields } from './schemas.ts'

/** The fields below spec as a Markdown table: field, type, default, meaning. */
export function fieldTable(root: Schema): string {
  const rows = ['| Field | Type | Default | Meaning, `example` |', '|---|---|---|---|']
  visitFields(root, (path, field, required) => {
    if (!path.startsWith('spec.') || field.title === undefined) return
    const name = path.slice('spec.'.length)
    const notBuilt = field['x-not-built'] ? ' Not built yet: refused with `NotBuilt`.' : ''
    const example = isPlain(field) ? '' : ` \`${JSON.stringify(field.examples?.[0])}\``
    rows.push(
      `| \`${name}\`${required ? ' (required)' : ''} | ${typeOf(field)} | ${field['x-not-built'] ? '' : defaultOf(field)} | ${field.description ?? ''}${example}${notBuilt} |`,
    )
  })
  return rows.join('\n')
}

/** Whether type or default show how a value is written, so that an example adds nothing. */
function isPlain({ examples, enum: values, default: usual, type }: Schema): boolean {
  return (
    examples?.[0] === undefined ||
    values !== undefined ||
    usual !== undefined ||
    type === 'boolean' ||
    type === 'integer'
  )
}

function typeOf(field: Schema): string {
  if (field.enum !== undefined) return field.enum.map((value) => `\`${value}\``).join(', ')
  // the only text that the field takes
  const [, word] = /^\^([a-z]+)\$$/.exec(field.pattern ?? '') ?? []
  const types = [field.type ?? 'any'].flat()
  return types.map((type) => (type === 'string' && word !== undefined ? `\`${word}\`` : type)).join(' or ')
}

function defaultOf(field: Schema): string {
  const own = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``
  const other = field['x-default-config-map']
  return other === undefined ? own : `${own}${own === '' ? '' : '; '}for a ConfigMap \`${JSON.stringify(other)}\``
}
