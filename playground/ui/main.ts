import type { Box, Texts } from '../engine/boxes.ts'
import { BOXES } from '../engine/boxes.ts'
import type { Changes } from '../engine/change-policy.ts'
import type { Rendering } from '../engine/render.ts'
import { fromFragment } from '../link.ts'
import { connectControls, showControls } from './controls.ts'
import { byId, dataIn } from './dom.ts'
import { Editor } from './editor.ts'
import type { Answer } from './messages.ts'
import { notify, quiet } from './notice.ts'
import { Runner } from './runner.ts'
import { copyText, share } from './share.ts'
import { offerLabels } from './suggest.ts'
import { connectTabs } from './tabs.ts'

/** An input that is rendered when the page is opened, or chosen. */
interface Example extends Texts {
  readonly title: string
}

/**
 * Where the policy comes from: it is made anew with the nodes while it is `proposed`, stays while what it is about stays if
 * it is `given` by an example or a control, and is left alone once it is `typed`.
 */
type Origin = 'proposed' | 'given' | 'typed'

const TYPING_MILLISECONDS = 120
/** A render that takes longer is announced. */
const SLOW_MILLISECONDS = 400
const HINTS: Readonly<Record<Box, string>> = {
  nodes: 'Your nodes as JSON or YAML, or an inventory',
  daemonSet: 'A DaemonSet as JSON or YAML',
  policy: 'Proposed as soon as 1 and 2 are there',
}
const LABELS: Readonly<Record<Box, string>> = { nodes: 'Nodes', daemonSet: 'DaemonSet', policy: 'Policy' }

const examples = JSON.parse(dataIn('examples')) as readonly Example[]
const code = URL.createObjectURL(new Blob([dataIn('engine')], { type: 'text/javascript' }))
const runner = new Runner(code, show, () => {
  byId('results').setAttribute('aria-busy', 'false')
  byId('time').textContent = ''
  notify('This input took more than a minute, and was stopped: make it smaller.')
})
const selectTab = connectTabs(byId('tabs'))
const editors = Object.fromEntries(BOXES.map((box) => [box, editorOf(box)])) as Readonly<Record<Box, Editor>>
const output = new Editor({ parent: byId('output'), label: 'Rendered manifests', isReadOnly: true })
let origin: Origin = 'proposed'
let labels: readonly string[] = []
let pending: Changes | undefined
let typing: ReturnType<typeof setTimeout> | undefined
let slow: ReturnType<typeof setTimeout> | undefined

function editorOf(box: Box): Editor {
  return new Editor({
    ...{ parent: byId(`${box}-editor`), label: LABELS[box], hint: HINTS[box] },
    onChange: (isWhole) => {
      if (box === 'policy') setOrigin(editors.policy.text.trim() === '' ? 'proposed' : 'typed')
      else if (isWhole && origin !== 'typed') setOrigin('proposed')
      later()
    },
  })
}

function setOrigin(next: Origin): void {
  origin = next
  byId('origin').textContent = { proposed: 'proposed from today’s sizes', given: '', typed: 'yours' }[next]
  byId('propose').hidden = next === 'proposed'
}

function texts(): Texts {
  return { nodes: editors.nodes.text, daemonSet: editors.daemonSet.text, policy: editors.policy.text }
}

/** Renders once nobody types; until then what is shown is of older texts. */
function later(): void {
  clearTimeout(typing)
  byId('results').setAttribute('aria-busy', 'true')
  typing = setTimeout(render, TYPING_MILLISECONDS)
}

function render(): void {
  clearTimeout(typing)
  typing = undefined
  const given = texts()
  // a proposal is made anew of what there is, with the changes that were asked for just now
  const isFresh = origin === 'proposed' && pending === undefined
  byId('results').setAttribute('aria-busy', 'true')
  clearTimeout(slow)
  slow = setTimeout(() => {
    byId('time').textContent = 'rendering …'
  }, SLOW_MILLISECONDS)
  runner.ask({
    about: 'render',
    request: {
      texts: isFresh ? { ...given, policy: '' } : given,
      isOwn: origin === 'typed',
      ...(pending === undefined ? {} : { changes: pending }),
    },
  })
}

function show(answer: Answer): void {
  clearTimeout(slow)
  byId('results').setAttribute('aria-busy', String(typing !== undefined))
  if ('fault' in answer) {
    notify(`This is a defect of nodefit, please report it: ${answer.fault}`)
    return
  }
  if ('shortened' in answer) {
    const { shortened } = answer
    if ('problem' in shortened) notify(`The nodes stay as they are: ${shortened.problem}`)
    else {
      editors.nodes.text = shortened.text
      render()
    }
    return
  }
  pending = undefined
  const { rendering, milliseconds } = answer
  // what is being typed is newer
  if (rendering.policy !== undefined && typing === undefined) editors.policy.text = rendering.policy
  labels = rendering.controls.labels.map(({ key }) => key)
  offerLabels(labels)
  // of a policy that cannot be read while it is typed, the last values stay
  if (rendering.state !== 'failed' || rendering.controls.hasPolicy) showControls(rendering.controls)
  for (const box of BOXES) editors[box].showMarks(rendering.marks.filter((mark) => mark.box === box))
  showResults(rendering, milliseconds)
}

