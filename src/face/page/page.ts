import { Html, html } from './html.ts'
import { STYLE } from './style.ts'

export interface Page {
  readonly title: string
  /** What stands below the title. */
  readonly lead: Html
  readonly links: ReadonlyArray<{ readonly id: string; readonly text: string }>
  readonly sections: readonly Html[]
  /** The command in whose JSON each figure is found. */
  readonly command: string
}

/** How many links to sections a page begins with. */
const MOST_LINKS = 40

/**
 * Returns a page that is complete in itself: it loads nothing and runs nothing, and its own policy forbids both.
 */
export function pageHtml({ title, lead, links, sections, command }: Page): string {
  const nav = links.slice(-MOST_LINKS).map(({ id, text }) => html`<li><a href=#${id}><bdi>${text}</bdi></a>`)
  return html`<!doctype html>
<html lang=en><head><meta charset=utf-8>
<meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name=viewport content="width=device-width, initial-scale=1">
<meta name=color-scheme content="light dark">
<title>${title}</title>
<link rel=icon href=data:,>
<style>${styleHtml()}</style></head><body>
<a class=skip href=#main>Skip to the content</a>
<header><h1>${title}</h1></header>
${nav.length === 0 ? undefined : html`<nav aria-label=Sections><ul>${nav}</ul></nav>`}
<main id=main>${lead}
${sections}</main>
<footer><p>Written by nodefit. Each figure names its path in what <code>${command}</code> prints of the same input.</p></footer>
</body></html>
`.text
}

function styleHtml(): Html {
  return new Html(STYLE)
}
