import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { hoverTooltip } from '@codemirror/view'
import { keyPathAt } from '../completion/key-path.ts'
import { aboutField, keysAt, valuesAt } from '../completion/schema.ts'

/** Fields whose value is a label of the nodes. */
const LABEL_FIELDS = new Set(['nodeGroupLabel', 'label'])

let nodeLabels: readonly string[] = []

/** Sets the labels that are offered where a policy names one. */
export function offerLabels(labels: readonly string[]): void {
  nodeLabels = labels
}

/** Offers the fields of the schema of the object, and their values. */
export function suggestions(context: CompletionContext): CompletionResult | null {
  const text = context.state.doc.toString()
  const found = keyPathAt(text, context.pos)
  if (found === undefined || (context.pos === found.from && !context.explicit)) return null
  const { path, isValue, column, from, start } = found
  const kind = kindIn(text, start)
  const labels = LABEL_FIELDS.has(path.at(-1) ?? '') ? nodeLabels : []
  const fields = isValue ? valuesAt(kind, path) : keysAt(kind, path, column)
  const entries = path.at(-1) === '[]' && !isValue ? valuesAt(kind, path) : []
  const options = [
    ...(isValue ? labels.map((label): Completion => ({ label, detail: 'of your nodes', boost: 2 })) : []),
    ...[...fields, ...entries].map(({ label, text: apply, detail, description }) => ({
      ...{ label, apply, detail },
      ...(description === '' ? {} : { info: description }),
    })),
  ]
  const known = new Set<string>()
  const unique = options.filter(({ label }) => !known.has(label) && known.add(label))
  return unique.length === 0 ? null : { from, options: unique, validFor: /^["']?[\w./-]*$/ }
}

/** Says what the field below the pointer is. */
export const fieldHelp = hoverTooltip((view, position) => {
  const line = view.state.doc.lineAt(position)
  const [head = '', key = ''] = /^ *(?:- +)*["']?([\w./-]+)["']?:/.exec(line.text) ?? []
  if (key === '' || position > line.from + head.length) return null
  const text = view.state.doc.toString()
  const at = line.from + head.length - key.length - 1
  const found = keyPathAt(text, Math.max(line.from, at))
  if (found === undefined) return null
  const about = aboutField(kindIn(text, found.start), [...found.path, key])
  if (about === undefined || about.text === '') return null
  return {
    pos: at,
    end: line.from + head.length,
    above: true,
    create: () => {
      const dom = document.createElement('div')
      dom.className = 'help'
      const title = document.createElement('b')
      title.textContent = about.title
      dom.append(title, document.createElement('br'), about.text)
      return { dom }
    },
  }
})

function kindIn(text: string, start: number): string {
  const [own = ''] = text.slice(start).split(/\n---/)
  return /^kind: *["']?(\w+)/m.exec(own)?.[1] ?? 'SizingPolicy'
}
