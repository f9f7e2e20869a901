import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { CLAIM, claim } from '../../../src/sync/git/claim.ts'
import { GitFailure } from '../../../src/sync/git/failure.ts'
import { suite } from '../../support/suite.ts'

const NOBODY = 2 ** 22 + 1
const startOf = (id: number | string) =>
  readFileSync(`/proc/${id}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')[19] ?? ''

suite('the folder of the clone', (test) => {
  const rows: Readonly<Record<string, { text: (id: number) => string | undefined; isHeld?: boolean }>> = {
    'that nobody has': { text: () => undefined },
    'of a process that has ended': { text: () => `${NOBODY} 1\n` },
    'of a process whose id another one has now': { text: (id) => `${id} 1\n` },
    "of an earlier process with this one's id": { text: () => `${process.pid} 1\n` },
    'of one that was killed while it wrote': { text: (id) => `${id} ` },
    'of this process': { text: () => `${process.pid} ${startOf('self')}\n` },
    'of a process that runs': { text: (id) => `${id} ${startOf(id)}\n`, isHeld: true },
  }
  for (const [name, { text, isHeld = false }] of Object.entries(rows))
    test(`${name}: is ${isHeld ? 'refused' : 'taken'}`, async () => {
      const other = spawn('sleep', ['60'], { stdio: 'ignore' })
      const folder = mkdtempSync(join(tmpdir(), 'nodefit-clone-'))
      const id = other.pid ?? 0
      const before = text(id)
      if (before !== undefined) writeFileSync(join(folder, CLAIM), before)
      const failed = await claim(folder).then(
        () => undefined,
        (error) => error,
      )
      other.kill()
      assert.is(failed instanceof GitFailure && failed.reason, isHeld && 'configuration', String(failed))
      if (isHeld) assert.match(failed.message, `in use by process ${id}`)
      assert.is(readFileSync(join(folder, CLAIM), 'utf8'), isHeld ? before : `${process.pid} ${startOf('self')}\n`)
    })
})
