/** Files as their users have them: with byte order marks, not checked out, not rendered, or longer than a text can be. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { readText } from '../../../src/host/files/read-text.ts'
import { MOST_BYTES_OF_TEXT } from '../../../src/host/files/stdio.ts'
import { KrmError } from '../../../src/krm/error.ts'
import { isPointer, notYamlText } from '../../../src/krm/read-yaml.ts'
import { suite } from '../../support/suite.ts'

/** Gives a file with some bytes, or of a length. */
function withFile<T>(content: Buffer | number, use: (file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-test-'))
  try {
    const file = join(folder, 'nodes.json')
    writeFileSync(file, typeof content === 'number' ? '' : content)
    if (typeof content === 'number') truncateSync(file, content)
    return use(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
const outcome = (content: Buffer | number) =>
  withFile(content, (file) => {
    try {
      return readText(file)
    } catch (error) {
      if (!(error instanceof KrmError)) throw error
      return `${error.code}: ${error.message.replace(file, 'FILE')}`
    }
  })

const TEXT = '{"kind": "List", "name": "ä漢\u{1f600}"}\n'
const little = Buffer.from(`\uFEFF${TEXT}`, 'utf16le')
const big = Buffer.from(little).swap16()
const NOT_TEXT = 'NotText: FILE is not UTF-8 text'

suite('the bytes of a file', (test) => {
  for (const [name, bytes, want] of [
    ['of UTF-8', Buffer.from(TEXT), TEXT],
    ['of UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`), TEXT],
    ['of UTF-16, little endian', little, TEXT],
    ['of UTF-16, big endian', big, TEXT],
    ['of UTF-16 without a mark are no text', little.subarray(2), NOT_TEXT],
    ['of UTF-16 that end within a character are no text', little.subarray(0, -1), NOT_TEXT],
    ['of UTF-16 with half a pair are no text', Buffer.from('\uFEFF\ud83d', 'utf16le'), NOT_TEXT],
    ['of a mark alone', Buffer.from('\uFEFF', 'utf16le'), ''],
    ['of Latin-1 are no text', Buffer.from('ä', 'latin1'), NOT_TEXT],
  ] as const)
    test(name, () => assert.is(outcome(bytes), want))
  test('that no text can hold are refused before they are read, with the way on', () =>
    assert.match(
      outcome(MOST_BYTES_OF_TEXT + 1),
      /^TooLarge: FILE has 512 MiB, and one text may have 512 MiB: .*jq -c.*taken for all there is.*nodefit sync/,
    ))
})

suite('what is given in place of YAML', (test) => {
  test('is a pointer of Git LFS', () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'
    assert.ok(isPointer(pointer) && isPointer(pointer.replaceAll('\n', '\r\n')))
    assert.not(isPointer(`# ${pointer}`))
    assert.not(isPointer('version: v1\n'))
  })
  for (const [line, isTemplate] of [
    ['{{- if .Values.enabled }}', true],
    ['  {{ range $name := .Values.names }}', true],
    ['{{- include "agent.labels" . | nindent 4 }}', true],
    ['{{/* a comment */}}', true],
    ['{{- end }}', true],
    ['a: {b: {c: 1}}', false],
    ['args: ["{{ .Name }}"]', false],
    ['{ "a": { "b": 1 } }', false],
  ] as const)
    test(`${line} is ${isTemplate ? '' : 'not '}said to be a template of a chart`, () => {
      assert.is(notYamlText(`${line}\nb: 2\n`, 0) !== undefined, isTemplate)
      assert.is(notYamlText(`a: 1\n${line}\nb: 2\n`, 1) !== undefined, isTemplate)
    })
  test('is what the line says that cannot be read, or the one before it, and no text within YAML', () => {
    const chart = '{{- if .a }}\na: 1\nb: c\n'
    assert.equal(
      [0, 1, 2].map((line) => notYamlText(chart, line) !== undefined),
      [true, true, false],
    )
    assert.is(notYamlText('a: |\n  {{- if .a }}\nb: !!binary x\n', 2), undefined)
  })
})
