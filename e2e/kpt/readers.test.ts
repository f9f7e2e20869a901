/** What nodefit writes, read back by Go: kubectl (sigs.k8s.io/yaml) and kpt (kyaml). */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { writeResourceList } from '../../src/krm/index.ts'
import { readYaml } from '../../src/krm/read-yaml.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { AMBIGUOUS } from '../../test/support/strings.ts'
import { suite } from '../../test/support/suite.ts'
import { inFolder, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

/** 1,500 more, drawn from what number-like and odd text is made of; the same on every run. */
const DRAWN = fc.sample(
  fc.oneof(
    fc.stringMatching(/^[-+.0-9_oxbeEXOB:TZ~ynfalse \t\n]{0,8}$/),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 6 }),
  ),
  { seed: 20261121, numRuns: 1500 },
)
const STRINGS = [...AMBIGUOUS, ...DRAWN].filter((text) => text.isWellFormed())

const object = {
  apiVersion: 'example.com/v1',
  kind: 'Strings',
  metadata: { name: 'strings' },
  values: STRINGS,
  keyed: STRINGS.filter((text) => text !== '' && text !== '__proto__' && text !== 'constructor').map((text) => ({
    [text]: text,
  })),
}

/** The same as entries on one line each, as rows of usage are written. */
const onLines = {
  apiVersion: 'example.com/v1',
  kind: 'Strings',
  metadata: { name: 'strings' },
  spec: { rows: STRINGS.map((text) => ({ text, list: [text], map: { text } })) },
}
const LINES = ['spec', 'rows']

/** Plain scalars of a template, and a template that Go readers are asked about. */
const SCALARS = [
  '0644',
  '0777',
  '-0644',
  '0o17',
  '0b11',
  '0x1F',
  '1_000',
  '08',
  '0_7',
  '1e3',
  '1.5',
  '.5',
  '1.',
  '9007199254740993',
  '+1',
  '12:30:45',
  '1e',
  'true',
  'False',
  'null',
  '~',
  '10.0.1.17',
  '1.2.3',
]

suite('read back by Go', (test) => {
  test('our own reader reads the same first', () => assert.equal(readYaml(writeYaml(object)), object))
  test('and what is on one line', () => assert.equal(readYaml(writeYaml(onLines, LINES)), onLines))
  if (has('kubectl')) {
    test('kubectl reads entries on one line', () => assert.equal(byKubectl(writeYaml(onLines, LINES)), onLines))
    test(`kubectl reads ${STRINGS.length} strings as values and keys`, () =>
      assert.equal(byKubectl(writeYaml(object)), object))
    test('kubectl reads a template as it reads our copy of it', () => {
      const yaml = `apiVersion: example.com/v1\nkind: Scalars\nmetadata:\n  name: scalars\nvalues:\n${SCALARS.map((text) => `- ${text}\n`).join('')}`
      assert.equal(byKubectl(writeYaml(readYaml(yaml))), byKubectl(yaml))
    })
  }
  if (has('kpt')) {
    test('kpt reads and writes them without a change that kubectl would see', () => {
      const list = writeResourceList({ apiVersion: 'config.kubernetes.io/v1', items: [{ object }], results: [] })
      const { status, stdout, stderr } = run('kpt', ['fn', 'eval', '-', '--exec', 'cat', '-o', 'unwrap'], {
        input: list,
      })
      assert.is(status, 0, stderr)
      assert.equal(byKubectl(stdout.replace(/^ {2}annotations:\n(?: {4}.*\n)+/m, '')), object)
    })
    test('kpt leaves entries on one line where they are', () =>
      inFolder((folder) => {
        const file = join(folder, 'snapshot.yaml')
        const yaml = writeYaml(onLines, LINES)
        writeFileSync(file, yaml)
        const { status, stderr } = run('kpt', ['fn', 'eval', folder, '--exec', 'cat'])
        assert.is(status, 0, stderr)
        // it writes rare characters as escapes
        const written = readFileSync(file, 'utf8')
        assert.is(written.split('\n').length, yaml.split('\n').length)
        assert.equal(byKubectl(written), onLines)
      }))
  }
})

function byKubectl(yaml: string): unknown {
  return inFolder((folder) => {
    const file = join(folder, 'object.yaml')
    writeFileSync(file, yaml)
    const { status, stdout, stderr } = run('kubectl', ['label', '--local', '-f', file, 'read=back', '-o', 'json'])
    assert.is(status, 0, stderr)
    const { metadata, ...rest } = JSON.parse(stdout) as { metadata: { name: string } }
    return { ...rest, metadata: { name: metadata.name } }
  })
}
