import { isatty } from 'node:tty'
import type { Trust } from '../../core/index.ts'
import { diffLines, diffMarkdown, planJson } from '../../face/index.ts'
import { NODEFIT } from '../../kinds/index.ts'
import { isError } from '../../krm/finding.ts'
import { apiGroup, isLocalConfig, PACKAGE_PATH, packageOf } from '../../krm/identity.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import type { Plan } from '../../rules/plan.ts'
import { manifestsOf } from '../files/manifest.ts'
import { objectDiffs } from '../files/object-diffs.ts'
import { isWithin } from '../files/paths.ts'
import { readEarlier, readObjects } from '../files/read-objects.ts'
import { statOf } from '../files/read-text.ts'
import { planItems } from '../files/rendering.ts'
import { openRevision, type Revision } from '../files/revision.ts'
import { writeView } from '../files/stdio.ts'
import { paintFor, say } from '../files/terminal.ts'
import { givenTrust } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'
import { RENDER_OPTIONS } from './build.ts'
import { type Command, type Options, readArguments } from './command.ts'

const HELP = `nodefit diff [PATH...|-] [--against DIR|REVISION[:DIR]] [--set KEY=VALUE]...
             [--trust FILE|env:NAME | --keyring FILE|env:NAME]
             [--all | --markdown | --json]

Renders as nodefit build does, writes no file, and prints what that changes:
the groups with their sizes before and after, pods that restart, cores and GiB,
the findings, and a unified diff of the objects to apply. The values of Secrets
are not shown.

  --against DIR           what was rendered before, as a folder of
                          nodefit build --output-dir
  --against REVISION      what the same PATH renders to in a revision of Git,
                          such as origin/main
  --against REVISION:DIR  the rendered folder DIR of a revision
  --set KEY=VALUE         as of nodefit build
  --trust, --keyring      as of nodefit build
  --all                   all findings, none folded, and every group
  --markdown              for the comment on a pull request
  --json                  for programs

Without --against a package that kpt renders in place is compared with the
objects in it; of any other package every object is new.

Exit code 0: rendered; 1: the render has errors; 2: an argument is wrong, or a
file or revision cannot be read.

  nodefit diff package --against origin/main
`

const OPTIONS = {
  set: RENDER_OPTIONS.set,
  trust: RENDER_OPTIONS.trust,
  keyring: RENDER_OPTIONS.keyring,
  all: RENDER_OPTIONS.all,
  against: { type: 'string', about: 'a rendered folder, or a Git revision', value: 'folder' },
  markdown: { type: 'boolean', about: 'print Markdown for a pull request' },
  json: { type: 'boolean', about: 'print JSON' },
} as const satisfies Options

const STDOUT = 1

/** `nodefit diff`: what a render changes in what is applied, for people, pull requests and programs. */
export const DIFF: Command = {
  about: 'print what a render changes',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  failure: 2,
  run: diff,
}

function diff(args: string[]): void {
  const { values, positionals } = readArguments('nodefit diff', args, OPTIONS)
  const { set, against, all = false, markdown, json } = values
  const forms = Object.entries({ all, markdown, json }).flatMap(([name, given]) =>
    given === true ? [`--${name}`] : [],
  )
  if (forms.length > 1) throw new UserError(`${forms.join(' and ')} exclude each other: give one`)
  const trust = givenTrust(values, process.env)
  const paths = positionals.length === 0 ? ['-'] : positionals
  const { plan, before } = compared(paths, { set, trust }, against)
  const diffs = plan.failed ? [] : objectDiffs(before, manifestsOf(plan))
  if (plan.failed) process.exitCode = 1
  if (json === true) writeView(`${JSON.stringify(planJson(plan, diffs), undefined, 2)}\n`)
  else if (markdown === true) writeView(diffMarkdown(plan, diffs))
  else {
    const paint = paintFor(isatty(STDOUT), process.env)
    writeView(
      diffLines(plan, diffs, paint, all)
        .map((line) => `${line}\n`)
        .join(''),
    )
  }
}

/** What both sides of a comparison are rendered with. */
interface Given {
  readonly set?: readonly string[]
  readonly trust?: Trust
}

/** A render, and the objects that were to be applied before it. */
interface Comparison {
  readonly plan: Plan
  readonly before: readonly Item[]
}

function compared(paths: readonly string[], given: Given, against?: string): Comparison {
  const isFolder = against !== undefined && statOf(against) !== undefined
  const isItself = isFolder && paths.some((path) => path !== '-' && isWithin(path, against) && isWithin(against, path))
  const items = readObjects(paths, { except: isFolder && !isItself ? against : undefined, kustomizations: true })
  if (against === undefined || isItself) {
    if (items.some(isRendered))
      return { plan: planItems(items, { clock: new Date(), ...given, keepsFiles: true }), before: applied(items) }
    say('nodefit: there is nothing rendered to compare with, so every object is new: give --against\n')
    return withEarlier(items, [], given)
  }
  if (isFolder) return withEarlier(items, readEarlier(against), given)
  const revision = openRevision(against, paths)
  try {
    if (revision.folder !== undefined) return withEarlier(items, readEarlier(revision.folder, revision.root), given)
    return withRevision(items, revision, against, given)
  } finally {
    revision.close()
  }
}

function withEarlier(items: readonly Item[], earlier: readonly Item[], given: Given): Comparison {
  return {
    plan: planItems(items, { clock: new Date(), ...given, earlier, keepsFiles: false }),
    before: applied(earlier),
  }
}

/**
 * Compares with a revision of the same package: with the objects in it where it is rendered in place, else with what it
 * renders to.
 */
function withRevision(items: readonly Item[], { root, places }: Revision, name: string, given: Given): Comparison {
  if (places.length === 0) say(`nodefit: ${name} does not have the package, so every object is new\n`)
  const old = places.flatMap(({ path, place }) =>
    readObjects([place], { within: root, kustomizations: true }).map((item) => relocated(item, place, path)),
  )
  if ([...old, ...items].some(isRendered)) {
    const before = applied(old)
    const sources = items.filter((item) => !isRendered(item))
    return {
      plan: planItems(sources, { clock: new Date(), ...given, earlier: before.filter(isRendered), keepsFiles: true }),
      before,
    }
  }
  if (old.length === 0) return withEarlier(items, [], given)
  const earlier = planItems(old, { clock: new Date(), ...given, earlier: [], keepsFiles: false })
  const error = earlier.findings.find(isError)
  if (error !== undefined) throw new UserError(`${name} cannot be compared with, it does not render: ${error.message}`)
  return withEarlier(items, manifestsOf(earlier), given)
}

/** Names the package of an item as the working tree does. */
function relocated(item: Item, place: string, path: string): Item {
  const folder = packageOf(item)
  if (!folder.startsWith(place)) return item
  const { object } = item
  const annotations = { ...object.metadata.annotations, [PACKAGE_PATH]: path + folder.slice(place.length) }
  return { ...item, object: { ...object, metadata: { ...object.metadata, annotations } } }
}

function isRendered({ object }: Item): boolean {
  return ownerOf(object) !== undefined
}

/** The items that are applied: neither local configuration nor input that no cluster takes. */
function applied(items: readonly Item[]): Item[] {
  return items.filter(
    ({ object }) =>
      !isLocalConfig(object.metadata.annotations) &&
      apiGroup(object.apiVersion) !== apiGroup(NODEFIT) &&
      object.kind !== 'Node',
  )
}
