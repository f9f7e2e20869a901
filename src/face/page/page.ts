import { Html, html } from './html.ts'

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

/** The style of a page: light and dark as its reader has it, one column on a phone, no script. */
export const STYLE = `:root{color-scheme:light dark;--bg:#fff;--fg:#1b2230;--dim:#556070;--line:#d5dae2;--soft:#f3f5f8;--link:#0b57b5;--req:#2463c4;--lim:#b9cdec;--mark:#1b2230;--use:#b3480a;--bad:#b3181f;--warn:#8a5300;--good:#1d6b3a}
@media(prefers-color-scheme:dark){:root{--bg:#12161d;--fg:#e6eaf0;--dim:#a3adbb;--line:#333c49;--soft:#1a2029;--link:#8ab8ff;--req:#6ea3f5;--lim:#2f4a75;--mark:#fff;--use:#ffab73;--bad:#ff9a98;--warn:#f0c071;--good:#8fd3a6}}
*{box-sizing:border-box}
html{background:var(--bg);color:var(--fg);font:16px/1.45 system-ui,sans-serif;-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:76rem;padding:1rem}
h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.2rem;margin:2rem 0 .4rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
p{margin:.4rem 0;max-width:48rem}
a{color:var(--link)}a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{position:static}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.n,.s{color:var(--dim);font-size:.85rem;font-weight:400}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.6rem;margin:.8rem 0;padding:0;list-style:none}
.cards li{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .7rem;background:var(--soft)}
.cards b{display:block;font-size:1.3rem;font-variant-numeric:tabular-nums}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1rem;list-style:none;margin:.6rem 0;padding:0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
thead th{font-size:.85rem;border-bottom:2px solid var(--line)}tbody th{font-weight:400}
.groups{table-layout:fixed}.groups th:first-child{width:34%}
.groups svg,.many svg,.key svg{display:block;width:100%;height:16px;margin-top:.25rem;overflow:visible;background:var(--soft)}
.l{y:2px;height:12px;fill:var(--lim)}.r{y:5px;height:6px;fill:var(--req)}.t{y:0;width:2px;height:16px;fill:var(--mark)}
circle{cy:8px;r:4px;fill:var(--use);stroke:var(--bg);stroke-width:1px}
.axis{display:block;position:relative;height:1.3rem;color:var(--dim);font-weight:400}
.axis i{position:absolute;font-style:normal;font-size:.75rem;transform:translateX(-50%);white-space:nowrap}.axis i:first-child{transform:none}.axis i:last-child{transform:translateX(-100%)}
.key{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.4rem 0;font-size:.85rem;color:var(--dim)}
.key svg{display:inline-block;width:2rem;height:16px;margin:0 .3rem 0 0;vertical-align:middle}
.many{font-size:.85rem}.many td,.many th{padding:.15rem .4rem;white-space:nowrap}.many thead th{white-space:normal}.many svg{width:7rem;margin:0}.few{width:auto}.scroll{overflow-x:auto;position:relative}.scroll table{width:auto}.scroll td{white-space:nowrap}.scroll th:first-child{min-width:9rem}
i{font-style:normal}details{margin:.3rem 0}summary{cursor:pointer}
.f{border-left:.3rem solid var(--line);padding:.1rem .7rem;margin:.6rem 0}.f.error{border-color:var(--bad)}.f.warning{border-color:var(--warn)}
.f b{overflow-wrap:anywhere}.error>b{color:var(--bad)}.warning>b{color:var(--warn)}
.f p{overflow-wrap:anywhere;max-width:none}pre{overflow-x:auto;background:var(--soft);padding:.5rem;margin:.4rem 0;font-size:.85rem}
footer{margin-top:2rem;border-top:1px solid var(--line);color:var(--dim);font-size:.85rem}
.long{content-visibility:auto;contain-intrinsic-size:auto 200rem}
@media(max-width:40rem){body{padding:.6rem}th,td{padding:.3rem .25rem}.cards{grid-template-columns:1fr 1fr}.groups{font-size:.85rem}.n,.s{font-size:.75rem}}
@media print{.long{content-visibility:visible}}`
