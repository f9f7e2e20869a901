/** Cases whose answers were recorded from Kubernetes' own functions by tools/kube-oracle. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import {
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  KubeError,
  matchesLabels,
  matchesNode,
  parseDuration,
  parseSelector,
  Quantity,
  tolerates,
} from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

interface Recorded {
  op: string
  text?: string
  node?: { metadata: { name: string; labels: Record<string, string> } }
  pod?: { spec: Parameters<typeof matchesNode>[1] }
  selector?: Parameters<typeof matchesLabels>[0]
  labels?: Record<string, string>
  toleration?: Parameters<typeof tolerates>[0]
  taint?: Parameters<typeof tolerates>[1]
  comparison?: boolean
  want: unknown
}

const cases = JSON.parse(
  readFileSync(new URL('../../testdata/kube/recorded.json', import.meta.url), 'utf8'),
) as Recorded[]

suite('recorded from Kubernetes', (test) => {
  const byOperation = groupBy(cases)
  test('there are cases for every function', () =>
    assert.equal([...byOperation.keys()].sort(), [
      'affinity',
      'dns-label',
      'dns-subdomain',
      'duration',
      'label-selector',
      'label-value',
      'qualified-name',
      'quantity',
      'selector-text',
      'toleration',
    ]))
  for (const [op, members] of byOperation) {
    test(`${op}: ${members.length} cases`, () => {
      for (const one of members) assert.equal(answer(one), one.want, JSON.stringify(one))
    })
  }
})

function answer(one: Recorded): unknown {
  try {
    return evaluate(one)
  } catch (error) {
    if (error instanceof KubeError) return 'error'
    throw error
  }
}

function evaluate({
  op,
  text = '',
  node,
  pod,
  selector,
  labels = {},
  toleration,
  taint,
  comparison,
}: Recorded): unknown {
  switch (op) {
    case 'quantity': {
      const quantity = Quantity.parse(text)
      return `${quantity} ${quantity.value()} ${quantity.format}`
    }
    case 'duration':
      return String(parseDuration(text))
    case 'label-value':
      return isLabelValue(text)
    case 'qualified-name':
      return isQualifiedName(text)
    case 'dns-label':
      return isDns1123Label(text)
    case 'dns-subdomain':
      return isDns1123Subdomain(text)
    case 'selector-text':
      return matchesLabels(parseSelector(text), labels)
    case 'label-selector':
      return matchesLabels(selector, labels)
    case 'affinity':
      return matchesNode({ name: node?.metadata.name ?? '', labels: node?.metadata.labels ?? {} }, pod?.spec ?? {})
    case 'toleration':
      return tolerates(toleration ?? {}, taint ?? { key: '', effect: '' }, { comparisonOperators: comparison })
    default:
      throw new Error(`unknown operation ${op}`)
  }
}

function groupBy(all: Recorded[]): Map<string, Recorded[]> {
  const groups = new Map<string, Recorded[]>()
  for (const one of all) groups.set(one.op, [...(groups.get(one.op) ?? []), one])
  return groups
}