function showResults({ state, sentence, views, counts, yaml }: Rendering, milliseconds: number): void {
  byId('results').dataset.state = state
  byId('said').textContent = state === 'failed' ? '' : sentence
  byId('failure').textContent =
    state === 'failed' ? `${sentence.replace(/: .*/s, '')}: nothing of this would be applied` : ''
  byId('origin').hidden = state === 'waits'
  byId('time').textContent = state === 'waits' ? '' : `rendered in ${Math.ceil(milliseconds)} ms`
  // the engine escapes whatever it fills in (src/face/page/html.ts), and the page runs no script that it does not name
  byId('cards').innerHTML = state === 'done' ? views.cards : ''
  byId('bars').innerHTML = state === 'done' ? views.groups : state === 'failed' ? views.findings : ''
  byId('key').hidden = state !== 'done'
  byId('findings').innerHTML = views.findings
  const all = counts.error + counts.warning + counts.info
  byId('findings-count').textContent = all === 0 ? '' : String(all)
  byId('findings-count').className = counts.error > 0 ? 'count error' : counts.warning > 0 ? 'count warning' : 'count'
  output.text = yaml
  for (const id of ['copy', 'download']) byId<HTMLButtonElement>(id).disabled = yaml === ''
}

function open(state: Texts, from: Origin): void {
  for (const box of BOXES) editors[box].open(state[box])
  setOrigin(from)
  pending = undefined
  render()
}

function openExample(index: number): void {
  const example = examples[index]
  if (example !== undefined) open(example, example.policy === '' ? 'proposed' : 'given')
}

async function openAddress(): Promise<void> {
  const fragment = location.hash.slice(1)
  if (fragment === '') {
    openExample(0)
    return
  }
  const state = await fromFragment(fragment)
  const select = byId<HTMLSelectElement>('example')
  select.selectedIndex = -1
  if ('problem' in state) {
    open({ nodes: '', daemonSet: '', policy: '' }, 'proposed')
    notify(state.problem)
    return
  }
  quiet()
  open(state.texts, state.isOwn ? 'typed' : 'given')
}

connectControls((changes) => {
  pending = {
    ...pending,
    ...changes,
    percentages: { ...pending?.percentages, ...changes.percentages },
    least: { ...pending?.least, ...changes.least },
    most: { ...pending?.most, ...changes.most },
  }
  if (origin === 'proposed') setOrigin('given')
  render()
})
byId<HTMLSelectElement>('example').append(...examples.map(({ title }, index) => new Option(title, String(index))))
byId('example').addEventListener('change', () => {
  history.replaceState(null, '', location.pathname + location.search)
  quiet()
  openExample(Number(byId<HTMLSelectElement>('example').value))
})
byId('clear').addEventListener('click', () => {
  byId<HTMLSelectElement>('example').selectedIndex = -1
  open({ nodes: '', daemonSet: '', policy: '' }, 'proposed')
  editors.nodes.focus()
})
byId('propose').addEventListener('click', () => {
  setOrigin('proposed')
  render()
})
byId('share').addEventListener('click', () => {
  const shorten = () => runner.ask({ about: 'shorten', texts: texts(), labels })
  void share({ texts: texts(), isOwn: origin === 'typed' }, shorten)
})
byId('copy').addEventListener('click', async () => {
  if (!(await copyText(output.text))) notify('The browser does not allow copying: select the text, or download it.')
  else byId('said').textContent = 'Copied.'
})
byId('download').addEventListener('click', () => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([output.text], { type: 'application/yaml' }))
  link.download = 'nodefit.yaml'
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
})
for (const box of BOXES)
  byId(`${box}-file`).addEventListener('change', async (event) => {
    const input = event.target as HTMLInputElement
    const [file] = input.files ?? []
    if (file !== undefined) editors[box].replace(await file.text())
    input.value = ''
  })
for (const button of document.querySelectorAll<HTMLElement>('[data-copy]'))
  button.addEventListener('click', async () => {
    if (await copyText(button.dataset.copy ?? '')) button.dataset.copied = 'true'
  })
for (const link of document.querySelectorAll<HTMLElement>('[data-tab]'))
  link.addEventListener('click', () => selectTab(link.dataset.tab ?? 'tab-groups'))
addEventListener('hashchange', () => void openAddress())
setOrigin('proposed')
await openAddress()
