/**
 * The function in the form of kpt's catalog: its rules for metadata and examples, and the examples run by the catalog's own harness and
 * the real kpt, where docker is the built function itself.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { FUNCTION, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const CATALOG = join(ROOT, 'catalog/kpt/contrib')
const EXAMPLES = join(CATALOG, 'examples')
const NAME = 'nodefit'
const IMAGE = `gcr.io/kpt-fn-contrib/${NAME}:unstable`
const TREE = 'https://github.com/kptdev/krm-functions-catalog/tree/master/contrib'
const GIT = 'https://github.com/kptdev/krm-functions-catalog.git/contrib/examples'
const UPDATE = process.env.UPDATE_GOLDEN === '1'

const read = (...path: string[]) => readFileSync(join(CATALOG, ...path), 'utf8')
const folder = `functions/ts/${NAME}`
const metadata = parse(read(folder, 'metadata.yaml'))
const examples = readdirSync(EXAMPLES).sort()
const isEval = (name: string) => {
  const config = join(EXAMPLES, name, '.expected/config.yaml')
  return existsSync(config) && parse(readFileSync(config, 'utf8')).testType === 'eval'
}

/** What the catalog's own check of a pull request asks for. */
suite("the rules of kpt's catalog", (test) => {
  test('metadata has the fields that it asks for', () => {
    const { image, description, tags, sourceURL, emails, license } = metadata
    assert.equal(
      { image, sourceURL, license },
      { image: IMAGE.split(':')[0], sourceURL: `${TREE}/${folder}`, license: 'Apache-2.0' },
    )
    assert.ok(description.length > 20 && description.length < 120)
    for (const tag of tags) assert.ok(['mutator', 'validator', 'generator'].includes(tag), tag)
    assert.ok(emails.includes('kpt-team@google.com'))
  })
  test('metadata lists every example, and no other', () =>
    assert.equal(
      metadata.examplePackageURLs.toSorted(),
      examples.map((name) => `${TREE}/examples/${name}`),
    ))
  test('the README has an overview, what it takes with every field, and the marks of its parts', () => {
    const text = read(folder, 'README.md')
    assert.equal(
      [...text.matchAll(/^##+ .*$/gm)].slice(0, 3).map(([line]) => line),
      ['## Overview', '## Usage', '### FunctionConfig'],
    )
    for (const mark of ['<!--mdtogo:Short-->', '<!--mdtogo:Long-->']) assert.ok(text.includes(mark), mark)
    for (const field of ['`resourcePercentages.requestCPU`', '`guards.maxNodesLost`', '| `requestCPU` |'])
      assert.ok(text.includes(field), field)
  })
  for (const name of examples)
    test(`${name}: title, command to fetch, image, .krmignore, and what must come out`, () => {
      const text = readFileSync(join(EXAMPLES, name, 'README.md'), 'utf8')
      const words = name.slice(NAME.length + 1).replaceAll('-', ' ')
      assert.ok(name.startsWith(`${NAME}-`))
      assert.match((text.split('\n')[0] ?? '').toLowerCase(), new RegExp(`^# ${NAME}: ${words} example$`))
      assert.ok(text.includes(`$ kpt pkg get ${GIT}/${name}\n`))
      for (const [image] of text.matchAll(/gcr\.io\/\S+/g)) assert.is(image, IMAGE)
      assert.is(readFileSync(join(EXAMPLES, name, '.krmignore'), 'utf8'), '.expected\n')
      assert.ok(readdirSync(join(EXAMPLES, name, '.expected')).length > 0)
      if (isEval(name)) return
      const { mutators = [], validators = [] } = parse(readFileSync(join(EXAMPLES, name, 'Kptfile'), 'utf8')).pipeline
      assert.equal(
        [...mutators, ...validators].map(({ image }: { image: string }) => image),
        [IMAGE],
      )
    })
})

/** A folder for PATH where docker runs the built function, for the image of the catalog alone and without a network. */
function dockerIn(place: string): string {
  const bin = join(place, 'bin')
  mkdirSync(bin)
  const script = [
    '#!/bin/sh',
    '[ "$1" = version ] && { echo 28.0.0; exit 0; }',
    'for word; do last=$word; done',
    `[ "$last" = --help ] && exec '${process.execPath}' '${FUNCTION}' --help`,
    `case "$*" in *"--network none"*"--user nobody"*" ${IMAGE}") set -- ;; *) exit 9 ;; esac`,
    `exec '${process.execPath}' '${FUNCTION}' "$@"`,
  ]
  writeFileSync(join(bin, 'docker'), `${script.join('\n')}\n`)
  chmodSync(join(bin, 'docker'), 0o755)
  return bin
}

suite("the examples, by the catalog's harness", (test) => {
  if (!has('kpt') || !has('kpt-examples') || !has('git')) return
  for (const name of examples)
    test(name, () =>
      inFolder((place) => {
        const bin = dockerIn(place)
        cpSync(join(EXAMPLES, name), join(place, 'examples', name), { recursive: true })
        const identity = [
          'GIT_CONFIG_COUNT=2',
          'GIT_CONFIG_KEY_0=user.name',
          'GIT_CONFIG_VALUE_0=t',
          'GIT_CONFIG_KEY_1=user.email',
          'GIT_CONFIG_VALUE_1=t@example.com',
        ]
        const update = UPDATE ? ['KPT_E2E_UPDATE_EXPECTED=true'] : []
        const { status, stdout, stderr } = run(
          'env',
          [...identity, ...update, 'kpt-examples', join(place, 'examples')],
          { bin },
        )
        assert.is(status, 0, stdout + stderr)
        assert.match(stdout, `--- PASS: Examples/${place}/examples/${name} `)
        if (UPDATE) cpSync(join(place, 'examples', name), join(EXAMPLES, name), { recursive: true })
      }),
    )
  test('one whose expectation is another one fails', () =>
    inFolder((place) => {
      const bin = dockerIn(place)
      cpSync(join(EXAMPLES, 'nodefit-simple'), join(place, 'nodefit-simple'), { recursive: true })
      writeFileSync(join(place, 'nodefit-simple/.expected/diff.patch'), 'diff --git a/x b/x\n')
      assert.is(run('kpt-examples', [place], { bin }).status, 1)
    }))
})

suite('kpt fn doc', (test) => {
  if (!has('kpt')) return
  test('prints what the image says of itself', () =>
    inFolder((place) => {
      const { status, stdout, stderr } = run('kpt', ['fn', 'doc', '--image', IMAGE], { bin: dockerIn(place) })
      assert.is(status, 0, stderr)
      assert.match(stdout, 'It is a KRM function')
    }))
})
