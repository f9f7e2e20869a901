import type { FindingJson } from '../fleet-types.ts'
import { type Html, html, NEWLINE } from './html.ts'

/** How many findings of one code are open; others are behind a summary. */
const MOST_OPEN = 3
/** How many of one code a page holds. */
const MOST_SHOWN = 20

/** Returns the findings of a run with what to do about each, those of one code together. */
export function findingsHtml(findings: readonly FindingJson[]): Html {
  if (findings.length === 0) return html`<p>There are none.</p>`
  const byCode = new Map<string, FindingJson[]>()
  for (const one of findings) {
    const key = `${one.severity} ${one.code}`
    byCode.set(key, [...(byCode.get(key) ?? []), one])
  }
  return html`${[...byCode.values()].map(codeHtml)}`
}

function codeHtml(alike: readonly FindingJson[]): Html {
  const [open, folded] = [alike.slice(0, MOST_OPEN), alike.slice(MOST_OPEN, MOST_SHOWN)]
  const beyond = alike.length - open.length - folded.length
  const more =
    folded.length === 0
      ? undefined
      : html`<details><summary>${folded.length + beyond} more of ${alike[0]?.code}</summary>${folded.map(findingHtml)}${
          beyond === 0 ? undefined : html`<p>and ${beyond} more: nodefit vet lists all.</p>`
        }</details>`
  return html`${open.map(findingHtml)}${more}`
}

function findingHtml({ severity, code, subject, sentence, mend, lines }: FindingJson): Html {
  return html`<div class="f ${severity}"><b>${severity}: ${code}</b>${subject === undefined ? undefined : html` <span class=n><bdi>${subject}</bdi></span>`}<p dir=auto>${sentence}${
    mend === undefined ? undefined : html`<p dir=auto>${mend}`
  }${lines === undefined || lines.length === 0 ? undefined : html`<pre tabindex=0>${lines.flatMap((line) => [line, NEWLINE])}</pre>`}</div>
`
}
