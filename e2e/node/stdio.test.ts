/** The function against readers that wait, readers that close and a disk that is full, 20 MB each. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, FUNCTION, inFolder, ROOT, run } from '../support/hosts.ts'

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n'
const LINE = `    - ${'x'.repeat(60)} é😀\n`
const object = (name: string) =>
  `- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: ${name}\n  data:\n    lines: |\n${`      ${LINE.slice(6)}`.repeat(75_000)}`
/** Four objects, since one may have 8 MiB. */
const BIG = `${HEAD}${['a', 'b', 'c', 'd'].map(object).join('')}`

suite('20 MB through the function', (test) => {
  test('the input is as large as it should be', () => assert.ok(Buffer.byteLength(BIG) > 20_000_000))
  test('a reader that waits gets every byte', async () => {
    const { code, digest, bytes } = await pipe(`sleep 1; cat`)
    assert.is(code, 0)
    assert.ok(bytes > 20_000_000)
    assert.is(digest, sha(BIG + bytesBehind()))
  })
  test('a reader that closes ends it with exit code 1', async () => {
    const { code, stderr } = await pipe('head -c 100000 > /dev/null')
    assert.is(code, 1)
    assert.match(stderr, /^nodefit: the output could not be written: .*EPIPE.*\n$/)
  })
  test('a full disk ends it with exit code 1', () => {
    const { status, stderr } = inFolder((folder) => {
      const input = join(folder, 'input.yaml')
      writeFileSync(input, BIG)
      return run('sh', ['-c', `"${process.execPath}" "${FUNCTION}" < "${input}" > /dev/full`])
    })
    assert.is(status, 1)
    assert.match(stderr, /^nodefit: the output could not be written: .*ENOSPC.*\n$/)
  })
})

suite('stdin and stdout that are not what they should be', (test) => {
  const small = `${HEAD}- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: small\n`
  const commands: Record<string, string> = {
    'nodefit-fn': `"${process.execPath}" "${FUNCTION}"`,
    'nodefit inventory': `"${process.execPath}" "${COMMAND}" inventory "${ROOT}/testdata/nodes/eks.yaml" --cluster a`,
    'nodefit build': `"${process.execPath}" "${COMMAND}" build "${ROOT}/testdata/golden/sticky/package"`,
  }
  for (const [name, command] of Object.entries(commands)) {
    if (process.platform === 'linux')
      test(`${name}: a closed stdout ends it with exit code 1`, () => {
        const { status, stderr } = run('sh', ['-c', `${command} >&-`], { input: small })
        assert.is(status, 1)
        assert.match(
          stderr,
          /^(nodefit: (info|warning): .*\n)*nodefit: the output could not be written: stdout is closed.*\n$/,
        )
      })
    test(`${name}: output thrown away on purpose is no error`, () =>
      assert.is(run('sh', ['-c', `${command} > /dev/null`], { input: small }).status, 0))
  }
  for (const name of ['vet', 'explain'])
    test(`nodefit ${name}: without a reader it has the exit code that it has with one`, () => {
      const command = `"${process.execPath}" "${COMMAND}" ${name} "${ROOT}/testdata/golden/sticky/package"`
      const codes = ['', '> /dev/null', '>&-', '1<> /dev/null'].map(
        (end) => run('sh', ['-c', `${command} ${end}`]).status,
      )
      assert.is(new Set(codes).size, 1, codes.join())
    })
  for (const command of [`"${FUNCTION}"`, `"${COMMAND}" build`, `"${COMMAND}" inventory - --cluster a`]) {
    test(`${command.replace(/.*\//, '')}: a folder for stdin is an input that cannot be read`, () => {
      const { status, stdout, stderr } = run('sh', ['-c', `"${process.execPath}" ${command} < /`])
      assert.is(status, 1)
      assert.is(stdout, '')
      assert.match(stderr, /^nodefit: the input could not be read: EISDIR.*\n$/)
    })
  }
  for (const program of [FUNCTION, COMMAND])
    for (const option of ['--version', '--help'])
      test(`${program.replace(/.*\//, '')} ${option}: a full disk is one sentence and exit code 1`, () => {
        const { status, stderr } = run('sh', ['-c', `"${process.execPath}" "${program}" ${option} > /dev/full`])
        assert.is(status, 1)
        assert.match(stderr, /^nodefit: [^\n]*ENOSPC[^\n]*\n$/)
      })
  test('stdout and stderr closed: the exit code says it', () => {
    if (process.platform === 'linux')
      assert.is(run('sh', ['-c', `${commands['nodefit-fn']} >&- 2>&-`], { input: small }).status, 1)
  })
})

