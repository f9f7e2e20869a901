import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import { CODES, type Code } from '../../src/rules/all-codes.ts'
import { plan } from '../../src/rules/run.ts'
import { type CodeCase, codeCases } from '../../test/support/code-cases.ts'
import { BASE, changeTo, packageWith, RULE_EXAMPLES } from '../../test/support/examples.ts'
import { listOf } from '../../test/support/objects.ts'
import { yamlText } from './yaml-text.ts'

const ALL = (Object.keys(CODES) as Code[]).sort()
const PARTS = [...new Set(Object.values(CODES).map(({ part }) => part))]
/** A longer example is rendered output or other people's objects, which show little. */
const MOST_LINES = 26

const ABOUT_EXAMPLES = [
  'An example changes the package at [the end of this page](#the-package-of-the-examples): a document of a kind that it has',
  'is merged into that object (null removes), another is added.',
  '',
]

/** The pages of results by path: an index of all codes, under an anchor each, and a page for each part. */
export function resultsPages(): Array<[path: string, text: string]> {
  const cases = new Map(codeCases().map((one) => [one.code, one]))
  return [
    ['docs/reference/results.md', index()],
    ...PARTS.map((part): [string, string] => [`docs/reference/${pageOf(part)}`, page(part, cases)]),
  ]
}

/** The page of the part of a code, from the folder of the index. */
function pageOf(part: string): string {
  return `results/${part.toLowerCase().replaceAll(',', '').replaceAll(' ', '-')}.md`
}

function codesIn(part: string): Code[] {
  return ALL.filter((code) => CODES[code].part === part)
}

function index(): string {
  return [
    '# Results',
    '',
    'Every result carries a code. A run with an `error` fails with exit code 1 and',
    'changes nothing. `RenderConfig.spec.allow` accepts an *allowable* error for a run; `RenderConfig.spec.severity` changes',
    'the severity of warnings and infos. Each code links to what it means, how to mend it, and a smallest package that brings it about.',
    '',
    ...PARTS.flatMap((part) => [
      `## ${part}`,
      '',
      '| Code | Severity |',
      '|---|---|',
      ...codesIn(part).map(
        (code) =>
          `| <a id="${code.toLowerCase()}"></a>[${code}](${pageOf(part)}#${code.toLowerCase()}) | ${severityOf(code)} |`,
      ),
      '',
    ]),
  ].join('\n')
}

function page(part: string, cases: ReadonlyMap<Code, CodeCase>): string {
  const sections = codesIn(part).flatMap((code) => sectionOf(code, cases.get(code)))
  const isShown = sections.includes('```yaml')
  return [
    `# Results: ${part}`,
    '',
    'For whoever reads a result and wants to know what to do: each code with its meaning, its mend, and an example where a',
    'short one brings it about. [All codes](../results.md).',
    '',
    ...(isShown ? ABOUT_EXAMPLES : []),
    ...sections,
    ...(isShown ? ['## The package of the examples', '', '```yaml', BASE.trim(), '```', ''] : []),
  ].join('\n')
}

function sectionOf(code: Code, one: CodeCase | undefined): string[] {
  const { meaning, mend } = CODES[code]
  return [
    `## ${code}`,
    '',
    `*${severityOf(code)}*: ${meaning}`,
    '',
    ...(mend === '' ? [] : [mend, '']),
    ...exampleOf(code, one),
  ]
}

/** What brings a code about, and the sentence of the result; the mend stands above. */
function exampleOf(code: Code, one: CodeCase | undefined): string[] {
  if (one === undefined) return [`No example: ${whyNone(code)}.`, '']
  const found = plan(one.list, one.options).findings.find((finding) => finding.code === code)
  if (found === undefined) throw new Error(`the example of ${code} does not bring it about`)
  const says = ['```', found.sentence, ...(found.lines ?? []), '```', '']
  const objects = [...one.list.items, ...(one.list.functionConfig ? [one.list.functionConfig] : [])]
  const changes = changeTo(objects.map(({ object }) => withoutWireAnnotations(object)))
  const text = yamlText(changes)
  const isAlone = Object.keys(one.options).length === 0 && text.split('\n').length <= MOST_LINES
  const again = isAlone ? plan(listOf(packageWith(text))).findings : []
  if (!again.some((finding) => finding.code === code && finding.sentence === found.sentence))
    return ['For example:', '', ...says]
  if (changes.length === 0) return ['The package of the examples itself:', '', ...says]
  return ['```yaml', text, '```', '', ...says]
}

function whyNone(code: Code): string {
  const examples: Readonly<Record<string, string | { readonly why: string }>> = RULE_EXAMPLES
  const example = examples[code]
  if (typeof example === 'object') return example.why
  return 'only a live cluster, or a planner of one’s own, brings it about'
}

function severityOf(code: Code): string {
  const { severity, allowable, acceptedBy } = CODES[code]
  if (acceptedBy !== undefined) return `${severity}, never off`
  return allowable ? `${severity}, allowable` : severity
}
