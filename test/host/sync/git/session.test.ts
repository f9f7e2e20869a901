import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseRemote } from '../../../../src/host/sync/git/remote.ts'
import { makePrivateFolder, openSession, removeStaleFolders } from '../../../../src/host/sync/git/session.ts'
import { suite } from '../../../support/suite.ts'

const OTHER_MARK = '0123456789ab'
/** Above what Linux gives: there is no such process. */
const NOBODY = 2 ** 22 + 1

/** Has all of this test's private folders in a temporary folder of its own. */
async function inTmp(body: (tmp: string) => Promise<void>): Promise<void> {
  const before = process.env.TMPDIR
  const tmp = mkdtempSync(join(tmpdir(), 'nodefit-tmp-'))
  process.env.TMPDIR = tmp
  try {
    await body(tmp)
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

suite('private folders', (test) => {
  test("are this user's only, in the temporary folder, with all that is secret, until the session is closed", () =>
    inTmp(async (tmp) => {
      const session = await openSession({
        remote: parseRemote('ssh://git@example.com/a/b'),
        credentials: { sshKey: 'the key', knownHosts: 'example.com ssh-ed25519 AAAA', password: 'the passphrase' },
        signingKey: 'the signing key',
        environment: {},
      })
      const [name = '', ...more] = readdirSync(tmp)
      assert.equal(more, [])
      assert.is(statSync(join(tmp, name)).mode & 0o777, 0o700)
      const files = readdirSync(join(tmp, name))
      const text = files.map((file) => readFileSync(join(tmp, name, file), 'utf8')).join('\n')
      for (const secret of ['the key', 'the passphrase', 'the signing key']) assert.match(text, secret)
      await session.close()
      assert.equal(readdirSync(tmp), [])
    }))

  const left: Readonly<Record<string, { name: string; stays: boolean }>> = {
    'of a process that is gone': { name: `nodefit-private-${NOBODY}-${OTHER_MARK}-abcdef`, stays: false },
    "of an earlier process with this one's id": {
      name: `nodefit-private-${process.pid}-${OTHER_MARK}-abcdef`,
      stays: false,
    },
    'of a process that runs': { name: `nodefit-private-${process.ppid}-${OTHER_MARK}-abcdef`, stays: true },
    'of a process that runs as somebody else': { name: `nodefit-private-1-${OTHER_MARK}-abcdef`, stays: true },
    'of another program': { name: `private-${NOBODY}-${OTHER_MARK}-abcdef`, stays: true },
    'without the id of a process': { name: 'nodefit-private-abcdef', stays: true },
  }
  for (const [name, row] of Object.entries(left))
    test(`${name}: ${row.stays ? 'stays' : 'is removed'}`, () =>
      inTmp(async (tmp) => {
        mkdirSync(join(tmp, row.name))
        writeFileSync(join(tmp, row.name, 'identity'), 'a key')
        await removeStaleFolders()
        assert.is(existsSync(join(tmp, row.name, 'identity')), row.stays)
      }))
  test("of this process's other sessions stay", () =>
    inTmp(async () => {
      const folder = await makePrivateFolder()
      await removeStaleFolders()
      assert.ok(existsSync(folder))
    }))
  test('that are links stay, with what they lead to', () =>
    inTmp(async (tmp) => {
      const target = mkdtempSync(join(tmp, 'target-'))
      const link = join(tmp, `nodefit-private-${NOBODY}-${OTHER_MARK}-abcdef`)
      symlinkSync(target, link)
      await removeStaleFolders()
      assert.ok(existsSync(link))
    }))
})
