import { dump } from 'js-yaml'
import { isMap } from '../../src/krm/map.ts'

/** Formats documents as a person writes them: what fits into a line of 100 columns stands in one. */
export function yamlText(documents: readonly unknown[]): string {
  return documents.map((one) => block(one, '')).join('\n---\n')
}

function block(value: unknown, indent: string): string {
  if (Array.isArray(value))
    return value
      .map((one) => {
        const text = lined(one, `${indent}  `)
        return `${indent}- ${text.startsWith('\n') ? text.slice(indent.length + 3) : text.trimStart()}`
      })
      .join('\n')
  return Object.entries(value as object)
    .map(([key, one]) => `${indent}${scalar(key)}:${lined(one, `${indent}  `)}`)
    .join('\n')
}

/** In the line of its key, where it has room there. */
function lined(value: unknown, indent: string): string {
  const text = inline(value)
  const isTop = indent.length === 2 && isMap(value) && Object.keys(value).length > 1
  const isShort = !isTop && indent.length + text.length < 90
  if (typeof value === 'string' && value.includes('\n'))
    return ` |${value.endsWith('\n') ? '' : '-'}\n${value.replace(/\n$/, '').replace(/^(?=.)/gm, indent)}`
  return isShort || value === null || typeof value !== 'object' ? ` ${text}` : `\n${block(value, indent)}`
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (!isMap(value)) return scalar(value)
  const entries = Object.entries(value).map(([key, one]) => `${scalar(key)}: ${inline(one)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

function scalar(value: unknown): string {
  const text = dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd()
  return /^[^"'].*[,{}[\]]/.test(text) && typeof value === 'string' ? JSON.stringify(value) : text
}
