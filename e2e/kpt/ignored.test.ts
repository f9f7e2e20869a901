/** What a .krmignore leaves out: nodefit's commands read the files that kpt gives a function. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const FILES = [
  ...[
    'a.yaml',
    'b.skip.yaml',
    'x/a.yaml',
    'x/keep.skip.yaml',
    'x/y/z/top.yaml',
    'top.yaml',
    'folder',
    'x/folder/a.yaml',
  ],
  ...[
    'ignored/a.yaml',
    'x/ignored/b.yaml',
    'q1.yaml',
    'q12.yaml',
    'p/q/r.yaml',
    'x/p/q/r.yaml',
    '#c.yaml',
    'd[1].yaml',
  ],
].filter((name) => name.endsWith('.yaml'))
const IGNORES = [
  'ignored',
  'ignored/',
  '*.skip.yaml\n!keep.skip.yaml',
  '/top.yaml',
  'top.yaml',
  'x/*.yaml',
  '*/folder',
  'q?.yaml',
  'p/q/r.yaml',
  '/p/q',
  '\\#c.yaml\n# a.yaml',
  'd[[]1].yaml',
]

suite('what .krmignore leaves out', (test) => {
  if (!has('kpt')) return
  for (const ignore of IGNORES)
    test(JSON.stringify(ignore), () =>
      inFolder((folder) => {
        writePackage(folder)
        const put = (name: string, text: string) => {
          mkdirSync(dirname(join(folder, 'package', name)), { recursive: true })
          writeFileSync(join(folder, 'package', name), text)
        }
        const map = (name: string) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `n${FILES.indexOf(name)}` },
        })
        for (const name of FILES) put(name, JSON.stringify(map(name)))
        put('.krmignore', `${ignore}\n`)
        const program = join(folder, 'keep')
        writeFileSync(program, `#!/bin/sh\nexec tee ${join(folder, 'wire.yaml')}\n`)
        chmodSync(program, 0o755)
        const { status, stderr } = run('kpt', ['fn', 'eval', join(folder, 'package'), '--exec', program])
        assert.is(status, 0, stderr)
        const mapsOf = (objects: readonly { kind: string; metadata: { name: string } }[]) =>
          objects.flatMap(({ kind, metadata }) => (kind === 'ConfigMap' ? [metadata.name] : [])).sort()
        const given = mapsOf(parse(readFileSync(join(folder, 'wire.yaml'), 'utf8')).items)
        const built = run(process.execPath, [COMMAND, 'build', join(folder, 'package')])
        assert.is(built.status, 0, built.stderr)
        assert.equal(mapsOf(parseAllDocuments(built.stdout).map((document) => document.toJS())), given)
        assert.ok(given.length > 0 && given.length < FILES.length, given.join())
      }),
    )
})
