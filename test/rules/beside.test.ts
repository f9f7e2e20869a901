/** What an agent gets otherwise than its template has it is said, once for each policy and code. */
import * as assert from 'uvu/assert'
import { heapsIn } from '../../src/rules/beside-template.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, OS, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'
import { CONTAINER, chartText, kubescapePolicy, operatorConfig, templateMap } from '../support/template.ts'

const CODES = [
  'BelowTemplate',
  'LimitAdded',
  'LimitRemoved',
  'RequestDefaulted',
  'QosClassChanged',
  'HeapAboveLimit',
  'AmountReadBack',
]
const SIZES = { requestCPU: 10, requestMemory: 10, limitCPU: 20, limitMemory: 20 }

/** Two groups: 4 cores and 10Gi, 8 cores and 20Gi; with `SIZES` 400m, 1Gi, 800m, 2Gi and twice that. */
const nodes = () =>
  inventory([shape({ [TYPE]: 'small' }, ['a', 'b'], '4', '10Gi'), shape({ [TYPE]: 'large' }, ['c'], '8', '20Gi')])

interface Row {
  readonly name: string
  readonly resources?: object
  readonly container?: object
  readonly pod?: Record<string, unknown>
  readonly spec?: object
  /** Each finding's sentence without the policy's name. */
  readonly said: Record<string, string>
}

const EQUAL = { requests: { cpu: '400m', memory: '1Gi' }, limits: { cpu: '800m', memory: '2Gi' } }
const NO_BOUNDS = { minResources: { cpu: '1m', memory: '1Mi' }, maxResources: { cpu: '100', memory: '1Ti' } }

/** A file of a downward API volume. */
const fileOf = (path: string, resource: string) => ({
  path,
  resourceFieldRef: { containerName: 'agent', resource },
})

