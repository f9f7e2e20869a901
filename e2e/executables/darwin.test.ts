/**
 * The executables for darwin, whose format is checked: nothing here runs them. What the kernel of a Mac asks of a
 * program before it starts it is held against a reading of its own.
 */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { nodeBinary } from '../../tools/executables/node-binary.ts'
import { TARGETS } from '../../tools/executables/targets.ts'
import { executableOf, TARGET_HERE } from '../support/executable.ts'
import { type MachO, readCodeDirectory, readMachO } from '../support/mach-o.ts'
import { has } from '../support/program.ts'

const ADHOC = 2
const PAGES = { amd64: 0x1000, arm64: 0x4000 }
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:'
const NAMES = ['__PAGEZERO', '__TEXT', '__DATA_CONST', '__DATA', 'NODE_SEA', '__LINKEDIT']

const segmentOf = ({ segments }: MachO, name: string) => {
  const found = segments.find((segment) => segment.name === name)
  assert.ok(found, name)
  return found
}

/** What ends in zeros is padded. */
const withoutPadding = (bytes: Buffer) => bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1)

suite('the executables for darwin', (test) => {
  if (TARGET_HERE?.startsWith('linux') !== true || !has('macho-sign')) return
  for (const { name, arch, node } of TARGETS.filter(({ os }) => os === 'darwin')) {
    const file = readFileSync(executableOf(name))
    const original = readFileSync(nodeBinary(node).program)
    const program = readMachO(file)
    test(`${name}: its segments follow each other, on pages, to the end of the file`, () => {
      assert.is(program.arch, arch)
      assert.equal(
        program.segments.map((segment) => segment.name),
        NAMES,
      )
      let [offset, address] = [0, 0n]
      for (const segment of program.segments) {
        assert.is(segment.offset % PAGES[arch], 0, segment.name)
        assert.ok(segment.offset >= offset && segment.address >= address, segment.name)
        ;[offset, address] = [segment.offset + segment.size, segment.address + BigInt(segment.size)]
      }
      assert.is(offset, file.length)
    })
    test(`${name}: the programs are in it, and Node.js is told so`, () => {
      const [section] = segmentOf(program, 'NODE_SEA').sections
      assert.is(section?.name, '__NODE_SEA_BLOB')
      const blob = file.subarray(section?.offset, (section?.offset ?? 0) + (section?.size ?? 0))
      for (const part of ['fn.program', 'nodefit.program', 'api', 'page', 'sync']) assert.ok(blob.includes(part), part)
      assert.ok(!blob.includes('fn.compiled'))
      assert.is(file[file.indexOf(FUSE) + FUSE.length], '1'.charCodeAt(0))
      assert.is(original[original.indexOf(FUSE) + FUSE.length], '0'.charCodeAt(0))
    })
    test(`${name}: the code is that of Node.js, which is linked as before`, () => {
      const text = segmentOf(program, '__TEXT')
      const first = text.sections[0]?.offset ?? 0
      const fuse = original.indexOf(FUSE)
      const before = Buffer.from(original.subarray(first, text.size))
      if (fuse >= first && fuse < text.size) before[fuse - first + FUSE.length] = '1'.charCodeAt(0)
      assert.ok(before.equals(file.subarray(first, text.size)))
      const fixups = (bytes: Buffer, { fixups: ranges }: MachO) =>
        ranges.map(({ offset, size }) => withoutPadding(bytes.subarray(offset, offset + size)).toString('hex'))
      assert.is(program.fixups.length, 4)
      assert.equal(fixups(file, program), fixups(original, readMachO(original)))
    })
    test(`${name}: it is signed ad hoc, and each page has the hash that the signature says`, () => {
      const { signature } = program
      const directory = readCodeDirectory(file, program)
      assert.is(directory.identifier, 'dev.nodefit.nodefit')
      assert.is(directory.flags, ADHOC)
      assert.is(directory.codeLimit, signature?.offset)
      assert.is((signature?.offset ?? 0) + (signature?.size ?? 0), file.length)
      assert.is((signature?.offset ?? 1) % 16, 0)
      assert.equal(directory.wrong, [])
    })
    test(`${name}: a changed byte is another hash`, () => {
      const changed = Buffer.from(file)
      const at = segmentOf(program, 'NODE_SEA').offset + 1000
      changed[at] = (changed[at] ?? 0) ^ 1
      assert.equal(readCodeDirectory(changed, program).wrong, [Math.floor(at / 4096)])
    })
  }
})