suite('the contract of the function', (test) => {
  for (const [name, input, code] of [
    ['an empty stdin', '', 'EmptyInput'],
    ['no ResourceList', 'a: b\n', 'NotAResourceList'],
    ['a cut one', `${HEAD}- apiVersion: "v1\n`, 'YamlSyntax'],
  ] as const) {
    test(`${name}: exit code 1, one line, nothing on stdout`, () => {
      const { status, stdout, stderr } = run(process.execPath, [FUNCTION], { input })
      assert.is(status, 1)
      assert.is(stdout, '')
      assert.match(stderr, new RegExp(`^nodefit: ${code}: [^\\n]+\\n$`))
    })
  }
  test('what nodefit does not look at goes out as it came, whatever Go reads', () => {
    const crd = `- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata:\n    name: a\n  spec:\n    properties: {constructor: {type: string}, __proto__: {type: string}}\n    twice: 1\n    twice: !mine 2\n    text: "one\n- kind: Secret\n"\n`
    const { status, stdout, stderr } = run(process.execPath, [FUNCTION], { input: HEAD + crd })
    assert.is(status, 0, stderr)
    assert.ok(stdout.startsWith(HEAD + crd))
  })
  for (const [name, item] of Object.entries({
    'a Node': `- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n  data: {b: !mine c}\n`,
    'what carries a mark of ours': `- apiVersion: v1\n  kind: X\n  metadata:\n    name: a\n    annotations: {nodefit.dev/owner: SizingPolicy/b}\n  data: {b: !mine c}\n`,
    'a policy': `- apiVersion: nodefit.dev/v1alpha1\n  kind: SizingPolicy\n  metadata:\n    name: a\n  spec: {b: !mine c}\n`,
    'a DaemonSet': `- apiVersion: apps/v1\n  kind: DaemonSet\n  metadata:\n    name: a\n  spec: {b: !mine c}\n`,
  })) {
    test(`${name} is looked at, and has to be read`, () => {
      const { status, stdout, stderr } = run(process.execPath, [FUNCTION], { input: HEAD + item })
      assert.is(status, 1)
      assert.is(stdout, '')
      assert.match(
        stderr,
        /^nodefit: YamlSyntax: \w+ a cannot be read as YAML: unknown scalar tag !<!mine>, in the line: \w+: \{b: !mine c\}\n$/,
      )
    })
  }
  test('keys of the prototype in a policy are unknown fields', () => {
    const input = `${HEAD}- apiVersion: nodefit.dev/v1alpha1\n  kind: SizingPolicy\n  metadata:\n    name: a\n  spec: {targetRef: {name: b}, __proto__: {c: 1}, constructor: 2}\n`
    const { status, stdout, stderr } = run(process.execPath, [FUNCTION], { input })
    assert.is(status, 1)
    assert.ok(stdout.startsWith(input))
    assert.match(stderr, /^nodefit: UnknownField: .*\n$/)
  })
  test('an error in the policy: the items as they came, results, exit code 1, one line', () => {
    const input = `${HEAD}- apiVersion: nodefit.dev/v1alpha1\n  kind: SizingPolicy\n  metadata:\n    name: a # kept\n  spec: {targetRef: {name: b}, oops: 0644}\n`
    const { status, stdout, stderr } = run(process.execPath, [FUNCTION], { input })
    assert.is(status, 1)
    assert.ok(stdout.startsWith(input))
    assert.match(stdout, /^results:\n- field:|^results:\n- message:/m)
    assert.match(stderr, /^nodefit: UnknownField: .*\n$/)
  })
})

/** Pipes BIG through the function into a shell command. */
function pipe(reader: string): Promise<{ code: number; stderr: string; digest: string; bytes: number }> {
  return new Promise((resolve) => {
    // sh has no pipefail: the exit code of the function goes its own way
    const script = `exec 4>&1; code=$({ { "$0" "$1"; echo $? >&3; } | { ${reader}; } >&4; } 3>&1); exit "$code"`
    const child = spawn('sh', ['-c', script, process.execPath, FUNCTION], { stdio: ['pipe', 'pipe', 'pipe'] })
    const hash = createHash('sha256')
    let stderr = ''
    let bytes = 0
    child.stdout.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      bytes += chunk.length
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    child.on('close', (code) => resolve({ code: code ?? -1, stderr, digest: hash.digest('hex'), bytes }))
    child.stdin.on('error', () => undefined)
    child.stdin.end(BIG)
  })
}

/** What the function adds to a list without a policy. */
function bytesBehind(): string {
  const small = `${HEAD}- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: small\n`
  return run(process.execPath, [FUNCTION], { input: small }).stdout.slice(small.length)
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