const rows: Row[] = [
  { name: 'nothing of a template that gets what it has, or more', resources: EQUAL, said: {} },
  {
    name: 'what is less, with each group that it is less in, the smallest first',
    resources: { requests: { cpu: '1', memory: '64Mi' }, limits: { cpu: '6', memory: '3Gi' } },
    said: {
      BelowTemplate:
        'less than the template sets: agent requests.cpu 1000m -> 400m (agent-default, agent-remainder, agent-small), 800m (agent-large); agent limits.cpu 6000m -> 800m (agent-default, agent-remainder, agent-small), 1600m (agent-large); agent limits.memory 3Gi -> 2Gi (agent-default, agent-remainder, agent-small)',
    },
  },
  {
    name: 'limits that appear',
    resources: { requests: { cpu: '100m', memory: '64Mi' } },
    said: {
      LimitAdded:
        'a limit that the template does not set: agent limits.cpu none -> 800m (agent-default, agent-remainder, agent-small), 1600m (agent-large); agent limits.memory none -> 2Gi (agent-default, agent-remainder, agent-small), 4Gi (agent-large)',
    },
  },
  {
    name: 'a limit that is gone',
    resources: EQUAL,
    spec: { resourcePercentages: { ...SIZES, limitCPU: null } },
    said: {
      LimitRemoved:
        'the template’s limit is removed: agent limits.cpu 800m -> none (agent-default, agent-large, agent-remainder and 1 more)',
    },
  },
  {
    name: 'a request that is gone, which Kubernetes takes from the limit',
    resources: EQUAL,
    spec: { resourcePercentages: { ...SIZES, requestMemory: null } },
    said: {
      BelowTemplate:
        'less than the template sets: agent requests.memory 1Gi -> none (agent-default, agent-large, agent-remainder and 1 more)',
      RequestDefaulted:
        'the request is unset, so Kubernetes sets it to the limit: agent requests.memory 1Gi -> 2Gi (agent-default, agent-remainder, agent-small), 4Gi (agent-large)',
    },
  },
  {
    name: 'a request below the limit that the template requests by leaving the request out',
    resources: { limits: { cpu: '400m', memory: '2Gi' } },
    said: {
      BelowTemplate:
        'less than the template sets: agent requests.memory 2Gi -> 1Gi (agent-default, agent-remainder, agent-small)',
      QosClassChanged:
        'the QoS class is Burstable, the template’s is Guaranteed: agent-default, agent-large, agent-remainder and 1 more',
    },
  },
  {
    name: 'pods that had no class of service',
    said: {
      LimitAdded:
        'a limit that the template does not set: agent limits.cpu none -> 800m (agent-default, agent-remainder, agent-small), 1600m (agent-large); agent limits.memory none -> 2Gi (agent-default, agent-remainder, agent-small), 4Gi (agent-large)',
      QosClassChanged:
        'the QoS class is Burstable, the template’s is BestEffort: agent-default, agent-large, agent-remainder and 1 more',
    },
  },
  {
    name: 'a heap that the new limit does not hold, in the groups where it does not',
    resources: { requests: { cpu: '400m', memory: '1Gi' }, limits: { cpu: '800m', memory: '1Gi' } },
    container: { env: [{ name: 'GOMEMLIMIT', value: '3GiB' }], args: ['-Xmx3g', '--max-old-space-size=5000'] },
    said: {
      HeapAboveLimit:
        'the heap exceeds the memory limit: --max-old-space-size=5000 of agent, limited to 2Gi (agent-default, agent-remainder, agent-small), 4Gi (agent-large); -Xmx3g of agent, limited to 2Gi (agent-default, agent-remainder, agent-small); GOMEMLIMIT=3GiB of agent, limited to 2Gi (agent-default, agent-remainder, agent-small)',
    },
  },
  {
    name: 'no heap of a container whose limit is the template’s',
    resources: EQUAL,
    pod: {
      containers: [
        { name: 'agent', image: 'agent:1', resources: EQUAL },
        {
          name: 'java',
          image: 'java:1',
          env: [{ name: 'JAVA_TOOL_OPTIONS', value: '-Xmx2g' }],
          resources: { limits: { memory: '1Gi' } },
        },
      ],
    },
    said: {},
  },
  {
    name: 'what the template reads back of an amount that differs now',
    resources: { requests: { cpu: '400m', memory: '1Gi' }, limits: { cpu: '800m', memory: '1Gi' } },
    container: {
      env: [
        { name: 'GOMEMLIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
        { name: 'OTHER', valueFrom: { resourceFieldRef: { resource: 'limits.memory', containerName: 'other' } } },
      ],
    },
    said: {
      AmountReadBack: 'the template reads amounts that differ now: GOMEMLIMIT of agent (limits.memory of agent)',
    },
  },
  {
    name: 'nothing of a variable that goMemLimitPercentage replaces',
    resources: EQUAL,
    spec: { goMemLimitPercentage: 0.8, overrides: [{ groups: ['large'], resourcePercentages: { limitMemory: 15 } }] },
    container: { env: [{ name: 'GOMEMLIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } }] },
    said: {},
  },
  {
    name: 'nothing of amounts that are only written otherwise, not even where they are read back',
    resources: { requests: { cpu: 0.4, memory: '1073741824' }, limits: { cpu: '0.8', memory: '2048Mi' } },
    spec: { overrides: [{ groups: ['large'], resourcePercentages: { requestMemory: 5, limitMemory: 10 } }] },
    container: { env: [{ name: 'M', valueFrom: { resourceFieldRef: { resource: 'requests.memory' } } }] },
    said: {},
  },
  {
    name: 'where a request is gone in some groups and less in others, the former first',
    resources: { requests: { cpu: '400m', memory: '3Gi' }, limits: { cpu: '800m', memory: '2Gi' } },
    spec: { overrides: [{ groups: ['large'], resourcePercentages: { requestMemory: null } }] },
    said: {
      BelowTemplate:
        'less than the template sets: agent requests.memory 3Gi -> none (agent-large), 1Gi (agent-default, agent-remainder, agent-small)',
      RequestDefaulted:
        'the request is unset, so Kubernetes sets it to the limit: agent requests.memory 3Gi -> 4Gi (agent-large)',
    },
  },
  {
    name: 'a sidecar among the init containers that gets less',
    pod: {
      containers: [{ name: 'other', image: 'o:1' }],
      initContainers: [
        {
          name: 'agent',
          image: 'agent:1',
          restartPolicy: 'Always',
          resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1600m', memory: '2Gi' } },
        },
      ],
    },
    spec: { containers: [{ name: 'agent', share: 100 }] },
    said: {
      BelowTemplate:
        'less than the template sets: agent requests.cpu 1000m -> 400m (agent-default, agent-remainder, agent-small), 800m (agent-large); agent limits.cpu 1600m -> 800m (agent-default, agent-remainder, agent-small)',
    },
  },
  {
    name: 'no heap that is all of the limit, and none that the policy computes anew',
    resources: { requests: { cpu: '400m', memory: '1Gi' }, limits: { cpu: '800m', memory: '1Gi' } },
    container: { env: [{ name: 'GOMEMLIMIT', value: '3GiB' }], args: ['-Xmx2g'] },
    spec: { goMemLimitPercentage: 0.8 },
    said: {},
  },
  {
    name: 'what files of the template read back, and nothing of a container that keeps its amounts',
    pod: {
      containers: [
        { name: 'agent', image: 'agent:1', resources: { ...EQUAL, limits: { cpu: '800m', memory: '1Gi' } } },
        {
          name: 'side',
          image: 'side:1',
          resources: EQUAL,
          env: [
            { name: 'OWN', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
            { name: 'ITS', valueFrom: { resourceFieldRef: { resource: 'limits.memory', containerName: 'agent' } } },
          ],
        },
      ],
      volumes: [
        { name: 'a', downwardAPI: { items: [fileOf('mem', 'limits.memory')] } },
        { name: 'b', projected: { sources: [{ downwardAPI: { items: [fileOf('too', 'limits.memory')] } }] } },
      ],
    },
    said: {
      AmountReadBack:
        'the template reads amounts that differ now: ITS of side (limits.memory of agent), file mem (limits.memory of agent), file too (limits.memory of agent)',
    },
  },
]

suite('beside the template', (test) => {
  for (const { name, resources, container, pod, spec, said } of rows)
    test(`it says ${name}`, () => {
      const own = { name: 'agent', image: 'agent:1', ...(resources ? { resources } : {}), ...container }
      const sized = policy({ resourcePercentages: SIZES, ...NO_BOUNDS, ...spec })
      const { findings, failed } = plan(listOf([nodes(), sized, daemonSet(pod ?? { containers: [own] })]))
      assert.is(failed, false)
      const found = findings.filter(({ code }) => CODES.includes(code))
      const bySentence = found.map(({ code, message }) => [code, message])
      for (const [code, message] of bySentence) {
        const sentence = said[code ?? '']
        assert.ok(sentence !== undefined && message?.startsWith(`agent: ${sentence}`), `${code}: ${message}`)
      }
      const expected = Object.keys(said).sort()
      assert.equal([...new Set(found.map(({ code }) => code))].sort(), expected)
    })

  test('it says nothing of amounts that the template of Kubescape’s chart leaves open, but of its heaps', () => {
    const text = chartText({ container: CONTAINER.replace('value: info', 'value: -Xmx99g') })
    const template = templateMap(text)
    const linux = inventory([shape({ [OS]: 'linux', [TYPE]: 'small' }, ['a'], '4', '10Gi')])
    const { findings, failed } = plan(listOf([linux, kubescapePolicy(), template, operatorConfig(false)]))
    assert.is(failed, false)
    assert.equal(
      findings.filter(({ code }) => CODES.includes(code)).map(({ code }) => code),
      ['HeapAboveLimit'],
    )
  })

  const heaps: Array<[container: object, texts: string[]]> = [
    [{ env: [{ name: 'GOMEMLIMIT', value: '1000' }] }, ['GOMEMLIMIT=1000 is 1000']],
    [{ env: [{ name: 'GOMEMLIMIT', value: '2MiB' }] }, ['GOMEMLIMIT=2MiB is 2097152']],
    [{ env: [{ name: 'GOMEMLIMIT', value: '3KiB' }] }, ['GOMEMLIMIT=3KiB is 3072']],
    [{ env: [{ name: 'GOMEMLIMIT', value: '1TiB' }] }, ['GOMEMLIMIT=1TiB is 1099511627776']],
    [{ env: [{ name: 'GOMEMLIMIT', value: 'off' }] }, []],
    [{ env: [{ name: 'GOMEMLIMIT', value: '$(LIMIT)' }] }, []],
    [{ env: [{ name: 'GOMEMLIMIT', value: '2Mi' }] }, []],
    [{ env: [{ name: 'JAVA_OPTS', value: '-Xms1g -Xmx2G -server' }] }, ['-Xmx2G is 2147483648']],
    [{ env: [{ name: 'X', value: '-XX:MaxHeapSize=64k' }] }, ['-XX:MaxHeapSize=64k is 65536']],
    [{ env: [{ name: 'X', value: 'a-Xmx2g' }] }, []],
    [{ command: ['java', '-Xmx1024'], args: null }, ['-Xmx1024 is 1024']],
    [{ args: ['--max-old-space-size', '3'] }, ['--max-old-space-size 3 is 3145728']],
    [{ env: [{ name: 'NODE_OPTIONS', value: '--max_old_space_size=1' }] }, ['--max_old_space_size=1 is 1048576']],
    [{ args: [{ a: 1 }, 5], env: [{ name: 'GOMEMLIMIT', valueFrom: {} }] }, []],
  ]
  for (const [container, texts] of heaps)
    test(`heaps in ${JSON.stringify(container)}`, () => {
      const found = heapsIn({ name: 'agent', ...container })
      assert.equal(
        found.map(({ text, bytes }) => `${text} is ${bytes}`),
        texts,
      )
    })
})

suite('beside the template, mends followed', (test) => {
  const codesWith = (spec: object, container: object = {}) => {
    const resources = { requests: { cpu: '1', memory: '2Gi' }, limits: { cpu: '6', memory: '3Gi' } }
    const target = daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources, ...container }] })
    const written = policy({ resourcePercentages: SIZES, ...NO_BOUNDS, ...spec })
    const { findings, failed } = plan(listOf([nodes(), written, target]))
    assert.not(failed)
    return findings.map(({ code }) => code).filter((code) => CODES.includes(code))
  }
  const heap = { env: [{ name: 'GOMEMLIMIT', value: '2500MiB' }] }

  test('minResources of what the template has, limits by their own names', () => {
    assert.equal(codesWith({}), ['BelowTemplate'])
    const minResources = { cpu: '1', memory: '2Gi', limitCPU: '6', limitMemory: '3Gi' }
    assert.equal(codesWith({ minResources }), [])
  })
  test('with maxResources below it, the policy is refused: they are raised with it', () => {
    const minResources = { cpu: '1', memory: '2Gi', limitCPU: '6', limitMemory: '3Gi' }
    const raised = { minResources, maxResources: { ...minResources } }
    assert.equal(codesWith(raised), [])
  })
  test('higher percentages', () => {
    const half = { resources: { requests: { cpu: '1', memory: '2Gi' }, limits: { cpu: '2', memory: '3Gi' } } }
    const resourcePercentages = { requestCPU: 25, requestMemory: 20, limitCPU: 50, limitMemory: 29 }
    assert.equal(codesWith({ resourcePercentages }, half), ['BelowTemplate'])
    assert.equal(codesWith({ resourcePercentages: { ...resourcePercentages, limitMemory: 30 } }, half), [])
  })
  test('a heap: the limit raised, or the variable derived', () => {
    assert.equal(codesWith({}, heap), ['BelowTemplate', 'HeapAboveLimit'])
    assert.equal(codesWith({ minResources: { ...NO_BOUNDS.minResources, limitMemory: '3Gi' } }, heap), [
      'BelowTemplate',
    ])
    assert.equal(codesWith({ goMemLimitPercentage: 0.8 }, heap), ['BelowTemplate'])
  })
  test('a heap in a flag: a variable that the template sets already, before it is used', () => {
    const flag = (value: string) => ({
      env: [
        { name: 'HEAP_MIB', value: '2500' },
        { name: 'NODE_OPTIONS', value: `--max-old-space-size=${value}` },
      ],
    })
    assert.equal(codesWith({}, flag('2500')), ['BelowTemplate', 'HeapAboveLimit'])
    const env = [{ name: 'HEAP_MIB', from: 'limits.memory', fraction: 0.8, unit: 'MiB', suffix: false }]
    assert.equal(codesWith({ env }, flag('$(HEAP_MIB)')), ['BelowTemplate'])
  })
})
