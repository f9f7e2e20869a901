import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Annotation, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Mark } from '../engine/marks.ts'
import { fieldHelp, suggestions } from './suggest.ts'

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--key)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--fg)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--num)' },
  { tag: [tags.comment, tags.lineComment, tags.meta, tags.documentMeta], color: 'var(--dim)' },
])

const THEME = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--bg)', color: 'var(--fg)', fontSize: '.8rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--fg)' },
  '.cm-cursor': { borderLeftColor: 'var(--fg)' },
  '.cm-gutters': { backgroundColor: 'var(--soft)', color: 'var(--dim)', border: 'none' },
  '.cm-placeholder': { color: 'var(--dim)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--pick)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--soft)', color: 'var(--fg)', border: '1px solid var(--line)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--link)',
    color: 'var(--bg)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '.85' },
  '.cm-tooltip .help, .cm-completionInfo': { maxWidth: '26rem', padding: '.4rem .6rem', fontSize: '.8rem' },
  '.cm-diagnostic': { padding: '.3rem .6rem', maxWidth: '34rem', fontSize: '.8rem' },
})

/** What a text with objects of Kubernetes has. */
const OBJECT = /^[\s\S]{0,2000}\bapiVersion\b/

/** Brings the beginning of a text into sight, with the cursor. */
const TOP = { selection: { anchor: 0 }, effects: EditorView.scrollIntoView(0, { x: 'start', y: 'start' }) }

/** Marks a change that no user made. */
const program = Annotation.define<boolean>()

export interface EditorOptions {
  readonly parent: HTMLElement
  readonly label: string
  readonly hint?: string
  readonly isReadOnly?: boolean
  /** Called when a user has changed the text; `isWhole` if all of it is another. */
  readonly onChange?: (isWhole: boolean) => void
}

/** An editor of YAML or JSON. */
export class Editor {
  readonly #view: EditorView
  #known?: { readonly doc: unknown; readonly text: string }
  /** Whether a user has changed the text that the page put here. */
  #isTouched = false

  constructor({ parent, label, hint, isReadOnly = false, onChange }: EditorOptions) {
    const changes = EditorView.updateListener.of(({ docChanged, transactions, changes, startState }) => {
      if (!docChanged || transactions.some((one) => one.annotation(program) === true)) return
      this.#isTouched = true
      let kept = startState.doc.length
      changes.iterChanges((from, to) => {
        kept -= to - from
      })
      onChange?.(kept === 0)
    })
    // whoever pastes into an example wants to see their own objects, not both
    const paste = EditorView.domEventHandlers({
      paste: (event) => {
        const text = event.clipboardData?.getData('text/plain') ?? ''
        const { from, to } = this.#view.state.selection.main
        const isAll = to - from === this.#view.state.doc.length
        if ((this.#isTouched && !isAll) || !OBJECT.test(text)) return false
        this.replace(text)
        return true
      },
    })
    const writing: Extension[] = [
      paste,
      history(),
      closeBrackets(),
      autocompletion({ override: [suggestions], icons: false }),
      fieldHelp,
      keymap.of([...closeBracketsKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
    ]
    this.#view = new EditorView({
      parent,
      extensions: [
        isReadOnly ? [EditorState.readOnly.of(true)] : writing,
        keymap.of(defaultKeymap),
        lineNumbers(),
        drawSelection(),
        yaml(),
        syntaxHighlighting(COLOURS),
        THEME,
        EditorView.contentAttributes.of({
          'aria-label': label,
          tabindex: '0',
          ...(isReadOnly ? { 'aria-readonly': 'true' } : {}),
        }),
        hint === undefined ? [] : placeholder(hint),
        changes,
      ],
    })
  }

  /** Its text; the same string while it does not change. */
  get text(): string {
    const { doc } = this.#view.state
    if (this.#known?.doc !== doc) this.#known = { doc, text: doc.toString() }
    return this.#known.text
  }

  /** Sets the text without calling `onChange`, where it is another. What is equal at both ends stays, with the cursor. */
  set text(text: string) {
    this.#isTouched = false
    const before = this.text
    if (before === text) return
    let start = 0
    while (start < text.length && text[start] === before[start]) start++
    let end = 0
    const most = Math.min(text.length, before.length) - start
    while (end < most && text[text.length - 1 - end] === before[before.length - 1 - end]) end++
    this.#view.dispatch({
      changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) },
      annotations: program.of(true),
    })
  }

  focus(): void {
    this.#view.focus()
  }

  /** Replaces all of the text as a user does. */
  replace(text: string): void {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text }, ...TOP })
  }

  /** Sets the text as `text` does, and shows its beginning. */
  open(text: string): void {
    this.text = text
    this.#view.dispatch(TOP)
  }

  showMarks(marks: readonly Mark[]): void {
    const { length } = this.#view.state.doc
    const within = marks.filter(({ from, to }) => from <= to && to <= length)
    const diagnostics = within.map(({ from, to, severity, message }) => ({ from, to, severity, message }))
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics))
  }
}
