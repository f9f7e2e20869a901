/** Records testdata/kube/recorded.json: `go build -o oracle . && node --import tsx record.ts ./oracle`. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

type Question = Record<string, unknown>

const [oracle = './oracle'] = process.argv.slice(2)
let state = 20261121
const questions: Question[] = [...quantities(), ...texts(), ...selectors(), ...affinities(), ...tolerations()]
const { stdout } = spawnSync(oracle, {
  input: questions.map((question) => `${JSON.stringify(question)}\n`).join(''),
  encoding: 'utf8',
  maxBuffer: 1 << 28,
})
const answers = stdout
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as unknown)
const recorded = questions
  .map((question, index) => ({ ...question, want: answers[index] }))
  .filter((one) => !isOverflow(one))
writeFileSync(
  new URL('../../testdata/kube/recorded.json', import.meta.url),
  `[\n${recorded.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`,
)

/** The same numbers on every run (a linear congruence is enough). */
function below(limit: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}

function pick<T>(list: readonly T[]): T {
  return list[below(list.length)] as T
}

function some<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}

/** int64 overflow inside Go, which shows as a negative or tiny value; a suffix without digits; -0.5n, whose value Go gives as 1. */
function isOverflow({ op, text, want }: Question & { want: unknown }): boolean {
  if (op !== 'quantity') return false
  if (/^-.*(n|E-9)$/.test(String(text))) return true
  return (
    /E|P|T|e1[0-9]|9{9}|1844|9223/.test(String(text)) &&
    (/^-|^[+.-]?[A-Z]/.test(String(text)) || !/ [0-9]{1,18} /.test(String(want)))
  )
}

function quantities(): Question[] {
  const suffixes = [
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'e3',
    'E3',
    'e-3',
    'E-9',
    'e+2',
    'e',
    'i',
    'mi',
    'K',
    'e1.5',
    'ee',
  ]
  const numbers = [
    '0',
    '1',
    '1.',
    '.5',
    '0.5',
    '007',
    '-1',
    '+1',
    '1.5',
    '100',
    '1000',
    '1024',
    '1536',
    '0.000000001',
    '0.0000000001',
    '12.345678901234',
    '-0.5',
    '--1',
    '1 ',
    ' 1',
    '0x10',
    '1048576',
    '3.999',
    '2000',
    '1023',
    '512',
  ]
  return numbers.flatMap((number) => suffixes.map((suffix) => ({ op: 'quantity', text: number + suffix })))
}

function texts(): Question[] {
  const durations = [
    '0',
    '+0',
    '-0',
    '',
    '1',
    '1s',
    '1.5h',
    '-1.5s',
    '+5m',
    '.5s',
    '1.s',
    '.s',
    '1h30m',
    '1h 30m',
    '9223372036854775807ns',
    '9223372036854775808ns',
    '-9223372036854775808ns',
    '1µs',
    '1μs',
    '1us',
    '1x',
    '3000000h',
    '0.1ns',
    '0.3333333333333333333h',
    '0.830103483285477580700h',
    '1d',
    '--5s',
    '5ms5',
    '1m1m',
    '2562047h47m16.854775807s',
  ]
  const names = [
    '',
    'a',
    'A',
    '-a',
    'a-',
    'a.b',
    'a..b',
    'a_b',
    'x'.repeat(63),
    'x'.repeat(64),
    'a/b',
    '/b',
    'a/',
    'a/b/c',
    'A/b',
    'a.b/c',
    'a b',
    'é',
    '1',
    '0.1',
    '_a',
    'a_',
    `${'x'.repeat(63)}/a`,
    `${`${'x'.repeat(60)}.`.repeat(4)}abc`,
    `example.com/${'x'.repeat(64)}`,
    'a\n',
    '-',
    '.',
    '..',
    'a.-b',
    'a-.b',
    'a/.b',
  ]
  const operations = ['label-value', 'qualified-name', 'dns-label', 'dns-subdomain']
  return [
    ...durations.map((text) => ({ op: 'duration', text })),
    ...names.flatMap((text) => operations.map((op) => ({ op, text }))),
  ]
}

function labels(): Record<string, string> {
  return Object.fromEntries(
    ['a', 'b', 'c']
      .filter(() => below(2) === 1)
      .map((key) => [key, pick(['', '1', '2', 'x', '-3', '007', '9223372036854775808'])]),
  )
}

function selectors(): Question[] {
  const written = [
    'x in ()',
    'x in (,)',
    'x in (,a)',
    'x in (a,)',
    'x in (a,,b)',
    'a=,b',
    'a in (in,notin)',
    'in in (in)',
    'notin',
    '!in',
    'a=in',
    'a,',
    'a,,b',
    ',',
    '',
    'a=(b)',
    'a!b',
    'a !',
    'x>1,x<5',
    'x>1.5',
    'x> 1',
    '!a=b',
    'a=b=c',
    'a==',
    'a in b',
    'a in (b',
    '=a',
  ]
  const pieces = [
    'a',
    'b',
    'c',
    'in',
    'notin',
    '=',
    '==',
    '!=',
    '!',
    '>',
    '<',
    '(',
    ')',
    ',',
    '1',
    'x',
    'd/e',
    '(a,b)',
    '-3',
    '=!',
  ]
  const random = () => some(1 + below(7), () => pick(pieces) + pick(['', ' '])).join('')
  const texts = [...written, ...some(400, random)].map((text) => ({ op: 'selector-text', text, labels: labels() }))
  const structured = some(200, () => ({
    op: 'label-selector',
    selector:
      below(20) === 0
        ? null
        : {
            matchLabels: labels(),
            matchExpressions: some(below(3), () => requirement(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Foo'])),
          },
    labels: labels(),
  }))
  return [...texts, ...structured]
}

function requirement(operators: readonly string[]): object {
  return {
    key: pick(['a', 'b', 'c', '-bad', 'd/e']),
    operator: pick(operators),
    values: some(below(3), () => pick(['1', '2', 'x', '', 'bad value', '-3'])),
  }
}

function affinities(): Question[] {
  const field = () => ({
    key: 'metadata.name',
    operator: pick(['In', 'NotIn', 'Exists']),
    values: [pick(['n1', 'n2', ''])],
  })
  const term = () => ({
    matchExpressions: some(below(3), () => requirement(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Foo'])),
    matchFields: some(below(2), field),
  })
  return some(500, () => {
    const required = below(8) === 0 ? undefined : { nodeSelectorTerms: some(below(4), term) }
    const spec = {
      nodeSelector: below(3) === 0 ? labels() : {},
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    }
    return { op: 'affinity', node: { metadata: { name: pick(['n1', 'n2', '']), labels: labels() } }, pod: { spec } }
  })
}

function tolerations(): Question[] {
  return some(300, () => ({
    op: 'toleration',
    toleration: {
      key: pick(['a', 'b', '']),
      operator: pick(['Equal', 'Exists', 'Gt', 'Lt', '', 'Foo']),
      value: pick(['', '1', '2', '-0', '01', 'x', '9223372036854775807']),
      effect: pick(['NoSchedule', 'NoExecute', '']),
    },
    taint: {
      key: pick(['a', 'b']),
      value: pick(['1', '2', '3', '', 'x', '-1']),
      effect: pick(['NoSchedule', 'NoExecute']),
    },
    comparison: below(2) === 1,
  }))
}
